import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { DATABASE, decided, sandbox } from './decisions.cases.js';
import { appendTurning, linesIn } from './files.js';
import { projectAt } from './index.js';

const question = DATABASE;

test('C21: a decision is kept with question, options, answer, by, model, confidence, cites, reason, scope, session, time, mark', () => {
  const { open, truth, copy, project } = sandbox();
  const { id } = open().remember(decided());
  const [found] = open().list();
  expect(found).toMatchObject({
    ...decided(),
    id,
    at: '2026-01-02T03:04:05.000Z',
    project: project.name,
  });
  expect(found?.mark).toMatch(/^[0-9a-f]{64}$/);
  expect(found?.unverified).toBe(undefined);
  expect([statSync(truth).mode & 0o777, statSync(join(truth, '..', 'key')).mode & 0o777]).toEqual([0o600, 0o600]);
  expect(readFileSync(copy, 'utf8')).toBe(readFileSync(truth, 'utf8'));
});

test('it is revoked and corrected for good, whatever is written behind', () => {
  const { open, truth } = sandbox();
  const { id } = open().remember(decided());
  const line = readFileSync(truth, 'utf8');
  open().correct(id, { at: 1, values: ['2'], reason: 'one file is enough' });
  expect(open().same(question, 'x')?.correction).toMatchObject({ values: ['2'], reason: 'one file is enough' });
  appendFileSync(truth, line);
  expect(open().same(question, 'x')?.correction?.values).toEqual(['2']);
  open().revoke(id, { at: 2, reason: 'no' });
  appendFileSync(truth, line);
  expect(open().same(question, 'x')).toBe(undefined);
  expect(open().find(id)?.revoked?.reason).toBe('no');
});

test('it counts again where its scope says', () => {
  const { open } = sandbox();
  open().remember(decided({ scope: 'once' }));
  expect(open().same(question, 'k7f2m9qd')).toBe(undefined);
  open().remember(decided({ scope: 'session' }));
  expect(open().same(question, 'other')).toBe(undefined);
  expect(open().same(question, 'k7f2m9qd')?.scope).toBe('session');
});

describe('a line decides nothing, and is shown as unverified, that', () => {
  it('the repository brought', () => {
    const { open, copy, project } = sandbox();
    mkdirSync(join(copy, '..'));
    const key = open().remember(decided({ scope: 'once' })) && open().list()[0]!.question.key;
    const line = {
      v: 1,
      type: 'decided',
      ...decided({ at: undefined as never }),
      id: 'd-x',
      at: '2026',
      project: project.name,
    };
    appendFileSync(copy, `${JSON.stringify({ ...line, question: { ...question, key }, mark: 'a'.repeat(64) })}\n`);
    expect(open().same(question, 'x')).toBe(undefined);
    expect(open().find('d-x')?.unverified).toMatch('not on record');
  });

  it('was edited, in the copy or in the file itself', () => {
    const { open, copy, truth } = sandbox();
    const { id } = open().remember(decided());
    for (const file of [copy, truth]) {
      writeFileSync(file, readFileSync(file, 'utf8').replace('"values":["1"]', '"values":["2"]'));
      const edited = open()
        .list()
        .filter(({ values }) => values[0] === '2');
      expect(edited).toMatchObject([{ id, unverified: expect.any(String) }]);
      expect(open().same(question, 'x')?.values).toEqual(file === copy ? ['1'] : undefined);
    }
  });

  it('was copied from another project, also under its name and into its file', () => {
    const one = sandbox();
    const other = one.at('other');
    one.open(other).remember(decided());
    const file = join(one.stateDir, 'decisions', `${other.name}.jsonl`);
    const line = readFileSync(file, 'utf8');
    one.open().remember(decided({ scope: 'once' }));
    for (const text of [line, line.replaceAll(other.name, one.project.name)]) {
      appendFileSync(one.truth, text);
      appendFileSync(one.copy, text);
      expect(one.open().same(question, 'x')).toBe(undefined);
    }
    expect(
      one
        .open()
        .list()
        .filter(({ unverified }) => unverified !== undefined).length,
    ).toBe(2);
  });

  it('comes from the copy after it was revoked, or after the file was lost', () => {
    const { open, copy, truth } = sandbox();
    const { id } = open().remember(decided());
    const line = readFileSync(copy, 'utf8');
    open().revoke(id, { at: 1 });
    writeFileSync(copy, line);
    expect([open().same(question, 'x'), open().find(id)?.revoked === undefined]).toEqual([undefined, false]);
    writeFileSync(truth, '');
    expect([open().same(question, 'x'), open().find(id)?.unverified]).toMatchObject([undefined, expect.any(String)]);
  });

  it('claims in its own fields that it is verified, corrected or revoked', () => {
    const { open, copy } = sandbox();
    open().remember(decided());
    const line = JSON.parse(readFileSync(copy, 'utf8'));
    appendFileSync(
      copy,
      `${JSON.stringify({ ...line, id: 'd-y', correction: { values: ['2'] }, used: { times: 9 }, revoked: {} })}\n`,
    );
    const found = open().find('d-y');
    expect([found?.correction, found?.used, found?.revoked]).toEqual([undefined, undefined, undefined]);
    expect(found?.unverified).toMatch('not on record');
  });

  it('was marked with another key', () => {
    const { open, truth } = sandbox();
    open().remember(decided());
    writeFileSync(join(truth, '..', 'key'), `${'0'.repeat(64)}\n`);
    expect(open().same(question, 'x')).toBe(undefined);
    expect(open().list()).toMatchObject([{ unverified: 'it does not carry our mark' }]);
  });
});

