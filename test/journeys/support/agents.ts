/**
 * Fake agents: small programs under an agent's name that note down how they were started (arguments, directory, what
 * they read, whether their streams are terminals) and end as the real one ends a good turn. What else they do is a few
 * lines of JavaScript given by the test.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { until } from './wait.js';
import type { World } from './world.js';

export interface Call {
  argv: string[];
  cwd: string;
  stdin: string | null;
  tty: { stdin: boolean; stdout: boolean; stderr: boolean };
  pid: number;
  session: string | undefined;
}

export interface FakeAgent {
  /** What `--version` prints. */
  version?: string;
  /** Runs when it is asked for its version, after it printed it. */
  onVersion?: string;
  /** Whether it reads its standard input to the end before it goes on, unless that is a terminal. */
  reads?: boolean;
  /**
   * Runs after it noted its start: `say(text)` speaks as this agent does, `done()` ends a good turn, `forever()` keeps it
   * alive, `whenThere(file, then)` waits for a file.
   */
  body?: string;
}

/** How each agent words a text and a good end on its headless output; the others print plain text. */
const DIALECTS: Record<string, { say: string; end: string }> = {
  claude: {
    say: `line({ type: 'assistant', message: { model: 'fake', content: [{ type: 'text', text }] } })`,
    end: `line({ type: 'result', subtype: 'success', is_error: false, result: '', total_cost_usd: 0 })`,
  },
  codex: {
    say: `line({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text } })`,
    end: `line({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } })`,
  },
  gemini: {
    say: `line({ type: 'message', role: 'assistant', content: text })`,
    end: `line({ type: 'result', status: 'success' })`,
  },
};

const PLAIN = { say: `print(text + '\\n')`, end: '' };

/** Puts a program on the world's PATH, or at an absolute path; returns its path. */
export function fakeAgent(world: World, name: string, agent: FakeAgent = {}): string {
  const path = name.startsWith('/') ? name : join(world.bin, name);
  const { say, end } = DIALECTS[basename(name)] ?? PLAIN;
  writeFileSync(
    path,
    `#!${process.execPath}
const fs = require('node:fs');
const tty = require('node:tty');
if (process.argv[2] === '--version') {
  fs.writeSync(1, ${JSON.stringify(`${agent.version ?? '1.0.0'}\n`)});
  fs.appendFileSync(${JSON.stringify(`${join(world.root, basename(name))}.asked`)}, 'x');
  ${agent.onVersion ?? ''};
  process.exit(0);
}
const print = (text) => {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
};
const line = (record) => print(JSON.stringify(record) + '\\n');
const say = (text) => ${say};
const done = () => { ${end}; process.exit(0); };
const forever = () => setInterval(() => undefined, 60000);
const whenThere = (file, then) => {
  const look = setInterval(() => { if (fs.existsSync(file)) { clearInterval(look); then(); } }, 10);
};
const stdin = ${agent.reads === true} && !tty.isatty(0) ? fs.readFileSync(0, 'utf8') : null;
fs.appendFileSync(${JSON.stringify(`${join(world.root, basename(name))}.calls`)}, JSON.stringify({
  argv: process.argv.slice(2), cwd: process.cwd(), stdin, pid: process.pid, session: process.env.REINS_SESSION,
  tty: { stdin: tty.isatty(0), stdout: tty.isatty(1), stderr: tty.isatty(2) },
}) + '\\n');
${agent.body ?? `say('done by ${basename(name)}'); done();`}
`,
  );
  chmodSync(path, 0o755);
  return path;
}

export function calls(world: World, name: string): Call[] {
  try {
    return readFileSync(join(world.root, `${basename(name)}.calls`), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((row) => JSON.parse(row) as Call);
  } catch {
    return []; // it was never started
  }
}

/** The only start of an agent, as soon as it happened. */
export async function call(world: World, name: string): Promise<Call> {
  const [first, ...more] = await until(`a start of ${name}`, () => {
    const made = calls(world, name);
    return made.length > 0 ? made : undefined;
  });
  if (more.length > 0) throw new Error(`${name} was started ${more.length + 1} times`);
  return first!;
}

/** How often it was asked for its version. */
export function timesAsked(world: World, name: string): number {
  try {
    return readFileSync(join(world.root, `${name}.asked`)).length;
  } catch {
    return 0; // never
  }
}
