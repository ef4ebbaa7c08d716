import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { version } from './context.js';
import { manPage } from './man.js';
import { describedProgram } from './program.js';

describe('N6: the manual page', async () => {
  const page = manPage(await describedProgram(), version());

  test('is the one that is shipped: npm run docs', () => {
    expect(readFileSync('man/reins.1', 'utf8')).toBe(page);
  });

  test('names every command and flag, and none that is hidden', () => {
    for (const command of ['run', 'exec', 'attach', 'answer', 'prune', 'config show', 'policy explain'])
      expect(page).toContain(`reins ${command}`);
    expect(page).toContain('\\-\\-idle\\-timeout');
    expect(page).not.toContain('__complete');
  });
});