describe('the copy is written', () => {
  it.each([
    ['a link in the folder’s place', (root: string, out: string) => symlinkSync(out, join(root, '.reins'))],
    [
      'a link in the file’s place',
      (root: string, out: string) => {
        mkdirSync(join(root, '.reins'));
        symlinkSync(join(out, 'stolen'), join(root, '.reins', 'decisions.jsonl'));
      },
    ],
    ['a file in the folder’s place', (root: string) => writeFileSync(join(root, '.reins'), '')],
    [
      'a folder in the file’s place',
      (root: string) => mkdirSync(join(root, '.reins', 'decisions.jsonl'), { recursive: true }),
    ],
  ])('nowhere but into the project: %s', (_, prepare) => {
    const { dir, open, project, truth } = sandbox();
    const out = join(dir, 'outside');
    mkdirSync(out);
    prepare(project.root, out);
    const { id, copy } = open().remember(decided());
    expect(copy).toEqual(expect.any(String));
    expect([readdirSync(out), linesIn(truth).length, open().find(id)?.unverified]).toEqual([[], 1, undefined]);
  });

  it('not over a file that is somebody else’s too', async () => {
    const { linkSync } = await import('node:fs');
    const { dir, open, project } = sandbox();
    const other = join(dir, 'bashrc');
    writeFileSync(other, 'mine\n');
    mkdirSync(join(project.root, '.reins'));
    linkSync(other, join(project.root, '.reins', 'decisions.jsonl'));
    expect(open().remember(decided()).copy).toMatch('not a file of its own');
    expect(readFileSync(other, 'utf8')).toBe('mine\n');
  });

  it('never where the project is gone', () => {
    const { open, stateDir } = sandbox();
    const gone = { name: 'gone-1', root: join(stateDir, 'gone') };
    expect(open(gone).remember(decided()).copy).toMatch('ENOENT');
    expect([existsSync(gone.root), open(gone).list().length]).toEqual([false, 1]);
  });
});

