/**
 * An agent that prints 20 000 lines and exits at once: the last line is never missing. Two hundred times through the
 * built terminal room in one process of ours, on a terminal and on pipes, and a few times through the whole command line.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fakeAgent } from './support/agents.js';
import { CLI, reins, startReins } from './support/cli.js';
import { entry } from './support/journal.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

const LINES = 20_000;
const RUNS = 200;

const WHOLE = Array.from({ length: LINES }, (_, index) => `line ${index + 1} of ${LINES}\n`).join('');

describe('the tail of the output', () => {
  test.each(['pty', 'pipe'])(
    `${RUNS} runs, %s: every line, every time`,
    async (io) => {
      const world = newWorld();
      const text = world.write('text', WHOLE);
      const script = world.write(
        join(world.root, 'runs.mjs'),
        `import { startProcess } from ${JSON.stringify(join(dirname(CLI), '..', 'terminal', 'index.js'))};
const lines = [];
for (let run = 0; run < ${RUNS}; run++) {
  const started = await startProcess({
    command: 'cat', args: [${JSON.stringify(text)}], cwd: ${JSON.stringify(world.project)}, env: process.env, io: '${io}',
    size: { cols: 80, rows: 24 }, stdin: 'closed',
  });
  if (!started.ok) throw new Error(started.reason);
  const { proc } = started;
  let count = 0, tail = '';
  proc.onOutput((chunk) => {
    const text = Buffer.from(chunk).toString('latin1');
    count += text.split('\\n').length - 1;
    tail = (tail + text).slice(-100);
  });
  await proc.exited;
  proc.close();
  if (proc.fellBack) throw new Error(proc.fellBack);
  lines.push(count + ' ' + tail.trimEnd().split('\\n').at(-1));
}
process.stdout.write(JSON.stringify(lines));
process.exit(0);`,
      );
      const child = spawn(process.execPath, [script], { env: world.env, stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await new Promise((resolve) => child.once('close', resolve));
      const lines = JSON.parse(said) as string[];
      expect(lines).toHaveLength(RUNS);
      expect(lines.filter((line) => line !== `${LINES} line ${LINES} of ${LINES}`)).toEqual([]);
    },
    180_000,
  );

  test.each(['kiro-cli', 'claude'])('through the command line, %s: all of it on stdout', async (command) => {
    const world = newWorld();
    const backend = command === 'claude' ? 'claude' : 'kiro';
    fakeAgent(world, command, {
      body: `const lines = Array.from({ length: ${LINES} }, (_, i) => 'line ' + (i + 1)); for (let at = 0; at < lines.length; at += 1000) say(lines.slice(at, at + 1000).join('\\n')); done();`,
    });
    const whole = Array.from({ length: LINES }, (_, index) => `line ${index + 1}\n`).join('');
    for (let run = 0; run < 3; run++) {
      const ended = await reins(world, ['run', '-b', backend, '--trust', 'full', '--once', '-p', 'x']);
      expect(ended.code).toBe(0);
      expect(ended.stdout === whole).toBe(true);
    }
  });

  test.each([['--no-pty'], []])('reins exec %s: all of it on stdout', async (...flags) => {
    const world = newWorld();
    const text = world.write('text', WHOLE);
    for (let run = 0; run < 5; run++) {
      const ended = await reins(world, ['exec', ...flags, '--', 'cat', text]);
      expect(ended.code).toBe(0);
      expect(ended.stdout.replaceAll('\r\n', '\n') === WHOLE).toBe(true);
    }
  });

  test.each([
    ['reins exec --no-pty', ['exec', '--no-pty', '--', 'cat', 'text'], 0],
    ['reins exec --pty', ['exec', '--pty', '--', 'cat', 'text'], LINES * 3],
    ['reins run', ['run', '-b', 'kiro', '--trust', 'full', '--once', '-p', 'x'], 0],
  ])(
    '%s with a reader that takes its time: nothing is lost when the session is over long before',
    async (_name, args, returns) => {
      const world = newWorld();
      // More than all buffers on the way, less than what would make the agent wait for its reader.
      world.write('text', WHOLE.repeat(3));
      fakeAgent(world, 'kiro-cli', { body: `print(fs.readFileSync('text', 'utf8')); done();` });
      const run = startReins(world, args);
      run.child.stdout!.pause();
      await entry(world, 'session.ended');
      const ended = Date.now();
      // Longer than a finished host waits for those it owes nothing.
      await until('the reader’s leisure', () => Date.now() - ended > 3000);
      run.child.stdout!.resume();
      const { code, stdout } = await run.done;
      expect(code).toBe(0);
      expect(stdout.length).toBe(WHOLE.length * 3 + returns);
    },
  );
});
