/** Who is the parent's own process, with real ones; and what it may answer, with real rules. Most of it are attacks. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Inquiry, Verdict } from '../contract/index.js';
import { liveDir, sessionsDir } from '../disk/index.js';
import { placeOf } from '../link/index.js';
import { statOf } from '../proc/index.js';
import { specFor } from './host.cases.js';
import { Parent, parentAbove } from './parent.js';
import { createPolicy } from './policy.js';
import type { SessionSpec } from './spec.js';

const ABOVE = 'k7f2m9qd';
const SIBLING = 'b7f2m9qd';
let root: string;
let env: Record<string, string>;
let started: number[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parent-'));
  env = { XDG_STATE_HOME: root };
  started = [];
  mkdirSync(liveDir(env), { recursive: true });
});

afterEach(() => {
  for (const pid of started) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // gone by itself
    }
  }
  rmSync(root, { recursive: true, force: true });
});

function isHost(id: string, pid: number, spec: Partial<SessionSpec> = {}): void {
  const dir = join(sessionsDir(env), id);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(liveDir(env), id), '');
  const host = { pid, start_ticks: statOf(pid)!.startTicks, version: '0', protocol: 1, started_at: '' };
  writeFileSync(join(dir, 'host.json'), JSON.stringify(host));
  writeFileSync(join(dir, 'session.json'), JSON.stringify({ ...specFor(), id, ...spec }));
}

/** Runs it in a group of its own, and gives the pids it prints, its own first. */
async function family(script: string, count: number): Promise<number[]> {
  const child = spawn('/bin/sh', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH! },
  });
  const pids = [child.pid!];
  for await (const line of createInterface({ input: child.stdout! })) {
    pids.push(Number(line));
    if (pids.length > count) break;
  }
  child.stdout?.destroy();
  started.push(-child.pid!, ...pids);
  return pids;
}

const facts = (spec: Partial<SessionSpec> = {}) => {
  const whole = { ...specFor(), parent: ABOVE, ...spec };
  return { spec: whole, policy: createPolicy(whole, []), env };
};
const parent = (spec: Partial<SessionSpec> = {}) => new Parent(placeOf(env, ABOVE), facts(spec));

const MARKED = `env REINS_SESSION=${ABOVE}`;
const SAYS = `sh -c 'echo $$; exec sleep 60'`;

describe('whose process it is', () => {
  const WAYS: [string, boolean, string][] = [
    ['a shell of its agent', true, `${MARKED} ${SAYS} & wait`],
    [
      'a shell below a shell, in a session of its own',
      true,
      `${MARKED} sh -c 'setsid -w ${SAYS.replaceAll("'", '"').replaceAll('$', '\\$')}; :' & wait`,
    ],
    ['one without the mark', false, `${SAYS} & wait`],
    ['one with the mark of another session', false, `env REINS_SESSION=${SIBLING} ${SAYS} & wait`],
    [
      'below one with another mark: a session of its own, or a sibling',
      false,
      `env REINS_SESSION=${SIBLING} sh -c "${MARKED} ${SAYS.replaceAll('$', '\\$')}; :" & wait`,
    ],
    ['one that left by a double fork and took the mark along', false, `(setsid ${MARKED} ${SAYS} &) ; sleep 60`],
    ['a consultation of its own', false, `env REINS_CONSULTATION=c-1 ${MARKED} ${SAYS} & wait`],
  ];
  test.each(WAYS)('%s: %s', async (_name, expected, script) => {
    const [host, caller] = await family(script, 1);
    isHost(ABOVE, host!);
    expect(parent().isOwn(caller!)).toBe(expected);
  });

  test('neither its host itself, nor what runs below another host, nor below this one, nor somebody outside', async () => {
    const [host, other, caller] = await family(
      `${MARKED} sh -c 'echo $$; sh -c "echo \\$\\$; exec sleep 60"; :' & wait`,
      2,
    );
    isHost(ABOVE, host!);
    expect(parent().isOwn(caller!)).toBe(true);
    expect(parent().isOwn(host!)).toBe(false);
    isHost(SIBLING, other!);
    expect(parent().isOwn(caller!)).toBe(false);
    expect(parent().isOwn(process.pid)).toBe(false);
    expect(parent().isOwn(1)).toBe(false);
    expect(parent().isOwn(2 ** 22 + 1)).toBe(false);
  });

  test('a session that only says it is below another has no parent', async () => {
    const [host] = await family('echo $$; sleep 60', 1);
    isHost(ABOVE, host!);
    expect(parentAbove(facts())).toBeUndefined();
    isHost(ABOVE, process.ppid);
    expect(parentAbove(facts())?.session).toBe(ABOVE);
    expect(parentAbove(facts({ parent: 'zzzz2222' }))).toBeUndefined();
  });
});

