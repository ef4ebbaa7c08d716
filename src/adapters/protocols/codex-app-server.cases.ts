/** What was said on an app-server’s connection, and how tests read an answer. */
import { expect } from 'vitest';
import { codexAppServer } from '../../../test/recordings/gated-codex.js';
import { recording } from '../../../test/recordings/play.js';
import type { AgentOutput } from '../../contract/index.js';
import type { Protocol, ProtocolStep, Settled } from '../adapter.js';

export const ASKING = { approvalPolicy: 'untrusted', approvalsReviewer: 'user' };

export type Message = {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: unknown;
};
export type Row = { dir: 'c>s' | 's>c'; m: Message };

/** The recorded connections, each from its `initialize` on. */
export function connections(): Row[][] {
  const rows = recording('./codex/app-server.jsonl.gz')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
  const all: Row[][] = [];
  for (const row of rows) {
    if (row.dir === 'c>s' && row.m.method === 'initialize') all.push([]);
    all.at(-1)?.push(row);
  }
  return all;
}

export const feed = (protocol: Protocol, message: unknown): ProtocolStep[] =>
  protocol.feed(Buffer.from(`${JSON.stringify(message)}\n`));
export const written = (steps: ProtocolStep[]): Message[] =>
  steps.flatMap((step) => (step.do === 'write' ? [JSON.parse(step.bytes) as Message] : []));
export const outputs = (steps: ProtocolStep[]): AgentOutput[] =>
  steps.flatMap((step) => (step.do === 'output' ? [step.output] : []));
export const asked = (steps: ProtocolStep[]) => steps.flatMap((step) => (step.do === 'ask' ? [step] : []));

export const verdictOf = (result: Record<string, unknown> | undefined): Settled | undefined => {
  if (result?.decision === 'accept') return { verdict: { kind: 'allow' } };
  if (result?.decision === 'decline') return { verdict: { kind: 'deny' } };
  if (result?.decision === 'cancel') return { verdict: { kind: 'deny' }, interrupt: true };
  if (result?.answers) return { verdict: { kind: 'values', values: { db: ['2'] } } };
  return undefined;
};

/** Plays the server's side of a connection, says what the recorded client said, and compares what we write. */
export function replay(rows: Row[]): { steps: ProtocolStep[]; compared: number } {
  const thread = rows.find(({ m }) => m.method === 'thread/start')?.m.params ?? {};
  const first = rows.find(({ m }) => m.method === 'turn/start')?.m.params as { input: { text: string }[] };
  const protocol = codexAppServer({ cwd: String(thread.cwd), sandbox: thread.sandbox as 'workspace-write' });
  const steps = protocol.open(first.input[0]?.text);
  const pending: Message[] = written(steps);
  const keys = new Map<string, string>();
  let compared = 0;
  const take = (more: ProtocolStep[]) => {
    steps.push(...more);
    pending.push(...written(more));
  };
  for (const { dir, m } of rows) {
    if (dir === 's>c') {
      const more = feed(protocol, m);
      for (const ask of asked(more)) keys.set(JSON.stringify(m.id), ask.key);
      take(more);
      continue;
    }
    const settled = verdictOf(m.result);
    if (m.method === undefined && !settled) {
      take(protocol.settle(keys.get(JSON.stringify(m.id)) ?? '', { verdict: { kind: 'deny' } }));
      pending.pop();
      continue;
    }
    if (settled) take(protocol.settle(keys.get(JSON.stringify(m.id)) ?? '', settled));
    const text = (m.params?.input as { text: string }[] | undefined)?.[0]?.text;
    if (pending.length === 0 && text !== undefined) take(protocol.submit(text));
    if (m.method === 'turn/interrupt') take(protocol.interrupt());
    const ours = pending.shift();
    if (m.method === 'initialize') expect(ours?.method).toBe('initialize');
    else expect(ours).toEqual(m.method === 'thread/start' ? { ...m, params: { ...m.params, ...ASKING } } : m);
    compared += 1;
  }
  expect(pending).toEqual([]);
  return { steps: [...steps, ...protocol.end()], compared };
}
