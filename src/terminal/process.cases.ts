/** One suite for every way an agent can be run: what `Proc` promises, with real processes. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Exit, type Proc, type ProcessSpec, startProcess } from './process.js';
import { procTable } from './table.js';

const ENV = { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: tmpdir(), LANG: 'C.UTF-8' };

export const specOf = (io: 'pty' | 'pipe', argv: string[], more: Partial<ProcessSpec> = {}): ProcessSpec => {
  const [command = 'true', ...args] = argv;
  return { command, args, cwd: tmpdir(), env: ENV, io, size: { cols: 80, rows: 24 }, stdin: 'open', ...more };
};

export async function started(spec: ProcessSpec): Promise<Proc> {
  const start = await startProcess(spec);
  if (!start.ok) throw new Error(`${start.code}: ${start.reason}`);
  return start.proc;
}

/** Runs to the end; a terminal's CR LF is folded so that both ways compare. */
export async function outcome(spec: ProcessSpec): Promise<{ text: string; out: Buffer; err: Buffer; exit: Exit }> {
  const proc = await started(spec);
  const heard = listen(proc);
  const exit = await proc.exited;
  proc.close();
  return { text: heard.text(), out: heard.bytes('out'), err: heard.bytes('err'), exit };
}

export function listen(proc: Proc) {
  const chunks: { chunk: Uint8Array; stream: 'out' | 'err' }[] = [];
  const waiting = new Set<() => void>();
  proc.onOutput((chunk, stream) => {
    chunks.push({ chunk, stream });
    for (const check of waiting) check();
  });
  const bytes = (stream: 'out' | 'err'): Buffer =>
    Buffer.concat(chunks.filter((one) => one.stream === stream).map((one) => one.chunk));
  const text = (): string => bytes('out').toString('utf8').replaceAll('\r\n', '\n');
  return {
    bytes,
    text,
    length: () => chunks.reduce((sum, { chunk }) => sum + chunk.length, 0),
    until: (wanted: RegExp): Promise<RegExpExecArray> =>
      new Promise((resolve) => {
        const check = (): void => {
          const match = wanted.exec(text());
          if (!match) return;
          waiting.delete(check);
          resolve(match);
        };
        waiting.add(check);
        check();
      }),
  };
}

export const untilTrue = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
};

const node = (script: string): string[] => [process.execPath, '-e', script];

