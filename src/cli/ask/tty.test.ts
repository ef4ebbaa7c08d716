/**
 * The asker on a real terminal, its three standard streams redirected: "Works for `reins run >out 2>err <in`".
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import headless from '@xterm/headless';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Inquiry } from '../../contract/index.js';
import { asked, inquiryOf } from './ask.cases.js';

const PROGRAM = fileURLToPath(new URL('ask-program.cases.ts', import.meta.url));
const TSX = import.meta.resolve('tsx');
const PATIENCE_MS = 20_000;

let folder: string;
let started: pty.IPty | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reins-ask-'));
});
afterEach(() => {
  started?.kill('SIGKILL');
  started = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function until(what: string, isSo: () => boolean, state: () => string): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !isSo(); await sleep(10)) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}\n${state()}`);
  }
}

/**
 * The program on a terminal; after it a shell says how the terminal is set, so that it must have been given back. The
 * shell stays until it was read: the last bytes of one that ends may be lost to a slow reader.
 */
function run(inquiries: Inquiry[], env: Record<string, string> = {}) {
  const said = join(folder, 'said');
  writeFileSync(said, '');
  const script =
    '"$0" --import "$1" "$2" "$3" "$4" </dev/null >"$5/out" 2>"$5/err"; stty -a | grep -o -- "-\\?\\(icanon\\|echo\\|isig\\)\\b"; echo ended; read -r _';
  const child = pty.spawn(
    '/bin/sh',
    ['-c', script, process.execPath, TSX, PROGRAM, said, JSON.stringify(inquiries), folder],
    {
      cols: 80,
      rows: 24,
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        TMPDIR: folder,
        TERM: 'xterm-256color',
        LANG: 'C.UTF-8',
        ...env,
      },
    },
  );
  const terminal = new headless.Terminal({ cols: 80, rows: 24, allowProposedApi: true });
  started = child;
  child.onData((data) => terminal.write(data));
  const exited = new Promise<void>((done) => {
    child.onExit(() => {
      started = undefined;
      done();
    });
  });
  const lines = (): string[] => {
    const { active } = terminal.buffer;
    const all = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
    return all.filter((line) => line !== '');
  };
  const screen = () => lines().join('\n');
  const facts = () =>
    readFileSync(said, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);
  const guards = () => facts().filter((fact) => fact === 'keys count').length;
  let prompts = 0;
  return {
    lines,
    said: () => facts().filter((fact) => fact !== 'keys count'),
    seen: (text: string) => until(text, () => screen().includes(text), screen),
    write: (text: string) => child.write(text),
    /** The next prompt is old enough for keys to count. */
    counts: async () => {
      prompts += 1;
      await until(`prompt ${prompts}`, () => guards() >= prompts, screen);
    },
    /** One key after the other, each when the last one was seen. */
    press: async (...keys: string[]) => {
      for (const key of keys) {
        const before = screen();
        child.write(key);
        await until(`what ${JSON.stringify(key)} does`, () => screen() !== before, screen);
      }
    },
    ended: async () => {
      await until('the end', () => lines().includes('ended'), screen);
      child.write('\r');
      await exited;
      const files = ['out', 'err'].map((name) => readFileSync(join(folder, name), 'utf8'));
      return { files, modes: lines().slice(-4) };
    },
  };
}

const COOKED = { files: ['', ''], modes: ['isig', 'icanon', 'echo', 'ended'] };

