import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigSchema } from '../../config/schema.js';
import { makePack } from '../../consult/index.js';
import type { Inquiry, InquiryId, SessionId } from '../../contract/index.js';
import { systemClock } from '../../contract/index.js';
import { Journal } from '../../journal/index.js';
import { type GatherPorts, gather } from './gather.js';

const ID = 'k7f2m9qd' as SessionId;

function put(dir: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
}

/** Files are stamped by a clock that moves in steps: until it has moved on, before and after look the same. */
function clockMoved(dir: string): void {
  const file = join(dir, 'clock');
  writeFileSync(file, '');
  const from = statSync(file).ctimeMs;
  while (statSync(file).ctimeMs < from + 25) writeFileSync(file, 'x');
}

/** A session in a folder that has these files; what is put there later is the agent's work. */
function session(files: Record<string, string | Buffer> = {}, over: Partial<GatherPorts> & { git?: true } = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reins-gather-')));
  const { cwd, dir } = { cwd: join(root, 'project'), dir: join(root, 'session') };
  put(root, { 'outside.md': 'not of this project', 'session/prompt.md': 'Build a shop.' });
  mkdirSync(cwd);
  put(cwd, files);
  if (over.git) {
    const own = ['-c', 'user.name=t', '-c', 'user.email=t@localhost'];
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
      ['commit', '-qm', 'x', '--allow-empty'],
    ])
      execFileSync('git', [...own, ...args], { cwd, env: { PATH: process.env.PATH, HOME: dir }, stdio: 'ignore' });
  }
  clockMoved(dir);
  const { journal } = Journal.open({ file: join(dir, 'journal.jsonl'), session: ID, clock: systemClock });
  onTestFinished(() => {
    journal.close();
    rmSync(root, { recursive: true, force: true });
  });
  journal.append('session.started', {
    ...{ name: 'x', agent: 'practice', mode: 'interactive', trust: 'guarded', cwd, reins: '0', host_pid: 1 },
  });
  const config = ConfigSchema.parse({ consult: { context: ['ROADMAP.md'] } });
  const spec = { cwd, mode: 'interactive' as const, config, prompt_file: join(dir, 'prompt.md') };
  const ports: GatherPorts = { spec, dir, env: { HOME: root }, journal, ...over };
  const ask = (text: string) => {
    const inquiry: Inquiry = {
      ...{ id: `${ID}.1` as InquiryId, session: ID, kind: 'question', exclusive: false },
      questions: [{ id: 'q', text, options: [{ id: 'a', label: 'A' }], multi: false, free_text: true }],
      opened_at: new Date().toISOString(),
    };
    journal.append('inquiry.opened', { inquiry });
    return inquiry;
  };
  const facts = (text: string) => gather(ports, ask(text), { for: 'answer' });
  return { root, cwd, dir, journal, ports, ask, facts };
}

const shown = (facts: Awaited<ReturnType<typeof gather>>) =>
  facts.files.map(({ name, changed }) => `${name}${changed ? ' (changed)' : ''}`);

