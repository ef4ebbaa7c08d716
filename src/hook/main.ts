#!/usr/bin/env node
/**
 * The small program an agent calls before it uses a tool: takes the agent's JSON from stdin to the host, waits, and
 * prints the host's answer. It runs at every tool call, so it imports `node:net` and nothing else. Whatever goes wrong
 * (no host, garbage, a deadline) ends with exit code 2 and a reason, which agents take as "blocked".
 *
 *   reins-hook PreToolUse < event.json      with REINS_HOOK_SOCKET, REINS_HOOK_SECRET in the environment
 */
import { connect } from 'node:net';

const MOST_STDIN = 32 * 1024 * 1024;
const event = process.argv[2] ?? 'unknown';
const { REINS_HOOK_SOCKET: socketPath, REINS_HOOK_SECRET: secret, REINS_HOOK_TIMEOUT: timeout } = process.env;
let finished = false;

function finish(reply: { stdout: string; stderr: string; exit: number }): void {
  if (finished) return;
  finished = true;
  process.stdout.write(reply.stdout, () => process.stderr.write(reply.stderr, () => process.exit(reply.exit)));
}

const refuse = (reason: string) => finish({ stdout: '', stderr: `Reins: ${reason}; the call is not allowed.\n`, exit: 2 });

/** A JSON message as the link wants it: 4 bytes length, kind 0, the text. */
function frame(message: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(text.length + 1);
  return Buffer.concat([head, text]);
}

function takeReply(bytes: Buffer): Buffer {
  let rest = bytes;
  while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
    const length = rest.readUInt32BE(0);
    if (rest[4] === 0) {
      const message = JSON.parse(rest.toString('utf8', 5, 4 + length)) as { t: string; stdout: string; stderr: string; exit: number };
      if (message.t === 'hook-reply') finish(message);
    }
    rest = rest.subarray(4 + length);
  }
  return rest;
}

function ask(payload: unknown): void {
  if (!socketPath || !secret) {
    refuse('this hook was called outside a session');
    return;
  }
  const socket = connect(socketPath);
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
  const seconds = Number(timeout);
  if (seconds > 0) setTimeout(() => refuse(`nobody answered within ${seconds} s`), seconds * 1000).unref();
}

let stdin = Buffer.alloc(0);
process.stdin.on('data', (chunk: Buffer) => {
  stdin = Buffer.concat([stdin, chunk]);
  if (stdin.length > MOST_STDIN) refuse('the event is too large');
});
process.stdin.on('error', (error) => refuse(`the event could not be read (${error.message})`));
process.stdin.on('end', () => {
  try {
    const text = stdin.toString('utf8');
    // An agent that delegates by exit code names the tool in its environment and gives only the input.
    const { AGENT_TOOL_NAME: tool } = process.env;
    ask(tool === undefined ? JSON.parse(text) : { tool_name: tool, tool_input: JSON.parse(text) });
  } catch {
    refuse('the event is not JSON');
  }
});
process.on('uncaughtException', (error) => refuse(`the hook failed (${error.message})`));
