/** The rules of the house, checked by a machine: floors, faces, sizes, documents. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CODES } from '../src/contract/index.js';
import { generated } from '../src/testing/generated.js';

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');

/** Lower floors know nothing of higher ones; rooms on one floor do not know each other. */
const FLOORS: Record<string, number> = {
  contract: 0,
  config: 1,
  decisions: 1,
  log: 1,
  proc: 1,
  journal: 1,
  disk: 1,
  vt: 1,
  consult: 2,
  policy: 2,
  loop: 2,
  terminal: 2,
  adapters: 2,
  link: 2,
  notify: 2,
  host: 3,
  hook: 3,
  testing: 3,
  sessions: 4,
  mcp: 5,
  hub: 5,
  // Runs in a browser, built apart: it knows the contract alone.
  web: 1,
  library: 5,
  // The front door to all of them.
  cli: 6,
};

/** Doors of a room besides index.ts, each with its reason. */
const FACES = new Set([
  'contract/digest.js', // of what an inquiry shows, which an answer may name and a host rarely reads
  'contract/page.js', // what a page and the hub say to each other, which nobody else needs
  'contract/schemas.js', // zod, kept apart because it costs start-up time
  'adapters/tuis/prompts.js', // prompts of programs nobody knows, without any agent, for the same reason
  'adapters/loaded.js', // the agents of one session without the others, for the same reason
  'config/worn.js', // who wears a hat: a host needs it, and none of the schema
  'config/quick.js', // the defaults without zod and yaml, for the same reason
  'terminal/keys.js', // keys by their names, which are rarely pressed, for the same reason
  'terminal/find.js', // a look along PATH without the emulator, the recording and the rest, for the same reason
  'policy/about.js', // which tools a rule is about, without the reading of commands, for the same reason
  'policy/cascade.js', // who may answer a question, for the same reason
  'notify/messenger.js', // what sends, which few hosts need, for the same reason
  'notify/lane.js', // tries again, with a bound: for who sends something else
  'notify/tell-died.js', // for who noticed that a host is dead, for the same reason
  'notify/trial.js', // one message to each, which only `notify test` and `doctor` need, for the same reason
  'host/notify-command.js', // the user's command, for the same reason
  'contract/ids.js', // names without the rest, for the same reason
  'terminal/recording-read.js', // reading recordings, which no host does
  'link/emit-drop.js', // events out of a sandbox, which only loops and `emit` need
  'link/memory.js', // both ends in one process, for who embeds a host
  'link/serve.js', // the host's end, which no command needs
  'proc/repository.js', // what git knows about files, without what everyone needs of processes, for the same reason
  'proc/worktrees.js', // worktrees of ours, which few commands make or look at, for the same reason
  'sessions/worktrees.js', // those with their sessions, for the same reason
  'sessions/decisions.js', // what was decided, which loads the reading of answers, for the same reason
  'sessions/digest.js', // a look through all journals, for the same reason
  'sessions/inside.js', // whether this very process is inside a session, for the same reason
  'proc/peer.js', // how a process shows which one it is, which nobody needs who only looks
  'proc/telling.js', // whether a file of another process is true now, which only who lists needs
  'proc/reads-terminal.js', // who waits at a terminal, which only a host asks, and late
  'proc/tcp-peer.js', // who holds the other end of a connection, which a hub alone asks
  'proc/inside.js', // whether a process belongs to a session, for the same reason
  'host/consult/ready.js', // whether somebody could be consulted, which only doctor asks, without the host
  'host/lost-inquiries.js', // what waited when a host was lost, without the host that goes on with it
  'journal/journal.js', // writing one, which its host does, without the reading of files that others wrote
  'journal/read.js', // reading those without the writing, for the same reason
  'link/begin.js', // the birth of a host without sockets and frames, for the same reason
  'sessions/emit.js', // an event from inside, which only `emit` needs
  'sessions/run.js', // starting an agent, which loads config, agents and policy: what only looks needs none of them
  'sessions/start.js', // a session started and reached, without the rest, for the same reason
  'journal/lost.js', // what of its inquiries was lost, which no start asks, for the same reason
  'vt/strip.js', // output without its sequences, which no host needs at its start
  'vt/plain.js', // text for a model to read, which no host needs at its start
  'hub/local.js', // the hub's files without its server, for who only lets in and out
  'testing/practice-agent.js',
]);

