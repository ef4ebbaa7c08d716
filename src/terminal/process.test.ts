import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { listen, outcome, processCases, specOf, started, untilTrue } from './process.cases.js';
import { startProcess } from './process.js';

processCases('pty');
processCases('pipe');

it('gives a pty agent a terminal of the asked size, and tells it when the size changes', async () => {
  const script = `
    process.stdout.on('resize', () => { console.log('now ' + process.stdout.columns + 'x' + process.stdout.rows); process.exit(0); });
    setInterval(() => {}, 1000);
    const { TERM, COLUMNS, TMUX } = process.env;
    const isTerminal = [0, 1, 2].map((fd) => require('node:tty').isatty(fd)).join();
    console.log(isTerminal + ' ' + process.stdout.columns + 'x' + process.stdout.rows + ' ' + [TERM, COLUMNS, TMUX].join('|'));`;
  const env = { PATH: process.env.PATH ?? '', COLUMNS: '10', TMUX: '/tmp/tmux,1,0' };
  const proc = await started(
    specOf('pty', [process.execPath, '-e', script], { size: { cols: 91, rows: 33 }, env, stdin: 'closed' }),
  );
  const heard = listen(proc);
  await heard.until(/true,true,true 91x33 xterm-256color\|\|\n/);
  proc.resize({ cols: 120, rows: 40 });
  await heard.until(/now 120x40/);
  await proc.exited;
  proc.close();
});

it('survives absurd sizes', async () => {
  const { exit } = await outcome(specOf('pty', ['true'], { size: { cols: 0, rows: Number.NaN } }));
  expect(exit.code).toBe(0);
});

it('tells stdout from stderr behind pipes', async () => {
  const { out, err } = await outcome(specOf('pipe', ['sh', '-c', 'echo one; echo two >&2; echo three']));
  expect([out.toString(), err.toString()]).toEqual(['one\nthree\n', 'two\n']);
});

it('gives end of file at once where stdin is closed', async () => {
  const { text } = await outcome(specOf('pipe', ['sh', '-c', 'cat; echo end'], { stdin: 'closed' }));
  expect(text).toBe('end\n');
});

it('leaves the terminal on stdout when stdin is a file', async () => {
  const { text } = await outcome(
    specOf('pty', ['sh', '-c', '[ -t 0 ] || echo file; [ -t 1 ] && echo tty; env | grep -c REINS'], {
      stdin: { file: '/dev/null' },
    }),
  );
  expect(text).toBe('file\ntty\n0\n');
});

it('sees that echo is off while a password is asked for', async () => {
  const proc = await started(
    specOf('pty', ['sh', '-c', 'echo one; read a; stty -echo; echo two; read b; stty raw; echo three; read c']),
  );
  const heard = listen(proc);
  await heard.until(/one\n/);
  expect(await proc.ttyState()).toEqual({ echo: true, canonical: true });
  await proc.write('\r');
  await heard.until(/two\n/);
  expect(await proc.ttyState()).toEqual({ echo: false, canonical: true });
  await proc.write('\r');
  await heard.until(/three/);
  expect(await proc.ttyState()).toEqual({ echo: false, canonical: false });
  process.kill(proc.pid, 'SIGKILL');
  await proc.exited;
  expect(await proc.ttyState()).toBeUndefined();
  proc.close();
});

it('keeps the terminal of an agent that lets go of it for a moment', async () => {
  const proc = await started(
    specOf('pty', ['sh', '-c', 'exec 3>/dev/null 0<&- 1>&- 2>&-; sleep 0.3; exec >/dev/tty; echo back']),
  );
  const heard = listen(proc);
  expect(await proc.exited).toEqual({ code: 0, signal: null });
  expect(heard.text()).toBe('back\n');
});

it('falls back to pipes and says why when there is no terminal to be had', async () => {
  const noModule = () => Promise.reject(new Error('no native build for this platform\nlong advice'));
  const noPtmx = async () => ({
    spawn: () => {
      throw Object.assign(new Error('forkpty(3) failed.'), { code: 'EBADF' });
    },
  });
  for (const [loadPty, why] of [
    [noModule, 'no native build for this platform'],
    [noPtmx, 'forkpty(3) failed.'],
  ] as const) {
    const start = await startProcess(specOf('pty', ['sh', '-c', 'read x; echo "got $x"']), { loadPty });
    if (!start.ok) throw new Error(start.reason);
    const heard = listen(start.proc);
    expect(start.proc).toMatchObject({ io: 'pipe', fellBack: why });
    await start.proc.write('word\n');
    await start.proc.exited;
    expect(heard.text()).toBe('got word\n');
  }
});

it('leaves no descriptor open, here or in the next agent', async () => {
  const count = (): number => readdirSync('/proc/self/fd').length;
  await outcome(specOf('pty', ['true']));
  const before = count();
  const first = await started(specOf('pty', ['sleep', '60']));
  const { text } = await outcome(specOf('pipe', ['ls', '-l', '/proc/self/fd']));
  expect(text).toMatch(/ 0 -> /);
  expect(text).not.toMatch(/ptmx/);
  process.kill(first.pid, 'SIGKILL');
  await first.exited;
  for (let run = 0; run < 5; run += 1) await outcome(specOf('pipe', ['true'], { stdin: { file: '/dev/null' } }));
  await untilTrue(() => count() <= before);
});
