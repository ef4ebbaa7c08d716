/**
 * The asker on a real terminal, its three standard streams redirected: "Works for `reins run >out 2>err <in`".
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import headless from '@xterm/headless';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Inquiry } from '../../contract/index.js';
import { asked, inquiryOf } from './ask.cases.js';

const PROGRAM = fileURLToPath(new URL('ask-program.cases.ts', import.meta.url));
const TSX = import.meta.resolve('tsx');
/** Longer than the asker drops keys after a prompt was drawn. */
const GUARD_MS = 350;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reins-ask-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The program on a terminal; after it a shell says how the terminal is set, so that it must have been given back. */
function run(inquiries: Inquiry[], env: Record<string, string> = {}) {
  const said = join(folder, 'said');
  writeFileSync(said, '');
  const script =
    '"$0" --import "$1" "$2" "$3" "$4" </dev/null >"$5/out" 2>"$5/err"; stty -a | grep -o -- "-\\?\\(icanon\\|echo\\|isig\\)\\b"; echo ended';
  const child = pty.spawn(
    '/bin/sh',
    ['-c', script, process.execPath, TSX, PROGRAM, said, JSON.stringify(inquiries), folder],
    {
      cols: 80,
      rows: 24,
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
    },
  );
  const terminal = new headless.Terminal({ cols: 80, rows: 24, allowProposedApi: true });
  const checks = new Set<() => void>();
  child.onData((data) =>
    terminal.write(data, () => {
      for (const check of checks) check();
    }),
  );
  const exited = new Promise<void>((done) => child.onExit(() => done()));
  const lines = (): string[] => {
    const { active } = terminal.buffer;
    return Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '').filter(
      (line) => line !== '',
    );
  };
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((done) => {
      const check = () => {
        if (!isSo()) return;
        checks.delete(check);
        done();
      };
      checks.add(check);
      check();
    });
  return {
    lines,
    said: () =>
      readFileSync(said, 'utf8')
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as unknown),
    seen: (text: string) => until(() => lines().join('\n').includes(text)),
    write: (text: string) => child.write(text),
    /** A key, once the prompt is old enough for it to count. */
    press: async (...keys: string[]) => {
      await new Promise((done) => setTimeout(done, GUARD_MS));
      for (const key of keys) {
        const before = lines().join('\n');
        child.write(key);
        await until(() => lines().join('\n') !== before);
      }
    },
    ended: async () => {
      await until(() => lines().includes('ended'));
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
    await on.press('s');
    await on.seen('┃ Read: /etc/hosts');
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
    await on.press('yes\r');
    await on.seen('pasted text does not answer');
    expect(on.said()).toEqual([[true]]);
    await on.press('n');
    expect(await on.ended()).toEqual(COOKED);
    expect(on.said()[1]).toEqual({ id: 'k7f2m9qd.3', words: ['deny'] });
  });

  test('a question with arrows', async () => {
    const on = run([asked({ default: ['1'] })]);
    await on.seen('❯ 1. PostgreSQL (default)');
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
    await on.press('e');
    await on.seen('editing 600 echo one');
    on.write('three\r');
    await on.seen('edited: y allows this');
    expect(on.lines()).toContain('┃ Bash: echo three');
    await on.press('y');
    expect(await on.ended()).toEqual(COOKED);
    expect(on.said()[1]).toEqual({ id: 'k7f2m9qd.3', input: { command: 'echo three\necho two' } });
    expect(existsSync(readFileSync(join(folder, 'edited'), 'utf8').trim())).toBe(false);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('reins-edit-'))).toEqual([]);
  });
});
