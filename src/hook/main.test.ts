import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeFrame, type Frame, FrameReader, MAX_FRAME } from '../contract/index.js';

const HOOK = fileURLToPath(new URL('../../dist/hook/main.cjs', import.meta.url));

let dir: string;
let path: string;
let server: Server;
let sockets: Socket[];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'hook-'));
  path = join(dir, 'host.sock');
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  rmSync(dir, { recursive: true, force: true });
});

interface Ran {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

interface Given {
  stdin?: string | null;
  event?: string;
  env?: Record<string, string>;
  /** Of the private file. */
  told?: Record<string, unknown>;
}

function run(options: Given = {}): Promise<Ran> {
  const { stdin = '{"tool_name":"Bash"}', event = 'PreToolUse', env = {} } = options;
  const file = join(dir, 'hook.json');
  writeFileSync(file, JSON.stringify({ socket: path, secret: 'hush', timeoutSecs: 50, ...options.told }));
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [HOOK, file, event], { env });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdin.on('error', () => undefined);
    if (stdin !== null) child.stdin.end(stdin);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

type Answer = (message: unknown, socket: Socket) => void;

/** The host's side: calls once per hook message, after a greeting like the real one's. */
function host(answer: Answer): void {
  server.on('connection', (socket) => {
    const reader = new FrameReader();
    socket.write(wire({ kind: 'json', json: { t: 'hello', protocol: 1, version: '0', session: 's' } }));
    socket.on('data', (chunk) => {
      for (const frame of reader.feed(chunk)) if (frame.kind === 'json') answer(frame.json, socket);
    });
  });
}

const wire = (frame: Frame): Buffer => Buffer.concat(encodeFrame(frame));
const reply = (json: unknown): Buffer => wire({ kind: 'json', json: json as never });

const blocked = (reason: RegExp) => ({
  code: 2,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^Reins: .*${reason.source}.*; the call is not allowed\\.\\n$`)),
});

describe('the hook carries the agent’s question to the host and the answer back', () => {
  it('as it is: output, words and exit code', async () => {
    const asked: unknown[] = [];
    host((message, socket) => {
      asked.push(message);
      const whole = reply({ t: 'hook-reply', stdout: '{"ok":"ü"}\n', stderr: 'aside\n', exit: 0 });
      for (const byte of whole) socket.write(Uint8Array.of(byte));
    });
    expect(await run()).toEqual({ code: 0, signal: null, stdout: '{"ok":"ü"}\n', stderr: 'aside\n' });
    expect(asked).toEqual([{ t: 'hook', secret: 'hush', event: 'PreToolUse', payload: { tool_name: 'Bash' } }]);
  });

  it.each([0, 1, 2, 255])('exit code %i is the host’s to choose', async (exit) => {
    host((_, socket) => socket.write(reply({ t: 'hook-reply', stdout: '', stderr: '', exit })));
    expect((await run()).code).toBe(exit);
  });

  it('other messages before the answer do not matter', async () => {
    host((_, socket) => {
      socket.write(wire({ kind: 'output', offset: 0, bytes: Buffer.from('{"t":"hook-reply"}') }));
      socket.write(reply({ t: 'live' }));
      socket.write(reply({ t: 'hook-reply', stdout: 'yes', stderr: '', exit: 0 }));
    });
    expect(await run()).toMatchObject({ code: 0, stdout: 'yes' });
  });

  it('five megabytes of it', async () => {
    const content = 'ä'.repeat(2_500_000);
    let got = 0;
    host((message, socket) => {
      got = (message as { payload: { tool_input: { content: string } } }).payload.tool_input.content.length;
      socket.write(reply({ t: 'hook-reply', stdout: 'x'.repeat(5_000_000), stderr: '', exit: 0 }));
    });
    const ran = await run({ stdin: JSON.stringify({ tool_name: 'Write', tool_input: { content } }) });
    expect([ran.code, ran.stdout.length, got]).toEqual([0, 5_000_000, 2_500_000]);
  });

  it('what an agent around it put into the environment changes nothing', async () => {
    const asked: unknown[] = [];
    host((message, socket) => {
      asked.push((message as { payload: unknown }).payload);
      socket.write(reply({ t: 'hook-reply', stdout: '', stderr: '', exit: 0 }));
    });
    await run({ event: 'delegate:Bash', stdin: '{"cmd":"ls"}', env: { AGENT_TOOL_NAME: 'Read' } });
    expect(asked).toEqual([{ cmd: 'ls' }]);
  });
});

describe('whatever goes wrong, the call is blocked', () => {
  it.each([
    ['no file', '/nonexistent/hook.json'],
    ['a file that is no file', tmpdir()],
    ['a file that is not JSON', HOOK],
  ])('%s, and nobody waits for the agent to finish its event', async (_, file) => {
    const child = spawn(process.execPath, [HOOK, file, 'PreToolUse'], { env: {}, stdio: ['pipe', 'ignore', 'ignore'] });
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(2);
  });

  it.each([
    ['no socket in its file', { socket: '' }, /outside a session/],
    ['no secret in its file', { secret: '' }, /outside a session/],
    ['no host at the socket', { socket: '/nonexistent/host.sock' }, /cannot be reached \(.*ENOENT/],
  ])('%s', async (_, told, reason) => {
    expect(await run({ told })).toMatchObject(blocked(reason));
  });

  it.each(['', '{', 'hello', '{"a":1}{"b":2}'])('an event of %j', async (stdin) => {
    expect(await run({ stdin })).toMatchObject(blocked(/the event is not JSON/));
  });

  it('an event larger than a message may be', async () => {
    host((_, socket) => socket.write(reply({ t: 'hook-reply', stdout: 'yes', stderr: '', exit: 0 })));
    const ran = await run({ stdin: `"${'x'.repeat(MAX_FRAME + 10)}"` });
    expect(ran).toMatchObject(blocked(/the event is too large/));
  });

  it('a host that goes away before it answered', async () => {
    host((_, socket) => socket.destroy());
    expect(await run()).toMatchObject(blocked(/the host (went away|cannot be reached)/));
  });

  it('a host that goes away in the middle of its answer', async () => {
    const whole = reply({ t: 'hook-reply', stdout: 'yes', stderr: '', exit: 0 });
    host((_, socket) => socket.end(whole.subarray(0, -1)));
    expect(await run()).toMatchObject(blocked(/the host went away/));
  });

  it.each([
    ['words', Buffer.from('HTTP/1.1 200 OK\r\n\r\n')],
    ['a hostile length', Buffer.from('ffffffff00', 'hex')],
    ['a length of nothing', Buffer.from('0000000000', 'hex')],
    ['broken JSON', Buffer.concat([Buffer.from('0000000300', 'hex'), Buffer.from('{{')])],
    ['nothing as JSON', Buffer.concat([Buffer.from('0000000500', 'hex'), Buffer.from('null')])],
    ['an answer without words', reply({ t: 'hook-reply' })],
    ['an answer without an exit code', reply({ t: 'hook-reply', stdout: 'yes', stderr: '' })],
    ['an exit code that is none', reply({ t: 'hook-reply', stdout: 'yes', stderr: '', exit: '0' })],
    ['an exit code out of range', reply({ t: 'hook-reply', stdout: 'yes', stderr: '', exit: 256 })],
    ['output that is no text', reply({ t: 'hook-reply', stdout: { yes: 1 }, stderr: '', exit: 0 })],
  ])('an answer of garbage: %s', async (_, garbage) => {
    host((_message, socket) => socket.write(garbage));
    expect(await run()).toMatchObject(blocked(/answer could not be read/));
  });

  it('a host that says nothing, when the time is over', async () => {
    host(() => undefined);
    expect(await run({ told: { timeoutSecs: 0.2 } })).toMatchObject(blocked(/nobody answered within 0\.2 s/));
  });

  it('an agent that never finishes its event, when the time is over', async () => {
    expect(await run({ stdin: null, told: { timeoutSecs: 0.2 } })).toMatchObject(blocked(/nobody answered/));
  });

  it('but a time longer than a timer can measure is not over at once', async () => {
    host((_, socket) => socket.write(reply({ t: 'hook-reply', stdout: 'yes', stderr: '', exit: 0 })));
    expect(await run({ told: { timeoutSecs: 99_999_999 } })).toMatchObject({ code: 0, stdout: 'yes' });
  });
});

it('it runs at every tool call: it loads node:net, what that has loaded already, and nothing else', () => {
  const built = readFileSync(HOOK, 'utf8');
  expect([...built.matchAll(/\brequire\("?'?([^'")]+)/g)].map(([, name]) => name)).toEqual(['node:net', 'node:fs']);
  expect(built).not.toMatch(/\bimport\b/);
  expect(built.startsWith('#!/usr/bin/env node')).toBe(true);
});
