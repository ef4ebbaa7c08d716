/**
 * T10: what our gate adds to a tool call that a rule allows. Control door: an agent that asks and takes the time until it
 * is answered, so "no gate" is zero. Hook door: the whole life of our hook program beside Node alone.
 */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { atEnd, dir, env, program, quick, timed } from './lab.js';
import { type Findings, type Part, spread } from './report.js';
import { alternate, figure, ratio } from './stats.js';

const CALLS = quick ? 20 : 100;
const HOOKS = quick ? 5 : 15;
/** By then a session that has a hook has it. */
const HOOK_MS = 30_000;
const RULES = "rules: {allow: ['Bash(npm test:*)']}\n";

/** Speaks Claude's control protocol just enough to ask CALLS times and to write down how long each answer took. */
const ASKER = `#!/usr/bin/env node
const fs = require('node:fs');
if (process.argv.includes('--version')) { console.log('2.1.197 (Claude Code)'); process.exit(0); }
const took = []; let held = '', began = 0, asked = 0;
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
const ask = () => { began = performance.now(); asked += 1;
  say({ type: 'control_request', request_id: 'r' + asked, request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'npm test -- ' + asked }, tool_use_id: 't' + asked } }); };
process.stdin.on('data', (chunk) => { held += chunk; const lines = held.split('\\n'); held = lines.pop();
  for (const line of lines) { const message = JSON.parse(line);
    if (message.type === 'control_request') say({ type: 'control_response', response: { subtype: 'success', request_id: message.request_id, response: {} } });
    if (message.type === 'user') { say({ type: 'system', subtype: 'init', session_id: 's' }); ask(); }
    if (message.type !== 'control_response' || !String(message.response.request_id).startsWith('r')) continue;
    took.push(performance.now() - began);
    if (message.response.response.behavior !== 'allow') throw new Error('denied');
    if (asked < ${CALLS}) setImmediate(ask);
    else { fs.writeFileSync('took.json', JSON.stringify(took)); say({ type: 'result', subtype: 'success', is_error: false, result: 'ok' }); } } });
process.stdin.on('end', () => process.exit(0));
`;

async function controlDoor(): Promise<number[]> {
  const place = join(dir, 'gate-control');
  const bin = join(place, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'claude'), ASKER);
  chmodSync(join(bin, 'claude'), 0o755);
  writeFileSync(join(place, 'reins.yml'), RULES);
  const argv = [process.execPath, program, 'run', '-b', 'claude', '--once', '-q', 'go'];
  await timed(argv, { cwd: place, env: { ...env, PATH: [bin, env.PATH].join(delimiter) } });
  return JSON.parse(readFileSync(join(place, 'took.json'), 'utf8')) as number[];
}

/** The hook of a living session as its agent calls it: a line of shell, and the file that tells where the host is. */
async function hookOfSession(): Promise<string[]> {
  const folder = join(dir, 'gate-hook');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'reins.yml'), RULES);
  const started = spawn(process.execPath, [program, 'run', '-i', '-d', '-b', 'practice', '--idle-timeout', '0'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const id = await new Promise<string>((resolve) => {
    let text = '';
    started.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    started.once('close', () => resolve(text.trim()));
  });
  atEnd(() => timed([process.execPath, program, 'kill', id]));
  const place = (name: string) => join(env.XDG_STATE_HOME!, 'reins', 'sessions', id, 'hook', name);
  const end = Date.now() + HOOK_MS;
  while (!existsSync(place('hook.json'))) {
    if (Date.now() > end) throw new Error(`there is no hook for session ${id}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return ['/bin/sh', place('hook.sh'), place('hook.json'), 'PreToolUse'];
}

const EVENT = {
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'npm test' },
  tool_use_id: 't1',
  session_id: 's',
};

async function run(): Promise<Findings> {
  const control = await controlDoor();
  const hook = await hookOfSession();
  // By a pipe, as agents give it.
  const stdin = JSON.stringify(EVENT);
  const bare = [process.execPath, '-e', '0'];
  const { taken } = await alternate(
    [
      { name: 'node -e 0', once: () => timed(bare, { stdin }) },
      { name: 'reins-hook', once: () => timed(hook, { stdin }) },
    ],
    HOOKS,
  );
  const node = taken.get('node -e 0') ?? [];
  const hooks = taken.get('reins-hook') ?? [];
  return {
    claims: [
      {
        id: 'T10',
        what: 'gate, control door: a rule allows a call',
        found: `${spread(figure(control))} ms added, ${control.length} calls`,
        value: figure(control).median,
        unit: ' ms',
        must: 5,
        aim: 1,
        better: 'less',
      },
      {
        id: 'T10',
        what: 'gate, hook door: the hook as agents call it, start to end, a rule allows a call',
        found: `${spread(figure(hooks))} ms, \`node -e 0\` ${spread(figure(node))} ms`,
        value: ratio(hooks, node).median,
        unit: 'x node',
        must: 1.5,
        aim: 1.1,
        better: 'less',
      },
    ],
    tables: [],
    notes: ['The first call at the control door loads the shell grammar; it is in the spread, not in the median.'],
  };
}

export const gate: Part = { name: 'gate', title: 'T10 The gate', run };
