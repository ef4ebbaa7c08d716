import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { adapterNamed, type CompanionPlan } from '../../adapters/index.js';
import { type AgentOutput, type InquiryId, type SessionId, silentLog, systemClock } from '../../contract/index.js';

import { AgentProcess, type RunningAgent } from '../agent-process.js';
import type { Asked, Settlement } from '../desk.js';
import { Companion, type Opened } from './companion.js';
import type { Draft } from './door.js';

/** A server as codex's is: WebSocket messages on a unix socket. It writes down what it was told, and asks as it should. */
const SERVER = `
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { WebSocketServer } from '${import.meta.resolve('ws')}';
const [how, log, socket] = process.argv.slice(2);
const CONFIG = { features: { hooks: false }, projects: { [process.cwd()]: { trust_level: 'untrusted' } } };
if (how === 'broken') { console.error('no such listener'); process.exit(3); }
const http = createServer();
const server = new WebSocketServer({ server: http });
server.on('connection', (link) => {
  const say = (message) => link.send(JSON.stringify(message));
  link.on('message', (data) => {
    const { id, method, result } = JSON.parse(data);
    appendFileSync(log, data + '\\n');
    if (method === 'initialize') say({ id, result: {} });
    if (method === 'thread/start' && how === 'refuse') say({ id, error: { message: 'not signed in' } });
    else if (method === 'thread/start') say({ id, result: { thread: { id: 'thread-1' } } });
    if (method === 'config/read') say({ id, result: { config: CONFIG } });
    if (method === 'turn/interrupt' || method === 'thread/settings/update') say({ id, result: {} });
    if (method !== 'turn/start') return;
    say({ id, result: { turn: { id: 'turn-1' } } });
    if (how === 'die') process.exit(0);
    say({ id: 7, method: 'mcpServer/elicitation/request', params: { threadId: 'thread-1' } });
    say({ id: 0, method: 'item/commandExecution/requestApproval', params: { threadId: 'thread-1', command: 'ls' } });
    if (how === 'resolve') say({ method: 'serverRequest/resolved', params: { threadId: 'thread-1', requestId: 0 } });
  });
});
http.listen(socket);
`;

class OpenInquiry implements Asked {
  readonly id = 'k7f2m9qd.1' as InquiryId;
  readonly draft: Draft;
  end: string | undefined;
  settle: (settlement: Settlement | undefined) => void = () => undefined;
  readonly settled = new Promise<Settlement | undefined>((resolve) => {
    this.settle = resolve;
  });
  constructor(draft: Draft) {
    this.draft = draft;
  }
  delivered(): void {
    this.end ??= 'delivered';
  }
  withdraw(reason: string, there?: 'there'): void {
    this.end ??= there ?? reason;
    this.settle(undefined);
  }
}

let dir: string;
let inquiries: OpenInquiry[];
let said: AgentOutput[];
let processes: RunningAgent[];
let socket: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'reins-companion-'));
  writeFileSync(join(dir, 'server.mjs'), SERVER);
  [inquiries, said, processes, socket] = [[], [], [], ''];
});
afterEach(async () => {
  await Promise.all(processes.map((one) => one.stop('kill', 'the test is over')));
  rmSync(dir, { recursive: true, force: true });
});

function plan(): CompanionPlan {
  const made = adapterNamed('codex')!.plan({
    door: 'tui',
    mode: 'interactive',
    trust: 'guarded',
    prompt: 'go',
    promptFile: '',
    cwd: dir,
    version: 'codex-cli 0.166.0',
    args: [],
    dir,
    session: 'k7f2m9qd' as SessionId,
    custom: { args: [], prompt_mode: 'arg' },
    env: {},
    look: { text: () => undefined, names: () => [], real: (path) => path },
    companion: true,
  });
  return (made as { companion: CompanionPlan }).companion;
}

function open(how: 'ask' | 'resolve' | 'die' | 'broken' | 'refuse'): Promise<Opened> {
  return Companion.open({
    plan: plan(),
    clock: systemClock,
    start: async (path) => {
      socket = path;
      const started = await AgentProcess.start({
        command: process.execPath,
        args: [join(dir, 'server.mjs'), how, join(dir, 'log'), path],
        cwd: dir,
        env: {},
        io: 'pipe',
        stdin: 'closed',
        size: { cols: 80, rows: 24 },
        session: `companion-${process.pid}` as SessionId,
        journal: { append: () => undefined } as never,
        clock: systemClock,
        log: silentLog,
      });
      if (started.ok) processes.push(started.agent);
      return started;
    },
    ask: (draft) => {
      const inquiry = new OpenInquiry(draft);
      inquiries.push(inquiry);
      return inquiry;
    },
    said: (output) => said.push(output),
  });
}

