/**
 * The instructions that Claude would read above the folder it works in: the user's own CLAUDE.md and rules, and those of
 * the folders above. Shut out with the settings of their place, they come back as text behind the system prompt. What the
 * folder itself has is read by Claude, through `--add-dir`.
 */
import { dirname, join } from 'node:path';
import type { LaunchAsk } from './adapter.js';
import { namesIn, textIn } from './if-readable.js';

const MOST_CHARACTERS = 200_000;

export function memoryOf({ look, cwd }: Pick<LaunchAsk, 'look' | 'cwd'>, configDir: string): string | undefined {
  const rules = namesIn(look, join(configDir, 'rules')).filter((name) => name.endsWith('.md'));
  const user = [join(configDir, 'CLAUDE.md'), ...rules.map((name) => join(configDir, 'rules', name))];
  const above = foldersAbove(cwd).flatMap((dir) =>
    ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md'].map((name) => join(dir, name)),
  );
  const texts = [...new Set([...user, ...above])].flatMap((file) => {
    const text = textIn(look, file)?.trim();
    return text ? [`Contents of ${file}:\n\n${text}`] : [];
  });
  if (texts.length === 0) return undefined;
  return `Instructions of the user for this project. Follow them.\n\n${texts.join('\n\n').slice(0, MOST_CHARACTERS)}\n`;
}

/** From the outermost inward, as the nearer one counts more. */
function foldersAbove(cwd: string): string[] {
  const above: string[] = [];
  for (let dir = dirname(cwd); ; dir = dirname(dir)) {
    above.unshift(dir);
    if (dir === dirname(dir)) return above;
  }
}
