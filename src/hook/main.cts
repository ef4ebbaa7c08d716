#!/usr/bin/env node
/**
 * The small program an agent calls before it uses a tool: takes the agent's JSON from stdin to the host, waits, and
 * prints the host's answer. It runs at every tool call, so it imports `node:net` and nothing else, is no ES module (Node
 * starts those later), and reads a pipe by itself (`process.stdin` loads as much again). Where the host is and the
 * session's secret are in a private file, not in the environment: that one every shell of the agent would have.
 * Whatever goes wrong (no host, garbage, a deadline) ends with exit code 2 and a reason, which agents take as "blocked".
 *
 *   reins-hook hook.json PreToolUse < event.json
 */
const { connect, Socket }: typeof import('node:net') = require('node:net');
const { readFileSync }: typeof import('node:fs') = require('node:fs');

/** The link's own limit of one message: what is larger would be cut off there. */
const MOST_BYTES = 32 * 1024 * 1024;

/** A timer beyond this fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

const BLOCKED = 2;
const [, , file = '', event = 'unknown'] = process.argv;
const { socket: socketPath, secret, timeoutSecs }: { socket?: string; secret?: string; timeoutSecs?: number } = told();
let finished = false;

/** Nothing, where the file is gone or is not ours: then the call is refused. */
function told(): object {
  try {
    return Object(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

interface HookAnswer {
  stdout: string;
  stderr: string;
  exit: number;
}

// However this program comes to its end, only an answer that was printed may mean anything but "blocked".
process.exitCode = BLOCKED;

function finish(reply: HookAnswer): void {
  if (finished) return;
  finished = true;
  process.stdout.write(reply.stdout, (lost) => {
    process.stderr.write(reply.stderr, () => process.exit(lost ? BLOCKED : reply.exit));
  });
}

const refuse = (reason: string) =>
  finish({ stdout: '', stderr: `Reins: ${reason}; the call is not allowed.\n`, exit: BLOCKED });

/** A JSON message as the link wants it: 4 bytes length, kind 0, the text. */
function frame(message: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(text.length + 1);
  return Buffer.concat([head, text]);
}

function isReply(
  message: { t?: unknown } & Partial<Record<keyof HookAnswer, unknown>>,
): message is { t: string } & HookAnswer {
  const { stdout, stderr, exit } = message;
  const words = typeof stdout === 'string' && typeof stderr === 'string';
  return words && Number.isInteger(exit) && (exit as number) >= 0 && (exit as number) <= 255;
}

/** Takes whole messages off the front. Throws on anything that is not our host speaking. */
function takeReply(bytes: Buffer): Buffer {
  let rest = bytes;
  while (rest.length >= 4) {
    const length = rest.readUInt32BE(0);
    if (length < 1 || length > MOST_BYTES) throw new Error('not our protocol');
    if (rest.length < 4 + length) break;
    if (rest[4] === 0) {
      const message = JSON.parse(rest.toString('utf8', 5, 4 + length)) as { t?: unknown };
      if (message.t === 'hook-reply') {
        if (!isReply(message)) throw new Error('half an answer');
        finish(message);
      }
    }
    rest = rest.subarray(4 + length);
  }
  return rest;
}

function ask(at: string, payload: unknown): void {
  const socket = connect(at);
  let held: Buffer = Buffer.alloc(0);
  socket.on('error', (error) => refuse(`the host cannot be reached (${error.message})`));
  socket.on('close', () => refuse('the host went away'));
  socket.on('data', (chunk: Buffer) => {
    try {
      held = takeReply(Buffer.concat([held, chunk]));
    } catch {
      refuse('the host’s answer could not be read');
    }
  });
  socket.write(frame({ t: 'hook', secret, event, payload }));
}

function openInput(): NodeJS.ReadableStream {
  try {
    return new Socket({ fd: 0, readable: true, writable: false });
  } catch {
    return process.stdin; // a file, a terminal, nothing at all: agents give a pipe, but people may try it
  }
}

const stdin: Buffer[] = [];
let stdinBytes = 0;
const input = openInput();
input.on('data', (chunk: Buffer) => {
  stdin.push(chunk);
  stdinBytes += chunk.length;
  if (stdinBytes > MOST_BYTES) refuse('the event is too large');
});
input.on('error', (error: Error) => refuse(`the event could not be read (${error.message})`));
input.on('end', () => {
  if (finished) return;
  let payload: unknown;
  try {
    payload = JSON.parse(Buffer.concat(stdin).toString('utf8'));
  } catch {
    refuse('the event is not JSON');
    return;
  }
  if (socketPath) ask(socketPath, payload);
});
process.on('uncaughtException', (error) => refuse(`the hook failed (${error.message})`));

if (!socketPath || !secret) refuse('this hook was called outside a session');
const seconds = Number(timeoutSecs);
if (seconds > 0) {
  const late = () => refuse(`nobody answered within ${seconds} s`);
  setTimeout(late, Math.min(seconds * 1000, LONGEST_TIMER_MS)).unref();
}