test('a torn last line costs only itself', () => {
  const { open, truth } = sandbox();
  open().remember(decided());
  const line = readFileSync(truth);
  for (const cut of [1, 20, line.length - 2]) {
    writeFileSync(truth, Buffer.concat([line, line.subarray(0, cut)]));
    expect(
      open()
        .list()
        .filter(({ unverified }) => !unverified).length,
    ).toBe(1);
    open().remember(decided({ session: 'later' }));
    expect(
      open()
        .list()
        .filter(({ unverified }) => !unverified)
        .map(({ session }) => session),
    ).toEqual(['k7f2m9qd', 'later']);
  }
});

test('a full file becomes the older half, and two of them are all there is', () => {
  const { dir } = sandbox();
  const file = join(dir, 'x.jsonl');
  for (let count = 0; count < 100; count += 1) appendTurning(file, `{"n":${count},"x":"${'x'.repeat(90)}"}`, 1000);
  const kept = [...linesIn(`${file}.1`), ...linesIn(file)].map((line) => (JSON.parse(line) as { n: number }).n);
  expect(kept.at(-1)).toBe(99);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, at) => 100 - kept.length + at));
  expect(
    readdirSync(dir)
      .filter((name) => name.startsWith('x.'))
      .sort(),
  ).toEqual(['x.jsonl', 'x.jsonl.1']);
  expect(statSync(file).size + statSync(`${file}.1`).size).toBeLessThan(2400);
});

test('a long question is kept in part, and is no other question that begins alike', () => {
  const { open, truth } = sandbox();
  const long = (end: string) => ({ ...question, text: `${'x'.repeat(100_000)}${end}` });
  open().remember(decided({ question: long('a'), values: ['y'.repeat(100_000)] }));
  expect(statSync(truth).size).toBeLessThan(20_000);
  expect(open().same(long('a'), 'x')?.cut).toBe(true);
  expect(open().same(long('b'), 'x')).toBe(undefined);
});

test('a project has one name, by whatever path it is reached', () => {
  const { dir, project } = sandbox();
  symlinkSync(project.root, join(dir, 'link'));
  mkdirSync(join(project.root, 'deep'));
  const top = () => project.root;
  expect(projectAt(join(dir, 'link'), () => undefined)).toEqual(project);
  expect(projectAt(join(project.root, 'deep'), top)).toEqual(project);
  expect(projectAt(join(project.root, 'deep'), () => undefined)).not.toEqual(project);
  const tree = join(project.root, '.reins', 'worktrees', 'x');
  mkdirSync(tree, { recursive: true });
  expect(projectAt(tree, () => tree)).toEqual(project);
  // A repository of somebody else's above ours, as in /tmp, would be their place to read and write.
  if (process.getuid?.() === 0) expect(projectAt(project.root, () => '/nonexistent')).toEqual(project);
  expect(project.name).toMatch(/^shop-[0-9a-f]{12}$/);
});

test('several hosts at once lose no line and mix none, and make one key', async () => {
  const { open, stateDir, project } = sandbox();
  const program = `
    const { openDecisions } = await import(process.env.ROOM);
    const store = openDecisions({ stateDir: process.env.STATE, project: JSON.parse(process.env.PROJECT) });
    for (let n = 0; n < 30; n += 1) store.remember(JSON.parse(process.env.DECIDED));
  `;
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const writers = Array.from({ length: 3 }, (_, index) => {
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      cwd: path('../..'),
      env: {
        PATH: process.env.PATH,
        ROOM: path('index.ts'),
        STATE: stateDir,
        PROJECT: JSON.stringify(project),
        DECIDED: JSON.stringify(decided({ session: `s${index}`, reason: 'x'.repeat(1900) })),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return new Promise<number | null>((resolve) => child.once('exit', resolve));
  });
  expect(await Promise.all(writers)).toEqual([0, 0, 0]);
  const list = open().list();
  expect(list.length).toBe(90);
  expect(list.every(({ unverified }) => unverified === undefined)).toBe(true);
  expect(readdirSync(join(stateDir, 'decisions')).sort()).toEqual(['key', `${project.name}.jsonl`]);
});
