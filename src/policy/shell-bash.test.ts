// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are the shell’s
/**
 * Our reading of a command against bash itself: random texts that a rule allows are run by a real bash in which every
 * program is a stub that writes down its name. Whatever else than `npm test …` ran, slipped through.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bash, settingsWith, tools, word } from './policy.cases.js';
import { route } from './route.js';

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'reins-bash-'));
  mkdirSync(join(home, 'bin'));
  mkdirSync(join(home, 'work'));
  for (const name of ['npm', 'evil']) {
    const file = join(home, 'bin', name);
    writeFileSync(file, `#!/bin/sh\necho "${name} $1" >> "$STUB_LOG"\n`);
    chmodSync(file, 0o755);
  }
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const TOKENS = [
  ...['npm test', 'npm', 'test', 'evil', 'evil x', 'X=1', '$X', '"$X"', '${X}', 'x', 'EOF', 'out', '# c', 'é'],
  ...[' ', ' ', ' ', ' ', '\n', '\t', '\\\n', ';', '&&', '||', '|', '&', '(', ')', '{ ', '; }', '!'],
  ...['"', "'", '\\', '`', '$(', '${', "$'", '$"', '<(', '>', '>>', '<', '2>&1', '&>', '>&', '<<<', '{a,b}', '*'],
  ...[
    ' <<EOF\n',
    " <<'EOF'\n",
    ' <<-EOF\n',
    '\nEOF\n',
    '\n\tEOF\n',
    'EOF ',
    ' if ',
    '; then ',
    '; fi',
    ' for x in a; do ',
    '; done',
  ],
];

const texts = fc
  .array(fc.constantFrom(...TOKENS), { minLength: 1, maxLength: 9 })
  .map((tokens) => `npm test${tokens.join('')}`);

/** What the stubs wrote down, in order. */
function ran(text: string, index: number): string[] {
  const log = join(home, `log-${index}`);
  const env = { PATH: join(home, 'bin'), STUB_LOG: log, HOME: home };
  const done = spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', text], {
    cwd: join(home, 'work'),
    env,
    input: '',
    timeout: 20_000,
  });
  expect(done.error).toBeUndefined();
  return existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [];
}

test('what a rule allows runs nothing else in a real bash', () => {
  const settings = settingsWith({ allow: ['Bash(npm test:*)'] }, { cwd: join(home, 'work') });
  const sample = fc.sample(texts, { numRuns: 24_000, seed: 20 });
  const allowed = [...new Set(sample)].filter((text) => {
    return word(route(bash(text), { present: true, reason: 'viewer' }, settings, tools)) === 'allow';
  });
  const judged = allowed.slice(0, 400);
  const slipped = judged.flatMap((text, index) => {
    const others = ran(text, index).filter((line) => line !== 'npm test');
    return others.length > 0 ? [{ text, others }] : [];
  });
  expect(slipped).toEqual([]);
  expect(judged.length).toBeGreaterThan(200);
}, 300_000);

test('the stubs do see what slips through', () => {
  expect(ran('npm test; evil x', 9999)).toEqual(['npm test', 'evil x']);
});