const RUN: Inquiry = {
  id: `${SIBLING}.1`,
  session: SIBLING,
  opened_at: '',
  kind: 'run',
  tool: 'Bash',
  input: { command: 'npm test' },
  exclusive: false,
} as Inquiry;
const QUESTION = {
  ...RUN,
  kind: 'question',
  tool: 'AskUserQuestion',
  input: undefined,
  questions: [{ id: 'q', text: 'Which?', options: [{ id: 'a', label: 'A' }], multi: false, free_text: false }],
} as Inquiry;
const YES: Verdict = { kind: 'allow' };
const NO: Verdict = { kind: 'deny' };
const A: Verdict = { kind: 'values', values: { q: ['a'] } };
const named = (tools: object = { defaults: { answers: 'parent' } }): Partial<SessionSpec> => {
  const spec = specFor();
  return { config: { ...spec.config, tools: { defaults: {}, ...tools } } as SessionSpec['config'] };
};
const allows = (...rules: string[]) => rules.map((text) => ({ effect: 'allow' as const, text, source: 'above' }));
const rule = (effect: 'ask' | 'deny', text: string) => ({ effect, text, source: 'here' });

describe('what it may answer', () => {
  beforeEach(() => isHost(ABOVE, process.pid, { rules: allows('Bash(npm test:*)') }));

  test('a question, and a call that its own session allows; a no always', async () => {
    const one = parent(named());
    expect(await one.refuses(QUESTION, A, {})).toBeUndefined();
    expect(await one.refuses(RUN, YES, {})).toBeUndefined();
    expect(await one.refuses({ ...RUN, input: { command: 'rm -rf x' } }, NO, {})).toBeUndefined();
  });

  test('only where it is named: for all tools, or for this one', async () => {
    expect(await parent().refuses(QUESTION, A, {})).toContain('tools.*.answers');
    expect(await parent().refuses(RUN, NO, {})).toContain('tools.*.answers');
    const one = parent(named({ AskUserQuestion: { answers: 'parent' } }));
    expect(await one.refuses(QUESTION, A, {})).toBeUndefined();
    expect(await one.refuses(RUN, YES, {})).toContain('tools.*.answers');
  });

  const NEVER: [string, Inquiry, Verdict, object, Partial<SessionSpec>, string][] = [
    ['what its own session would ask about', { ...RUN, input: { command: 'rm x' } }, YES, {}, {}, 'itself'],
    ['more than the call it may itself', { ...RUN, input: { command: 'npm test && rm x' } }, YES, {}, {}, 'itself'],
    ['what is for a person', { ...QUESTION, exclusive: true }, A, {}, {}, 'person'],
    ['not even with a no', { ...QUESTION, exclusive: true }, NO, {}, {}, 'person'],
    ['a secret', { ...QUESTION, questions: [{ ...QUESTION.questions![0]!, secret: true }] }, A, {}, {}, 'person'],
    [
      'what the user made exclusive',
      QUESTION,
      A,
      {},
      named({ defaults: { answers: 'parent' }, AskUserQuestion: { questions: { q: { exclusive: true } } } }),
      'person',
    ],
    ['for the whole session', RUN, YES, { scope: 'session' }, {}, 'once'],
    ['with another input', RUN, YES, { input: { command: 'rm x' } }, {}, 'once'],
    ['what an ask rule keeps for a person', RUN, YES, {}, { rules: [rule('ask', 'Bash(npm test:*)')] }, 'person'],
    [
      'what a deny rule may mean',
      { ...RUN, input: { command: '$TOOL x' } },
      YES,
      {},
      { rules: [rule('deny', 'Bash(rm:*)')] },
      'person',
    ],
    ['in another folder than its own', RUN, YES, {}, { cwd: '/tmp' }, 'another folder'],
    ['a result it may not read itself', { ...RUN, kind: 'deliver', input: { command: 'rm x' } }, YES, {}, {}, 'itself'],
  ];
  test.each(NEVER)('never %s', async (_name, inquiry, verdict, how, spec, why) => {
    expect(await parent({ ...named(), ...spec }).refuses(inquiry, verdict, how)).toContain(why);
  });

  test('nothing where its own rules cannot be read', async () => {
    writeFileSync(join(sessionsDir(env), ABOVE, 'session.json'), '{');
    expect(await parent(named()).refuses(RUN, YES, {})).toContain('cannot be read');
  });
});
