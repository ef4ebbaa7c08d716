/** Rules for commands in other folders than the session's, with a disk: repositories within, links, folders that are there. */
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeResolver } from './paths.js';
import { bash, here, run, settingsWith, shell, word } from './policy.cases.js';
import { route } from './route.js';

let cwd: string;
const linkTarget = (path: string) => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
};

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'reins-elsewhere-'));
  for (const folder of ['bare/objects', 'bare/deep', 'plain/deep']) mkdirSync(join(cwd, folder), { recursive: true });
  writeFileSync(join(cwd, 'bare/HEAD'), 'ref: refs/heads/main\n');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const judged = (asked: Parameters<typeof route>[0], allow: string[]) =>
  word(
    route(asked, here, settingsWith({ allow }, { cwd }), {
      shell,
      resolvePath: makeResolver(linkTarget),
      exists: existsSync,
    }),
  );

const ALLOW = ['Bash(cd:*)', 'Bash(git status:*)', 'Bash(git log)', 'Bash(cp:*)', 'Bash(mv:*)'];

test.each([
  ['cd plain && git status', 'allow'],
  ['cd plain/deep && git status -s', 'allow'],
  ['cd bare && git status', 'ask'],
  ['cd bare/deep && git status', 'ask'],
  ['cd bare && git log', 'ask'],
  ['cd bare; cd ..; git status', 'ask'],
  ['(cd bare && git status)', 'ask'],
  ['cd "$x" && git status', 'ask'],
  ['git -C bare status', 'ask'],
  ['git -C plain status', 'allow'],
  ['mv x/package.json plain', 'ask'],
  ['cp x/package.json plain', 'ask'],
  ['cp package.json package.json.bak', 'allow'],
  ['cp a.txt plain', 'allow'],
  ['cp x/* plain', 'allow'],
])('%s: %s', (command, expected) => expect(judged(bash(command), ALLOW)).toBe(expected));

test('the folder that a call says it works in counts as well', () => {
  const at = (workdir: string, cmd: string) => run('exec_command', { cmd, workdir });
  expect(judged(at('plain', 'git status'), ALLOW)).toBe('allow');
  expect(judged(at('bare', 'git status'), ALLOW)).toBe('ask');
  expect(judged(at('plain', './build.sh'), ['Bash(./build.sh:*)'])).toBe('ask');
  expect(judged(at('.', './build.sh'), ['Bash(./build.sh:*)'])).toBe('allow');
});
