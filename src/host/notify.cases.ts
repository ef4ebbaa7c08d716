/** A host of a test whose messenger posts to a real server on this machine, or runs a real command. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { ConfigSchema } from '../config/schema.js';
import { type Env, type Notification, type Question, silentLog } from '../contract/index.js';
import { trial } from './host.cases.js';
import { openMessenger } from './notify.js';

export const SECRET = 'a secret of both sides';

export interface Received {
  url: string;
  note: Notification;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface FakeServer {
  url: string;
  received: Received[];
}

/** `respond` may hold its response as long as it likes. */
export async function server(respond: (got: Received, response: ServerResponse) => unknown): Promise<FakeServer> {
  const received: Received[] = [];
  const made = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const got = { url: request.url ?? '', note: JSON.parse(body) as Notification, headers: request.headers, body };
    received.push(got);
    await respond(got, response);
  });
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    made.closeAllConnections();
    made.close();
  });
  return { url: `http://127.0.0.1:${(made.address() as AddressInfo).port}/hook`, received };
}

/** As a server that shares the secret signs its answer; `now` as the clock of the test has it. */
export function signed(ticket: string, body: string, now: number, secret = SECRET): string {
  const t = Math.floor(now / 1000);
  return `t=${t},v1=${createHmac('sha256', secret).update(`answer.${t}.${ticket}.${body}`).digest('hex')}`;
}

export const DATABASE: Question = {
  id: 'db',
  text: 'Which database?',
  options: [
    { id: 'pg', label: 'PostgreSQL' },
    { id: 'my', label: 'MySQL' },
  ],
  multi: false,
  free_text: false,
};

export function notified(notify: object, env: Env = { PATH: process.env.PATH }, cwd?: string) {
  const config = ConfigSchema.parse({ notify, tools: { defaults: { detached: 'defer' } } });
  const agent = { adapter: 'claude', path: '/x' };
  const one = trial({ spec: { config, mode: 'interactive', agent, ...(cwd === undefined ? {} : { cwd }) } });
  const messenger = openMessenger(one.host, { env, clock: one.clock, log: silentLog });
  onTestFinished(() => {
    const closed = messenger.close(0);
    one.clock.advance(1);
    return closed;
  });
  const ask = (questions = [DATABASE], exclusive = false, input?: unknown) =>
    one.host.desk.open({ kind: 'question', tool: 'AskUserQuestion', input, questions, exclusive });
  const run = (input: unknown) => one.host.desk.open({ kind: 'run', tool: 'Bash', input, exclusive: false });
  const answers = () => one.entries.flatMap((entry) => (entry.type === 'inquiry.answered' ? [entry.data.answer] : []));
  const notices = () => one.entries.flatMap((entry) => (entry.type === 'notice' ? [entry.data.text] : []));
  /** The moment after which what still waits is told. */
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    one.clock.advance(2_000);
  };
  return { ...one, messenger, ask, run, answers, notices, settle };
}
