import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReinsError } from '../contract/index.js';
import { migrateText } from './migrate-text.js';
import { sandbox } from './sandbox.cases.js';

/** Text that is nearly a config: known keys, odd values, YAML's special signs. */
const word = fc.constantFrom(
  ...['cli', 'tools', 'rules', 'allow', 'detached', 'defaults', 'backend', 'hats', 'pty_mode', 'trust', '__proto__'],
  ...[
    'constructor',
    '[',
    ']',
    '{',
    '}',
    ':',
    ': ',
    '- ',
    '\n',
    '\n  ',
    '\n    ',
    '&a',
    '*a',
    '!!set',
    '"',
    "'",
    '|',
    '>',
  ],
  ...['#', '~', 'true', '1e999', '.nan', '0x1F', '<<', '? ', '%', '---', '...', ',', '\t', '\u0085', '\ud800'],
);
const yamlish = fc.oneof(
  fc.array(word, { maxLength: 40 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.json({ maxDepth: 4 }),
);

const onlyReinsErrors = (act: () => unknown): void => {
  try {
    act();
  } catch (error) {
    if (!(error instanceof ReinsError)) throw error;
    expect(error.code).toMatch(/^CONFIG_/);
    expect(error.message.length).toBeLessThanOrEqual(2100);
  }
};

test('any text of a config file loads or is a ReinsError', () => {
  const box = sandbox();
  fc.assert(
    fc.property(yamlish, (text) => {
      writeFileSync(join(box.repo, 'reins.yml'), text);
      onlyReinsErrors(() => box.load());
    }),
    { numRuns: 400 },
  );
});

test('any --set and any variable loads or is a ReinsError', () => {
  const box = sandbox();
  const key = fc.oneof(
    fc.constantFrom('cli.backend', 'tools.Bash.detached', 'rules.allow', '__proto__.x'),
    fc.string(),
  );
  fc.assert(
    fc.property(key, yamlish, (name, value) => {
      const env = { ...box.env, [`REINS_CFG__${name.replaceAll('.', '__')}`]: value };
      onlyReinsErrors(() => box.load({ sets: [`${name}=${value}`] }));
      onlyReinsErrors(() => box.load({ env }));
      expect(({} as Record<string, unknown>).x).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});

test('migrating any text gives text or a ReinsError, and migrating twice changes nothing more', () => {
  fc.assert(
    fc.property(yamlish, (text) => {
      onlyReinsErrors(() => {
        const once = migrateText(text);
        expect(migrateText(once.text)).toEqual({ text: once.text, changes: [] });
      });
    }),
    { numRuns: 400, examples: [['{"":[{"":null}]}'], ['{gates: [{a: b, more: }]}'], ['1: {2: }'], ['!!set\n  : ']] },
  );
});