describe('/dev/tty with stdin, stdout and stderr redirected', () => {
  test('two permissions, one after the other', async () => {
    const on = run([inquiryOf({}, 1), inquiryOf({ tool: 'Read', input: { file_path: '/etc/hosts' } }, 2)]);
    await on.seen('1 of 2');
    expect(on.lines()).toEqual([
      '┃ claude asks · k7f2m9qd.1 · 1 of 2',
      '┃ Bash: npm test -- --watch',
      '┃   description: run the tests',
      '┃ [y] allow  [s] allow for this session: Bash(npm test:*)  [n] deny',
      '┃ [r] deny with a reason  [e] edit  [?] details',
    ]);
    await on.counts();
    await on.press('s');
    await on.seen('┃ Read: /etc/hosts');
    await on.counts();
    await on.press('r', 'no', '\r');
    expect(await on.ended()).toEqual(COOKED);
    expect(on.said()).toEqual([
      [true, true],
      { id: 'k7f2m9qd.1', words: ['allow'], scope: 'session' },
      { id: 'k7f2m9qd.2', words: ['deny'], reason: 'no' },
    ]);
    expect(on.lines().slice(0, 2)).toEqual([
      '┃ ✓ allowed for this session (Bash(npm test:*)) · Bash: npm test -- --watch',
      '┃ ✗ denied (no) · Read: /etc/hosts',
    ]);
  });

  test('what was typed before the prompt answers nothing; a paste neither', async () => {
    const on = run([inquiryOf()]);
    on.write('y');
    await on.seen('[y] allow');
    await on.counts();
    await on.press('yes\r');
    await on.seen('pasted text does not answer');
    await on.press('\x03');
    expect(await on.ended()).toEqual(COOKED);
    expect(on.said()).toEqual([[true], 'interrupted']);
  });

  test('a script may write a reason and its Enter at once; a command it edits still waits for an Enter', async () => {
    const on = run([inquiryOf({}, 1), inquiryOf({}, 2)]);
    await on.seen('1 of 2');
    await on.counts();
    await on.press('r', 'not now\r');
    await on.seen('denied (not now)');
    await on.counts();
    await on.press('e', ' --bail\r', '\x03');
    expect(await on.ended()).toEqual(COOKED);
    expect(on.said()).toEqual([[true, true], { id: 'k7f2m9qd.1', words: ['deny'], reason: 'not now' }, 'interrupted']);
  });

  test('a question with arrows', async () => {
    const on = run([asked({ default: ['1'] })]);
    await on.seen('❯ 1. PostgreSQL (default)');
    await on.counts();
    await on.press('\x1b[B');
    await on.seen('❯ 2. SQLite');
    await on.press('\r');
    expect(await on.ended()).toEqual(COOKED);
    expect(on.said()[1]).toEqual({ id: 'k7f2m9qd.3', words: ['q1=2'] });
  });

  test.each([
    ['Ctrl-C', '\x03', 'interrupted'],
    ['Ctrl-\\', '\x1c', 'killed'],
  ])('%s in the middle of a reason: told, and the terminal is as before', async (_name, key, told) => {
    const on = run([inquiryOf()]);
    await on.seen('[y] allow');
    await on.counts();
    await on.press('r', key);
    expect(await on.ended()).toEqual(COOKED);
    expect(on.said()).toEqual([[true], told]);
    expect(on.lines()[0]).toBe('┃ not answered · Bash: npm test -- --watch');
  });

  test('several lines are edited in the user’s own editor, on the same terminal', async () => {
    const editor = join(folder, 'editor.sh');
    // Says what it sees, waits for a line, changes the text.
    writeFileSync(
      editor,
      'echo "editing $(stat -c %a "$2") $(head -1 "$2")"; read line; sed -i "s/one/$line/" "$2"; echo "$2" >"$HOME/edited"\n',
    );
    const on = run([inquiryOf({ input: { command: 'echo one\necho two' } })], { EDITOR: `sh ${editor} --wait` });
    await on.seen('[e] edit');
    await on.counts();
    await on.press('e');
    await on.seen('editing 600 echo one');
    on.write('three\r');
    await on.seen('edited: y allows this');
    expect(on.lines()).toContain('┃ Bash: echo three');
    await on.counts();
    await on.press('y');
    expect(await on.ended()).toEqual(COOKED);
    expect(on.said()[1]).toEqual({ id: 'k7f2m9qd.3', input: { command: 'echo three\necho two' } });
    expect(existsSync(readFileSync(join(folder, 'edited'), 'utf8').trim())).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('reins-edit-'))).toEqual([]);
  });
});
