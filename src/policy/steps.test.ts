/** R11: any command up to its cap is judged in time that grows with its length. Steps are counted, no clock is read. */
import { expect, it } from 'vitest';
import { bash, settingsWith, tools } from './policy.cases.js';
import { route } from './route.js';
import { countSteps } from './steps.js';

const allow = [
  'sed',
  'awk',
  'git',
  'ls',
  'echo',
  'find',
  'xargs',
  'watch',
  'env',
  'npm test',
  '* x * y *',
  'a * b * c * d',
]
  .map((text) => `Bash(${text}:*)`)
  .concat('Bash(* * * * * z)');
const deny = ['Bash(rm -rf:*)', 'Bash(* * q)'];
const settings = settingsWith({ allow, deny });

const steps = (command: string) =>
  countSteps(() => void route(bash(command), { present: true, reason: 'viewer' }, settings, tools));

/** Each makes a command of about `n` characters. */
const HOSTILE: Record<string, (n: number) => string> = {
  'a sed script of commands': (n) => `sed '${'p;'.repeat(n / 2)}' a`,
  'a sed script of addresses': (n) => `sed '${'1,'.repeat(n / 2)}' a`,
  'a sed script of delimiters': (n) => `sed 's${'/a'.repeat(n / 2)}' a`,
  'a sed script that never ends': (n) => `sed 's/${'[a]\\/'.repeat(n / 5)}' a`,
  'the sed word of the finding': (n) => `sed '${'s/a/'.repeat(n / 4)}' a`,
  'many sed scripts': (n) => `sed ${'-e p '.repeat(n / 5)} a`,
  'an awk program of slashes': (n) => `awk '${'/a'.repeat(n / 2)}' a`,
  'an awk program of strings': (n) => `awk '${'"a" '.repeat(n / 4)}' a`,
  'an awk program of brackets': (n) => `awk '${'{('.repeat(n / 2)}' a`,
  'many words': (n) => `echo ${'a '.repeat(n / 2)}`,
  'many words for a rule with stars': (n) => `a ${'b c x '.repeat(n / 6)}`,
  'a long option': (n) => `git log --${'a'.repeat(n)}`,
  'a long bundle': (n) => `git log -${'p'.repeat(n)}`,
  'many options': (n) => `git log ${'--stat '.repeat(n / 7)}`,
  braces: (n) => `ls ${'{a,b}'.repeat(n / 5)}`,
  'nested braces': (n) => `ls ${'{a,'.repeat(n / 4)}${'}'.repeat(n / 4)}`,
  globs: (n) => `ls ${'*a'.repeat(n / 2)}`,
  'many commands': (n) => 'ls; '.repeat(n / 4),
  'wrappers in wrappers': (n) => `${'watch '.repeat(n / 6)}rm x`,
  'texts in texts': (n) => `env -S ${"'env -S ls' ".repeat(n / 12)}`,
  'find with many commands': (n) => `find . ${'-exec ls {} + '.repeat(n / 14)}`,
  'a here-document': (n) => `cat <<EOF\n${'a $x\n'.repeat(n / 5)}EOF`,
  substitutions: (n) => `echo ${'$(ls) '.repeat(n / 6)}`,
};

it.each(Object.keys(HOSTILE))('R11: %s', (name) => {
  const make = HOSTILE[name]!;
  for (const n of [500, 2000, 8000]) {
    const command = make(n);
    // The rules have 13 × 5 words with stars in them; a command of so many characters costs a bounded multiple.
    expect([n, steps(command) <= 150 * (command.length + 200)]).toEqual([n, true]);
  }
});

it('R11: the counter counts', () => {
  expect(steps('sed p a')).toBeGreaterThan(5);
  expect(steps(`sed '${'p;'.repeat(2000)}' a`)).toBeGreaterThan(2000);
});