/** Declared in more than one file, each with its reason. */
const TWICE = [
  'Screen', // the contract's is what the command of that name gives, a public name; the terminal's is the glossary's
];

/** They load before a session's start is over, or are what loads the rest then; or they are no part of a host (a viewer's end). */
const AT_THE_START = new Set([
  'link/client.ts',
  'host/main.ts',
  'host/modes/create.ts',
  'host/at-rest.ts',
  'adapters/loaded.ts',
]);

/** Loaded when wanted, by `once`, and at rest: afterwards the files may be another build's, or gone. */
const LATE = [
  'host/commands.ts: ./answering.js',
  'host/commands.ts: ./consult/rehearsal.js',
  'host/consult/answers.ts: ./memory.js',
  'host/consult/lazy.ts: ./consultant.js',
  'host/doors/companion.ts: ws',
  'host/doors/quiet.ts: ./terminal-asks.js',
  'host/host.ts: ./messages.js',
  'host/messages.ts: ./queue.js',
  'host/modes/exec.ts: ../doors/quiet.js',
  'host/modes/exec.ts: ../stages.js',
  'host/policy.ts: ../policy/index.js',
  'policy/shell.ts: web-tree-sitter',
  'terminal/emulator.ts: @xterm/headless',
  'terminal/process.ts: ./apart.js',
  'terminal/process.ts: ./strangers.js',
  'terminal/pty.ts: @lydell/node-pty',
  'terminal/screen.ts: ./emulator.js',
];

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(c?ts|tsx)$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(src, name), 'utf8') }));
const production = files.filter(({ name }) => !/\.(test|cases)\.ts$/.test(name));

