/**
 * T11: how long a question is under way to whoever answers it, and the answer back to the agent. An agent on the two-way
 * door writes down when it asked and when it heard; a program that asks at its terminal does the same. The answerer is a
 * program with the library, which answers at once.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type * as reins from '../src/index.js';
import { atEnd, dir, dist, env, quick } from './lab.js';
import { type Findings, type Part, spread } from './report.js';
import { figure } from './stats.js';

const QUESTIONS = quick ? 5 : 20;

interface Times {
  asked: number[];
  heard: number[];
}

/** Speaks Claude's control protocol just enough to ask one question after the other. */
const AGENT = `#!/usr/bin/env node
const fs = require('node:fs');
if (process.argv.includes('--version')) { console.log('2.1.197 (Claude Code)'); process.exit(0); }
const asked = [], heard = []; let held = '';
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
const ask = () => { const n = asked.push(Date.now());
  const questions = [{ question: 'Which one, for the ' + n + 'th time?', header: 'Which', multiSelect: false, options: [{ label: 'A' }, { label: 'B' }] }];
  say({ type: 'control_request', request_id: 'r' + n, request: { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input: { questions }, tool_use_id: 't' + n } }); };
process.stdin.on('data', (chunk) => { held += chunk; const lines = held.split('\\n'); held = lines.pop();
  for (const line of lines) { const message = JSON.parse(line);
    if (message.type === 'control_request') say({ type: 'control_response', response: { subtype: 'success', request_id: message.request_id, response: {} } });
    if (message.type === 'user') { say({ type: 'system', subtype: 'init', session_id: 's' }); ask(); }
    if (message.type !== 'control_response' || !String(message.response.request_id).startsWith('r')) continue;
    heard.push(Date.now());
    if (asked.length < ${QUESTIONS}) setTimeout(ask, 50);
    else { fs.writeFileSync('times.json', JSON.stringify({ asked, heard })); say({ type: 'result', subtype: 'success', is_error: false, result: 'ok' }); } } });
process.stdin.on('end', () => process.exit(0));
`;

/** Asks at its terminal, as installers do; the shell stands in a read of it. */
const PROGRAM = `i=0; : > asked; : > heard
while [ $i -lt ${QUESTIONS} ]; do i=$((i+1))
  printf 'Go on with step %s? [y/N] ' $i; date +%s%3N >> asked
  read -r x; date +%s%3N >> heard
done
`;

/** When each question came to the answerer, which answers it with the first option. */
function answering(session: Awaited<ReturnType<typeof reins.startSession>>): { opened: number[] } {
  const opened: number[] = [];
  session.onInquiry(
    ({ questions }) => {
      opened.push(Date.now());
      return questions?.[0]?.options[0]?.label ?? 'deny';
    },
    { person: true },
  );
  return { opened };
}

async function headless(library: typeof reins): Promise<Times & { opened: number[] }> {
  const cwd = join(dir, 'asked-headless');
  mkdirSync(join(cwd, 'bin'), { recursive: true });
  writeFileSync(join(cwd, 'bin', 'claude'), AGENT);
  chmodSync(join(cwd, 'bin', 'claude'), 0o755);
  const path = [join(cwd, 'bin'), env.PATH].join(delimiter);
  const session = await library.startSession({
    agent: 'claude',
    cwd,
    prompt: 'go',
    once: true,
    env: { ...env, PATH: path },
  });
  atEnd(() => session.stop());
  const { opened } = answering(session);
  await session.wait();
  return { ...(JSON.parse(readFileSync(join(cwd, 'times.json'), 'utf8')) as Times), opened };
}

async function atTerminal(library: typeof reins): Promise<Times & { opened: number[] }> {
  const cwd = join(dir, 'asked-terminal');
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, 'asks.sh'), PROGRAM);
  const session = await library.startSession({ command: ['/bin/sh', 'asks.sh'], cwd, env });
  atEnd(() => session.stop());
  const { opened } = answering(session);
  await session.wait();
  const times = (name: string) => readFileSync(join(cwd, name), 'utf8').trim().split('\n').map(Number);
  return { asked: times('asked'), heard: times('heard'), opened };
}

const between = (from: number[], to: number[]) => to.map((at, index) => at - (from[index] ?? Number.NaN));

async function run(): Promise<Findings> {
  Object.assign(process.env, {
    XDG_STATE_HOME: env.XDG_STATE_HOME,
    XDG_CONFIG_HOME: env.XDG_CONFIG_HOME,
    HOME: env.HOME,
  });
  const library = (await import(join(dist, 'index.js'))) as typeof reins;
  const protocol = await headless(library);
  const terminal = await atTerminal(library);
  const rows = [
    { name: 'a protocol (control door)', times: protocol },
    { name: 'a program’s prompt at its terminal', times: terminal },
  ].map(({ name, times: { asked, opened, heard } }) => {
    if (opened.length !== QUESTIONS || heard.length !== QUESTIONS)
      throw new Error(`${name}: ${opened.length} of ${QUESTIONS} questions came, ${heard.length} answers`);
    return { name, there: between(asked, opened), back: between(opened, heard) };
  });
  const [first] = rows;
  const claim = (what: string, ms: number[], must: number, aim: number) => ({
    id: 'T11',
    what,
    found: `${spread(figure(ms))} ms`,
    value: figure(ms).median,
    unit: ' ms',
    ...{ must, aim, better: 'less' as const },
  });
  return {
    claims: [
      claim('from an agent’s question to whoever answers', first!.there, 300, 100),
      claim('from the answer to the agent', first!.back, 200, 80),
    ],
    tables: [
      {
        title: 'ms, each the median with least and most:',
        head: ['Asked over', 'question → answerer', 'answer → agent'],
        rows: rows.map(({ name, there, back }) => [name, spread(figure(there)), spread(figure(back))]),
      },
    ],
    notes: [
      'A prompt at a terminal is believed after 300 ms of quiet and two looks 100 ms apart; its answer is typed with a look before Enter (decision 053).',
    ],
  };
}

export const asked: Part = { name: 'asked', title: 'T11 From a question to its answer', run };
