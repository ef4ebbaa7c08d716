import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Inquiry } from '../contract/index.js';
import { answeredLines } from './answered-before.js';

const PHONE = { kind: 'viewer', viewer: 'v1', who: { kind: 'device', name: 'phone' } };
const PUSH = { command: 'git push' };
const ask = (nth: number, more: object = {}) =>
  ({
    id: `aaaa2222.${nth}`,
    session: 'aaaa2222',
    kind: 'run',
    tool: 'Bash',
    input: PUSH,
    exclusive: false,
    opened_at: '',
    ...more,
  }) as unknown as Inquiry;

/** A session whose journal has these, each asked and answered. */
function session(asked: { more?: object; verdict?: object; by?: object }[], between: object[] = []) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'before-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const dir = join(home, 'reins/sessions/aaaa2222');
  mkdirSync(dir, { recursive: true });
  const told = asked.flatMap(({ more, verdict = { kind: 'allow' }, by = PHONE }, at) => {
    const inquiry = ask(at + 1, more);
    return [
      { type: 'inquiry.opened', data: { inquiry } },
      { type: 'inquiry.answered', data: { answer: { inquiry: inquiry.id, verdict, by } } },
    ];
  });
  const lines = [...told, ...between].map((entry, at) =>
    JSON.stringify({ v: 1, seq: at + 1, ts: '2026-01-01T00:00:00.000Z', session: 'aaaa2222', ...entry }),
  );
  writeFileSync(join(dir, 'journal.jsonl'), `${lines.join('\n')}\n`);
  return { XDG_STATE_HOME: home, HOME: home };
}

const YES = {};
const NO = { verdict: { kind: 'deny' } };

it.each([
  ['never asked', [], []],
  ['once', [YES], ['you allowed exactly this once in this session']],
  ['twice', [YES, YES], ['you allowed exactly this twice in this session']],
  ['often', [YES, YES, YES], ['you allowed exactly this 3 times in this session']],
  ['no', [NO], ['you denied exactly this once in this session']],
  [
    'no at last',
    [YES, YES, NO],
    ['you allowed exactly this twice and denied it once (the last time denied) in this session'],
  ],
  [
    'described otherwise',
    [{ more: { input: { ...PUSH, description: 'Push it' } } }],
    ['you allowed exactly this once in this session'],
  ],
  ['another command', [{ more: { input: { command: 'git push --force' } } }], []],
  ['another way of running it', [{ more: { input: { ...PUSH, run_in_background: true } } }], []],
  ['another tool', [{ more: { tool: 'shell' } }], []],
  ['edited', [{ verdict: { kind: 'allow', input: { command: 'git push -n' } } }], []],
  ['by a rule', [{ by: { kind: 'rule', rule: { text: 'Bash', source: 'x' } } }], []],
  ['by a consultant', [{ by: { kind: 'consultant', adapter: 'codex' } }], []],
  ['by a program', [{ by: { ...PHONE, who: { kind: 'program', name: 'bot' } } }], []],
])('%s', (_, asked, told) => {
  expect(answeredLines(session(asked), ask(99))).toEqual(told);
});

it('questions have a memory of their own, and an inquiry is not its own past', () => {
  const env = session([YES]);
  expect(answeredLines(env, ask(99, { kind: 'question', questions: [] }))).toEqual([]);
  expect(answeredLines(env, ask(1))).toEqual([]);
});

it('only the last part of a long journal is read, and it says so', () => {
  const text = { type: 'agent.text', data: { text: 'x'.repeat(1000) } };
  expect(answeredLines(session([YES], Array(900).fill(text)), ask(99))).toEqual([
    'you allowed exactly this once in this session',
  ]);
  expect(answeredLines(session([YES], Array(3000).fill(text)), ask(99))).toEqual([]);
});

it('a journal that cannot be read is no past: what waits is listed all the same', () => {
  const env = session([YES]);
  const file = join(env.XDG_STATE_HOME, 'reins/sessions/aaaa2222/journal.jsonl');
  for (const text of ['no journal\n{}\n', '{"v":1}\n\0\0\n']) {
    writeFileSync(file, text);
    expect(answeredLines(env, ask(99))).toEqual([]);
  }
  rmSync(file);
  mkdirSync(file);
  expect(answeredLines(env, ask(99))).toEqual([]);
});

it('no journal is no past', () => {
  expect(answeredLines({ XDG_STATE_HOME: '/nowhere', HOME: '/nowhere' }, ask(99))).toEqual([]);
});