describe('what is gathered', () => {
  test('the task, what was said before the question and not after, files that are named, and those the user chose', async () => {
    const { journal, facts } = session({ 'ROADMAP.md': 'PostgreSQL.', 'docs/db.md': 'Tables.', 'other.md': 'no' });
    journal.append('prompt.given', { text: 'Build a shop.' });
    journal.append('agent.text', { text: 'I look ' });
    journal.append('agent.text', { text: 'around.' });
    journal.append('agent.text', { text: 'a helper speaks', parent: 'sub' });
    journal.append('tool.called', { call: '1', tool: 'Read', input: {} });
    journal.append('agent.text', { text: 'Now I ask.' });
    const gathering = facts('As in docs/db.md?');
    journal.append('agent.text', { text: 'later' });
    const gathered = await gathering;
    expect(gathered).toMatchObject({
      goal: 'Build a shop.',
      messages: [
        { by: 'user', text: 'Build a shop.', unverified: true },
        { by: 'agent', text: 'I look around.' },
        { by: 'agent', text: 'Now I ask.' },
      ],
      files: [
        { name: 'ROADMAP.md', text: 'PostgreSQL.', context: true },
        { name: 'docs/db.md', text: 'Tables.', context: false },
      ],
    });
    expect(shown(gathered)).toEqual(['ROADMAP.md', 'docs/db.md']);
  });

  test('the same pack, whenever it is made', async () => {
    const { journal, ports, ask } = session({ 'ROADMAP.md': 'PostgreSQL.' });
    for (let n = 0; n < 700; n++) journal.append('agent.text', { text: `word ${n} ` });
    const inquiry = ask('Which?');
    const first = makePack(await gather(ports, inquiry, { for: 'answer' }));
    for (let n = 0; n < 700; n++) journal.append('agent.text', { text: `word ${n} ` });
    expect(makePack(await gather(ports, inquiry, { for: 'suggestion' })).digest).toBe(first.digest);
    expect(first.sources.map(({ kind }) => kind)).toEqual(['goal', 'context', 'message']);
  });

  test('C9: an agent that has a child of its ask proves nothing by what it told it, nor by what it wrote before', async () => {
    const [above, parent] = ['abcdefgh', 'bcdefghj'];
    const { cwd, root, dir, ports, facts, journal } = session({ 'old.md': 'PostgreSQL everywhere.' });
    const began = new Date().toISOString();
    clockMoved(dir);
    put(cwd, { 'ROADMAP.md': 'MongoDB everywhere.' });
    clockMoved(dir);
    const kin = (spec: object) =>
      put(root, { [`state/reins/sessions/${parent}/session.json`]: JSON.stringify({ created_at: began, ...spec }) });
    put(root, { [`state/reins/sessions/${above}/session.json`]: JSON.stringify({ created_at: began }) });
    kin({ parent: above, created_at: new Date().toISOString() });
    clockMoved(dir);
    const own = Journal.open({ file: join(dir, 'child.jsonl'), session: ID, clock: systemClock }).journal;
    onTestFinished(() => own.close());
    const started = { name: 'x', agent: 'practice', trust: 'guarded', cwd, reins: '0', host_pid: 1 } as const;
    own.append('session.started', { ...started, mode: 'conversation', parent });
    own.append('prompt.given', { text: 'We run MongoDB everywhere.' });
    journal.close();
    ports.env = { ...ports.env, XDG_STATE_HOME: join(root, 'state') };
    ports.journal = own;
    const ask = async (spec: object) => {
      ports.spec = { ...ports.spec, mode: 'conversation', ...spec };
      const inquiry = (await facts('As in old.md or ROADMAP.md?')).inquiry;
      own.append('inquiry.opened', { inquiry });
      return gather(ports, inquiry, { for: 'answer' });
    };
    const child = await ask({ parent, depth: 2 });
    expect(shown(child)).toEqual(['ROADMAP.md (changed)', 'old.md']);
    expect(makePack({ ...child, files: child.files.slice(0, 1) }).refused).toMatch(/nothing an answer could rest on/);
    expect(makePack(child).prompt).toContain('S1: goal, unverified]');
    // A person goes on with it: who gave the task is on record.
    expect(await ask({ parent: undefined, depth: undefined })).toMatchObject({ byAgent: true });
    // Nobody knows since when there is one above.
    expect(shown(await ask({ parent: 'zzzzzzzz', depth: 1 }))).toEqual(['ROADMAP.md (changed)', 'old.md (changed)']);
  });

  test('what the asking agent changed is marked: written, touched back, moved there, linked, in a folder that is new', async () => {
    const files = {
      'ROADMAP.md': 'a',
      'old.md': 'b',
      'dated.md': 'c',
      'moved.md': 'd',
      'pkg/docs/x.md': 'e',
      'target.md': 'f',
    };
    const { cwd, facts } = session({ ...files, 'kept/z.md': 'g' });
    writeFileSync(join(cwd, 'new.md'), 'SQLite!');
    writeFileSync(join(cwd, 'dated.md'), 'SQLite!');
    utimesSync(join(cwd, 'dated.md'), 0, 0);
    renameSync(join(cwd, 'old.md'), join(cwd, 'renamed.md'));
    renameSync(join(cwd, 'pkg/docs'), join(cwd, 'docs'));
    symlinkSync('target.md', join(cwd, 'link.md'));
    expect(shown(await facts('new.md dated.md renamed.md docs/x.md link.md'))).toEqual([
      'ROADMAP.md',
      ...['new.md', 'dated.md', 'renamed.md', 'docs/x.md', 'link.md'].map((name) => `${name} (changed)`),
    ]);
    expect(shown(await facts('moved.md kept/z.md target.md'))).toEqual([
      'ROADMAP.md',
      'moved.md',
      'kept/z.md',
      'target.md',
    ]);
  });

  test('what became of the tree, without anything of the repository’s own', async () => {
    const { cwd, facts } = session({ 'ROADMAP.md': 'a', 'b.ts': 'b' }, { git: true });
    put(cwd, { 'b.ts': 'changed', 'c.ts': 'new' });
    expect((await facts('Which?')).changes).toBe('2 files are not committed\n.M b.ts\n? c.ts');
  });

  test('C24: never what leads out of the folder, is secret by its name, has two names, is no text, or is no file', async () => {
    const { root, cwd, facts, ports } = session({
      ...{ 'ROADMAP.md': 'a', '.env': 'A=1', 'sub/.env.local': 'B=2', '.git/config': 'x', id_rsa: 'k', 'a.pem': 'k' },
      ...{
        'binary.md': Buffer.from([0, 1, 2]),
        'latin.md': Buffer.from([0xe9, 0x20]),
        'two.md': 'x',
        'folder.md/a': 'x',
      },
    });
    symlinkSync('../outside.md', join(cwd, 'out.md'));
    symlinkSync('..', join(cwd, 'up'));
    symlinkSync('.env', join(cwd, 'plain.md'));
    linkSync(join(cwd, 'two.md'), join(cwd, 'three.md'));
    execFileSync('sh', ['-c', 'mkfifo pipe.md'], { cwd });
    const elsewhere = [
      '../outside.md',
      `${root}/outside.md`,
      '~/outside.md',
      'sub/../../outside.md',
      './../outside.md',
    ];
    const names = [
      ...elsewhere,
      ...[
        '../outside.md',
        `${root}/outside.md`,
        '~/outside.md',
        'out.md',
        'up/outside.md',
        'plain.md',
        'two.md',
        'three.md',
      ],
      ...[
        'pipe.md',
        'folder.md',
        'binary.md',
        'latin.md',
        '.env',
        'sub/.env.local',
        '.git/config',
        'a.pem',
        '/etc/passwd',
      ],
      ...['sub/../../outside.md', './../outside.md', 'no/such.md', '/dev/stdin', '/proc/self/environ'],
    ];
    for (const name of names) {
      const gathered = await facts(`Look at ${name} please`);
      expect(shown(gathered), name).toEqual(['ROADMAP.md']);
      const chosen = ports.spec.config.consult.context;
      chosen.splice(0, chosen.length, name);
      const context = await gather(ports, { ...gathered.inquiry, questions: [] }, { for: 'answer' });
      // The user may choose a file elsewhere; a project's file leads nowhere, and a secret stays one.
      const isElsewhere = elsewhere.includes(name);
      expect(
        context.files.map((file) => file.name),
        name,
      ).toEqual(isElsewhere ? [name] : []);
      chosen.splice(0, chosen.length, 'ROADMAP.md');
    }
    expect((await facts('out.md .env two.md binary.md')).leftOut).toEqual([
      'out.md: it leads out of the folder',
      ...['.env: it may hold secrets', 'two.md: it has a second name', 'binary.md: it is not text'],
    ]);
  });

  test('C24: secrets of the environment, of .env files near and far, and typed unseen are in no pack', async () => {
    const env = 'T0psecret-Env',
      near = 'n3ar-by-value',
      far = 'f4r-away-value',
      above = 'ab0ve-all-value',
      typed = 'typ3d-unseen';
    const all = [env, near, far, above, typed];
    const words = `We use ${all.join(' and ')}.`;
    const { root, cwd, ports, journal, ask } = session({
      ...{ 'ROADMAP.md': words, 'packages/a/.env.local': `X="${far}"`, 'sub/.env': `PASSWORD=${near}` },
      ...{ '.env': `URL=${above}`, 'docs/db.md': words },
    });
    writeFileSync(ports.spec.prompt_file!, words);
    journal.append('agent.text', { text: words });
    const inquiry = ask(`${words} docs/db.md`);
    const spec = { ...ports.spec, cwd };
    const secretive: GatherPorts = { ...ports, spec, env: { HOME: root, MY_TOKEN: env }, secrets: () => [typed] };
    const bare = makePack({ ...(await gather(secretive, inquiry, { for: 'answer' })), hide: (text) => text });
    for (const secret of all) expect(bare.prompt.split(secret).length - 1).toBe(5);
    const pack = makePack(await gather(secretive, inquiry, { for: 'answer' }));
    expect(pack.sources).toHaveLength(4);
    for (const secret of all) expect(JSON.stringify(pack)).not.toContain(secret);
  });

  test('C24: whatever a question names, nothing from outside the folder gets in', async () => {
    const { root, cwd, ports, ask } = session({ 'ROADMAP.md': 'a', 'in/side.md': 'b', '.env': 'c' });
    symlinkSync(root, join(cwd, 'in/up'));
    const part = fc.constantFrom(
      '..',
      '.',
      'in',
      'up',
      'side.md',
      'outside.md',
      'project',
      '.env',
      '/',
      '//',
      '~',
      root,
      'ROADMAP.md',
      'session',
      'prompt.md',
    );
    const path = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => parts.join('/'));
    const inquiry = ask('x');
    await fc.assert(
      fc.asyncProperty(fc.array(path, { maxLength: 6 }), async (paths) => {
        const questions = [{ ...inquiry.questions![0]!, text: paths.join(' ') }];
        const { files } = await gather(ports, { ...inquiry, questions }, { for: 'answer' });
        for (const { text } of files) expect(['a', 'b']).toContain(text);
      }),
      { numRuns: 100 },
    );
  });
});