async function opened(how: 'ask' | 'resolve' | 'die'): Promise<Companion> {
  const result = await open(how);
  if (!result.ok) throw new Error(result.reason);
  return result.companion;
}

type Told = { id?: number; method?: string; params?: unknown; result?: unknown };
const told = (): Told[] =>
  existsSync(join(dir, 'log'))
    ? readFileSync(join(dir, 'log'), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Told)
    : [];
const toldTo = (method: string) => told().find((one) => one.method === method);

const asked = async (): Promise<OpenInquiry> => {
  await vi.waitFor(() => expect(inquiries).toHaveLength(1), 10_000);
  return inquiries[0]!;
};

describe('an agent’s server beside its terminal program', () => {
  it('has the prompt before the program comes, and asks for everything', async () => {
    const companion = await opened('ask');
    expect(companion.args.slice(0, 4)).toEqual(['resume', 'thread-1', '--remote', `unix://${socket}`]);
    expect(companion.conversation).toBe('thread-1');
    expect(Buffer.byteLength(socket)).toBeLessThan(104);
    expect(toldTo('thread/start')?.params).toMatchObject({ approvalPolicy: 'untrusted', approvalsReviewer: 'user' });
    expect(toldTo('turn/start')?.params).toMatchObject({ threadId: 'thread-1', input: [{ type: 'text', text: 'go' }] });
    expect(said).toEqual([{ kind: 'conversation', id: 'thread-1' }]);
    companion.close();
    companion.close();
    expect(existsSync(dirname(socket))).toBe(false);
  });

  it('is told our answer; what only the program understands is left to it', async () => {
    const companion = await opened('ask');
    const inquiry = await asked();
    expect(inquiry.draft).toMatchObject({ kind: 'run', tool: 'shell', input: { command: 'ls' } });
    expect(companion.asking).toBeDefined();
    inquiry.settle({ verdict: { kind: 'allow' } });
    await vi.waitFor(() => expect(told().at(-1)).toEqual({ id: 0, result: { decision: 'accept' } }), 10_000);
    expect(inquiry.end).toBe('delivered');
    expect(companion.asking).toBeUndefined();
    expect(told().filter(({ id }) => id === 7)).toEqual([]);
    companion.close();
  });

  it('was answered in the program: the inquiry is gone', async () => {
    const companion = await opened('resolve');
    const inquiry = await asked();
    await vi.waitFor(() => expect(inquiry.end).toBe('there'), 10_000);
    expect(companion.asking).toBeUndefined();
    companion.close();
  });

  it('is left by the program: its turn is interrupted, what was asked is taken back, and its end is no loss', async () => {
    const companion = await opened('ask');
    const inquiry = await asked();
    companion.leave();
    expect(inquiry.end).toBe('the agent ended');
    await vi.waitFor(
      () => expect(toldTo('turn/interrupt')?.params).toEqual({ threadId: 'thread-1', turnId: 'turn-1' }),
      10_000,
    );
    await companion.agent.stop('kill', 'the program ended');
    companion.close();
    expect(await Promise.race([companion.lost, Promise.resolve('not lost')])).toBe('not lost');
  });

  it('that dies is lost, with a reason', async () => {
    const companion = await opened('die');
    expect(await companion.lost).toMatch(/^the agent’s server (ended \(exit code 0\)|closed its connection)/);
    companion.close();
    expect(existsSync(dirname(socket))).toBe(false);
  });

  it.each([
    ['broken', /server ended \(exit code 3\): no such listener/],
    ['refuse', /not signed in/],
  ] as const)('that does not open (%s) leaves nothing behind and says why', async (how, why) => {
    const result = await open(how);
    expect(result).toMatchObject({ ok: false, reason: expect.stringMatching(why) });
    expect(existsSync(dirname(socket))).toBe(false);
    expect(processes[0]!.pids()).toEqual([]);
  });
});