function imports(text: string): { path: string; typeOnly: boolean }[] {
  const found = text.matchAll(/(import|export)(\s+type)?[^'";]*?from\s+'([^']+)'|import\('([^']+)'\)/g);
  return [...found].map((match) => ({ path: match[3] ?? match[4]!, typeOnly: match[2] !== undefined }));
}

const roomOf = (name: string): string => (name.includes('/') ? name.split('/')[0]! : '');

describe('the house', () => {
  it('looked at the whole of it', () => {
    expect(files.length).toBeGreaterThan(150);
    expect(new Set(production.map(({ name }) => roomOf(name)).filter(Boolean))).toEqual(new Set(Object.keys(FLOORS)));
    expect(production.flatMap(({ text }) => imports(text)).length).toBeGreaterThan(500);
  });

  it('imports downward only, through the front door', () => {
    const wrong: string[] = [];
    for (const { name, text } of production) {
      const room = roomOf(name);
      if (room === '') continue;
      for (const { path, typeOnly } of imports(text)) {
        if (!path.startsWith('.')) continue;
        const target = relative(src, join(src, dirname(name), path));
        const other = roomOf(target);
        if (other === room || other === '') continue;
        const lower = FLOORS[other]! < FLOORS[room]!;
        if (!lower) wrong.push(`${name} (floor ${FLOORS[room]}) imports ${target} (floor ${FLOORS[other]})`);
        if (target !== `${other}/index.js` && !FACES.has(target) && !(typeOnly && other === 'contract')) {
          wrong.push(`${name} goes past ${other}/index.ts: ${target}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('loads config values in the room for sessions only', () => {
    const wrong = production
      .filter(({ name }) => !['config', 'sessions', 'testing', ''].includes(roomOf(name)))
      .filter(({ text }) => /\bloadConfig\b/.test(text))
      .map(({ name }) => name);
    expect(wrong).toEqual([]);
  });

  it('loads late, in a host, only what it also loads at rest (host/at-rest.ts, decision 037)', () => {
    const late = production
      .filter(
        ({ name }) => FLOORS[roomOf(name)]! <= FLOORS.host! && !['config', 'testing', 'web'].includes(roomOf(name)),
      )
      .filter(({ name }) => !AT_THE_START.has(name))
      .flatMap(({ name, text }) => {
        const imported = [...text.matchAll(/(?<!typeof )import\('(?!node:)([^']+)'\)(?!\.[A-Z])/g)];
        const required = [...text.matchAll(/createRequire\(import\.meta\.url\)\('([^']+)'\)/g)];
        return [...imported, ...required].map((match) => `${name}: ${match[1]}`);
      });
    expect(late.sort()).toEqual(LATE);
  });

  it('gives a type’s name to one thing only', () => {
    const files = new Map<string, Set<string>>();
    for (const { name, text } of production)
      for (const [, type] of text.matchAll(/^(?:export )?(?:abstract )?(?:type|interface|class|enum) ([A-Z]\w*)/gm))
        files.set(type!, (files.get(type!) ?? new Set()).add(name));
    const twice = [...files].filter(([, names]) => names.size > 1).map(([type]) => type);
    expect(twice).toEqual(TWICE);
  });

  it('keeps files small, tests too', () => {
    const elsewhere = ['test', 'bench', 'scripts'].flatMap((dir) =>
      readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(ts|mjs)$/.test(name))
        .map((name) => ({ name: join(dir, name), text: readFileSync(join(root, dir, name), 'utf8') })),
    );
    const lines = (text: string): number => text.trimEnd().split('\n').length;
    const long = [...files, ...elsewhere]
      .filter(({ text }) => lines(text) > 400)
      .map(({ name, text }) => `${name}: ${lines(text)} lines`);
    expect(long).toEqual([]);
  });

  it('writes to the standard streams in one file only', () => {
    // The hook, the host's first word, the version and the practice agent are programs of their own.
    const programs = ['cli/channels.ts', 'cli/main.ts', 'hook/main.cts', 'host/main.ts'];
    const wrong = production
      .filter(({ name }) => !programs.includes(name) && !name.startsWith('testing/'))
      .filter(({ text }) => /process\.(stdout|stderr)\.write|\bconsole\./.test(text))
      .map(({ name }) => name);
    expect(wrong).toEqual([]);
  });

  it('uses every error code', () => {
    const text = production
      .filter(({ name }) => name !== 'contract/errors.ts')
      .map((file) => file.text)
      .join('\n');
    const unused = Object.keys(CODES).filter((code) => !text.includes(`'${code}'`));
    expect(unused).toEqual([]);
  });

  it.each(Object.keys(generated((name) => readFileSync(join(root, name), 'utf8'))))(
    'has %s as the code would write it (npm run docs)',
    (name) => {
      expect(existsSync(join(root, name)) && readFileSync(join(root, name), 'utf8')).toBe(
        generated((name) => readFileSync(join(root, name), 'utf8'))[name],
      );
    },
  );

  it('has every file that docs/ARCHITECTURE.md names', () => {
    const text = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8');
    const named = [...text.matchAll(/`(?:src\/)?([\w/.-]+\.(?:tsx?|cts|css))`/g)].map((match) => match[1]!);
    expect(named.length).toBeGreaterThan(200);
    const there = [...readdirSync(src, { recursive: true, encoding: 'utf8' }), 'test/house.test.ts'];
    expect(named.filter((name) => !there.some((one) => one === name || one.endsWith(`/${name}`)))).toEqual([]);
  });

  it('says nothing of the machine it was made on', () => {
    const wrong = files.filter(({ text }) => /\/(w[o]rk|f[a]rm)\/[a-z.]/.test(text)).map(({ name }) => name);
    expect(wrong).toEqual([]);
  });
});
