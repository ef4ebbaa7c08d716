/** docs/api.md: its examples run as they stand, and its list of the surface is what the built types export. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectNoProcesses } from '../src/testing/index.js';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs', 'api.md'), 'utf8');
const examples = [...page.matchAll(/^## (.+)\n(?:(?!^## )[\s\S])*?```js\n([\s\S]*?)```/gm)].map(
  ([, title, code]) => [title!, code!] as const,
);

/** Files that an example stands on: ```js NAME */
const modules = [...page.matchAll(/```js (\S+)\n([\s\S]*?)```/g)].map(([, name, code]) => [name!, code!] as const);

/** What each prints, so that one that says nothing cannot pass. */
const PRINTED: Record<string, string> = {
  'Run an agent, and answer it': 'completed',
  'Any command, in a terminal it believes in': 'a terminal of 132\n0',
  'Steer a terminal, and stop it': '100\ntrue 0',
  'Sessions that run already': 'nap working\ntrue',
  'Processes of your own': '0',
  Errors: 'true NO_SUCH_SESSION',
  'An adapter of your own': '[]\nmy-agent completed',
};

let dir: string;
const mark = `TEST_MARK=api-${process.pid}`;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'reins-api-'));
  mkdirSync(join(dir, 'node_modules'));
  symlinkSync(root, join(dir, 'node_modules', 'reins'));
  for (const [name, code] of modules) writeFileSync(join(dir, name), code);
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

function run(code: string): Promise<{ exit: number | null; out: string; err: string }> {
  const file = join(dir, 'example.mjs');
  writeFileSync(file, code);
  const child = spawn(process.execPath, [file], {
    cwd: dir,
    env: {
      PATH: process.env.PATH,
      HOME: dir,
      TMPDIR: dir,
      XDG_STATE_HOME: join(dir, 'state'),
      PRACTICE_SPEED: '0',
      TEST_MARK: mark.slice(10),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (bytes: Buffer) => (said.out += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (said.err += bytes.toString()));
  return new Promise((resolve) => child.on('close', (exit) => resolve({ exit, ...said })));
}

describe('docs/api.md', () => {
  it('has every example looked at', () => {
    expect(examples.map(([title]) => title)).toEqual(Object.keys(PRINTED));
  });

  it.each(examples)('%s', async (title, code) => {
    const { exit, out, err } = await run(code);
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    expect(out.trim().endsWith(PRINTED[title]!), out).toBe(true);
    await expectNoProcesses(mark);
  });
});

/** `type Adapter` and `adapters`, as docs/api.md lists them. */
function exported(): string[] {
  const types = readFileSync(join(root, 'dist', 'index.d.ts'), 'utf8');
  const lists = [...types.matchAll(/^export (type )?\{([^}]*)\}/gm)];
  return lists
    .flatMap(([, isType, names]) => names!.split(',').map((name) => `${isType ? 'type ' : ''}${name.trim()}`))
    .filter((name) => name.trim() !== '')
    .sort();
}

it('lists the whole surface, and nothing else', () => {
  const [, listed] = /<!-- surface -->([\s\S]*)<!-- \/surface -->/.exec(page)!;
  const names = [...listed!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
  expect(names.sort()).toEqual(exported());
  // Whatever else comes is the contract's.
  const stars = [...readFileSync(join(root, 'dist', 'index.d.ts'), 'utf8').matchAll(/^export \* from '([^']+)'/gm)];
  expect(stars.map(([, from]) => from)).toEqual(['./contract/index.js']);
});