export function processCases(io: 'pty' | 'pipe'): void {
  describe(`a process behind a ${io}`, () => {
    let dir = '';
    const open: Proc[] = [];
    const keep = async (spec: ProcessSpec): Promise<Proc> => {
      const proc = await started(spec);
      open.push(proc);
      return proc;
    };

    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), 'reins-proc-'));
    });
    afterEach(async () => {
      for (const proc of open.splice(0)) {
        proc.release();
        if (procTable.row(proc.pid)?.sid === proc.pid) process.kill(-proc.pid, 'SIGKILL');
        await proc.exited;
        proc.close();
        proc.close();
      }
      await rm(dir, { recursive: true });
    });

    it('passes exit codes on', async () => {
      expect((await outcome(specOf(io, ['sh', '-c', 'exit 0']))).exit).toEqual({ code: 0, signal: null });
      expect((await outcome(specOf(io, ['sh', '-c', 'exit 7']))).exit).toEqual({ code: 7, signal: null });
    });

    it('does not take a death by signal for success', async () => {
      expect((await outcome(specOf(io, ['sh', '-c', 'kill -KILL $$']))).exit).toEqual({
        code: null,
        signal: 'SIGKILL',
      });
      expect((await outcome(specOf(io, ['sh', '-c', 'kill -TERM $$']))).exit).toEqual({
        code: null,
        signal: 'SIGTERM',
      });
    });

    it('never loses the last line of a flood, 20 times over', async () => {
      for (let run = 0; run < 20; run += 1) {
        const { text } = await outcome(specOf(io, ['seq', '1', '20000']));
        const lines = text.split('\n');
        expect(lines.at(-2)).toBe('20000');
        expect(lines).toHaveLength(20_001);
      }
    });

    it('delivers what a process that exits at once wrote, also when nobody read yet', async () => {
      const proc = await keep(specOf(io, ['sh', '-c', 'printf %s only-words']));
      proc.hold();
      const heard = listen(proc);
      await untilTrue(() => procTable.row(proc.pid) === undefined);
      expect(heard.length()).toBe(0);
      proc.release();
      await proc.exited;
      expect(heard.text()).toBe('only-words');
    });

    it('keeps the tail of a process that ended while held', async () => {
      // Node opens /proc/self/fd by itself to list it, both times.
      const before = readdirSync('/proc/self/fd').length;
      const proc = await keep(specOf(io, ['sh', '-c', 'seq 1 300; printf %s END']));
      const heard = listen(proc);
      proc.hold();
      let isOver = false;
      void proc.exited.then(() => {
        isOver = true;
      });
      await untilTrue(() => procTable.row(proc.pid) === undefined);
      // Every timer on the way has fired: our end is closed, and the tail must have survived it.
      await untilTrue(() => readdirSync('/proc/self/fd').length <= before);
      expect(isOver).toBe(false);
      proc.release();
      await proc.exited;
      expect(heard.text()).toMatch(/^1\n2\n[\s\S]*\n300\nEND$/);
    });

    it('is byte-exact, with every byte there is and characters split anywhere', async () => {
      const script = `
        if (process.stdout.isTTY) require('node:child_process').execFileSync('stty', ['raw', '-echo'], { stdio: 'inherit' });
        const all = Buffer.from(Array.from({ length: 256 * 64 }, (_, i) => (i * 7) & 255));
        const text = Buffer.from('äöü😀'.repeat(500));
        const bytes = Buffer.concat([all, text]);
        for (let at = 0; at < bytes.length; ) {
          try { at += require('node:fs').writeSync(1, bytes.subarray(at, at + 3)); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
        }`;
      const { out } = await outcome(specOf(io, node(script)));
      const all = Buffer.from(Array.from({ length: 256 * 64 }, (_, at) => (at * 7) & 255));
      expect(out.equals(Buffer.concat([all, Buffer.from('äöü😀'.repeat(500))]))).toBe(true);
    });

    it('blocks a flood while held and lets it go on afterwards', async () => {
      const total = 8 * 1024 * 1024;
      const count = join(dir, 'count');
      const script = `
        const fs = require('node:fs');
        if (process.stdout.isTTY) require('node:child_process').execFileSync('stty', ['raw'], { stdio: 'inherit' });
        const part = Buffer.alloc(4096, 97);
        for (let sent = 0; sent < ${total}; ) {
          try { sent += fs.writeSync(1, part); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
          fs.writeFileSync(${JSON.stringify(count)}, String(sent));
        }`;
      const proc = await keep(specOf(io, node(script)));
      const heard = listen(proc);
      await untilTrue(() => heard.length() > 100_000);
      proc.hold();
      const atHold = heard.length();
      const sent = (): number => Number(readIfThere(count));
      let before = -1;
      while (sent() !== before) {
        before = sent();
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
      expect(before).toBeLessThan(total);
      // Kernel buffers and one stream buffer, nothing that grows.
      expect(before - atHold).toBeLessThan(1024 * 1024);
      expect(heard.length()).toBe(atHold);
      proc.release();
      expect(await proc.exited).toEqual({ code: 0, signal: null });
      expect(heard.length()).toBe(total);
    });

    it('starts in the directory it was given, with the environment it was given', async () => {
      const { text } = await outcome(
        specOf(io, ['sh', '-c', 'pwd; echo "$X|$REINS_STDIN_FILE"'], { cwd: dir, env: { ...ENV, X: 'y z' } }),
      );
      expect(text).toBe(`${realpathSync(dir)}\ny z|\n`);
    });

    it('is the leader of its own session and group', async () => {
      const proc = await keep(specOf(io, ['sleep', '60']));
      await untilTrue(() => procTable.row(proc.pid)?.sid === proc.pid);
      expect(procTable.row(proc.pid)).toMatchObject({ pgid: proc.pid, sid: proc.pid });
    });

    it('carries large input to a slow reader without losing a byte', async () => {
      const script = `
        if (process.stdin.isTTY) process.stdin.setRawMode(true);
        console.log('ready');
        let got = 0, sum = 0;
        process.stdin.on('data', (chunk) => {
          got += chunk.length;
          for (const byte of chunk) sum = (sum * 31 + byte) % 1000003;
          process.stdin.pause();
          setTimeout(() => process.stdin.resume(), 1);
          if (got >= 400000) { console.log('sum=' + sum); process.exit(0); }
        });`;
      const proc = await keep(specOf(io, node(script)));
      const heard = listen(proc);
      await heard.until(/ready/);
      const bytes = Buffer.from(Array.from({ length: 400_000 }, (_, at) => 32 + (at % 90)));
      let sum = 0;
      for (const byte of bytes) sum = (sum * 31 + byte) % 1_000_003;
      expect(await Promise.all([proc.write(bytes.subarray(0, 150_001)), proc.write(bytes.subarray(150_001))])).toEqual([
        'written',
        'written',
      ]);
      expect((await heard.until(/sum=(\d+)/))[1]).toBe(String(sum));
    });

    it('says full instead of hoarding, and gone when there is no one', async () => {
      const proc = await keep(
        specOf(
          io,
          node(
            `process.stdin.setRawMode?.(true); process.stdin.pause(); console.log('ready'); setInterval(() => {}, 1000)`,
          ),
        ),
      );
      const heard = listen(proc);
      await heard.until(/ready/);
      const part = Buffer.alloc(300_000, 97);
      const writes = Array.from({ length: 8 }, () => proc.write(part));
      expect(await writes[7]).toBe('full');
      process.kill(proc.pid, 'SIGKILL');
      await proc.exited;
      expect(await writes[1]).toBe('gone');
      expect(await proc.write('x')).toBe('gone');
      proc.resize({ cols: 100, rows: 30 });
      proc.endInput();
    });

    it('reads a file as stdin, whatever its name, and then end of file', async () => {
      const file = join(dir, `it's "a" $(touch x) file;`);
      writeFileSync(file, 'from the file\nno newline');
      const { text, exit } = await outcome(
        specOf(io, ['sh', '-c', 'cat; printf "|%s|%s" "$1" "$#"', 'me', '$(x) `y` "z"'], { stdin: { file } }),
      );
      expect(text).toBe('from the file\nno newline|$(x) `y` "z"|1');
      expect(exit.code).toBe(0);
    });

    it('ends input', async () => {
      const proc = await keep(specOf(io, ['cat']));
      const heard = listen(proc);
      expect(await proc.write('line\nhalf')).toBe('written');
      proc.endInput();
      expect(await proc.exited).toEqual({ code: 0, signal: null });
      expect(heard.text()).toMatch(/line\n[\s\S]*half/);
    });

    it('ends although a background child keeps the output open', async () => {
      const proc = await keep(specOf(io, ['sh', '-c', 'setsid sleep 60 & echo $!; exit 3']));
      const heard = listen(proc);
      expect(await proc.exited).toEqual({ code: 3, signal: null });
      const child = Number(heard.text());
      if (procTable.row(child)) process.kill(child, 'SIGKILL');
      expect(child).toBeGreaterThan(1);
    });

    it('keeps output for a listener that comes after the exit', async () => {
      const proc = await keep(specOf(io, ['echo', 'early']));
      await proc.exited;
      const heard = listen(proc);
      await heard.until(/early\n/);
    });

    it('loses nothing of a flood that came before anyone listened', async () => {
      const proc = await keep(specOf(io, ['sh', '-c', 'head -c 5000000 /dev/zero; printf END']));
      await new Promise((resolve) => setImmediate(resolve));
      const heard = listen(proc);
      await proc.exited;
      expect(heard.length()).toBe(5_000_003);
      expect(heard.bytes('out').subarray(-3).toString()).toBe('END');
    });

    it('says what is wrong before it starts anything', async () => {
      const plain = join(dir, 'plain');
      writeFileSync(plain, 'echo hi\n', { mode: 0o644 });
      const broken = join(dir, 'broken');
      writeFileSync(broken, '#!/no/such/interpreter\n', { mode: 0o755 });
      const cases: [ProcessSpec, string, RegExp][] = [
        [specOf(io, ['true'], { cwd: join(dir, 'none') }), 'CWD_INACCESSIBLE', /does not exist/],
        [specOf(io, ['true'], { cwd: plain }), 'CWD_INACCESSIBLE', /not a directory/],
        [specOf(io, ['no-such-agent-here']), 'AGENT_NOT_FOUND', /not on PATH/],
        [specOf(io, ['./none'], { cwd: dir }), 'AGENT_NOT_FOUND', /does not exist/],
        [specOf(io, ['./plain'], { cwd: dir }), 'AGENT_UNSTARTABLE', /not executable/],
        [specOf(io, [dir]), 'AGENT_UNSTARTABLE', /is a directory/],
        [specOf(io, [broken]), 'AGENT_UNSTARTABLE', /no\/such\/interpreter/],
        [specOf(io, ['cat'], { stdin: { file: join(dir, 'none') } }), 'AGENT_UNSTARTABLE', /cannot be read/],
      ];
      for (const [spec, code, reason] of cases) {
        const start = await startProcess(spec);
        expect(start).toMatchObject({ ok: false, code });
        expect(start.ok ? '' : start.reason).toMatch(reason);
      }
    });

    it('may be closed twice, and before the end', async () => {
      const proc = await keep(specOf(io, ['sh', '-c', 'echo up; exec sleep 60']));
      await listen(proc).until(/up/);
      proc.close();
      proc.close();
      expect(await proc.write('x')).toBe('gone');
      if (io === 'pipe') process.kill(proc.pid, 'SIGKILL');
      expect((await proc.exited).signal).toBe(io === 'pipe' ? 'SIGKILL' : 'SIGHUP');
    });
  });
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not written yet.
    return '0';
  }
}
