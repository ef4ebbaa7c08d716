/** Each notifier tried once, or only looked at: for who wants to know whether a message would arrive before one has to. */
import { randomBytes } from 'node:crypto';
import type { Env } from '../contract/index.js';
import { type DeliverPorts, deliver, secretOf } from './deliver.js';
import { type NotifierKind, type NotifyConfig, notifiersOf } from './notifiers.js';
import { testNote } from './payload.js';

export interface TriedNotifier {
  notifier: string;
  kind: NotifierKind;
  /** It may answer inquiries. */
  answers: boolean;
  ok: boolean;
  /** Milliseconds it took. */
  ms: number;
  detail: string;
  fix?: string;
}

/** All at once; whatever the hour. Contract: resolves, never rejects. */
export function tryNotifiers(config: NotifyConfig, ports: DeliverPorts): Promise<TriedNotifier[]> {
  return Promise.all(
    notifiersOf(config).map(async (notifier) => {
      const began = ports.now();
      const id = `test-${randomBytes(8).toString('hex')}`;
      const note = { v: 1 as const, id, at: new Date(began).toISOString(), ...testNote() };
      const result = await deliver(ports, { notifier, note, attempt: 1, signal: new AbortController().signal });
      const { name, kind, answers } = notifier;
      const told = { notifier: name, kind, answers, ms: Math.round(ports.now() - began) };
      if (result.how === 'told') return { ...told, ok: true, detail: result.detail };
      if (result.how !== 'failed') return { ...told, ok: true, detail: 'it arrived' };
      const fix = result.fix ?? FIXES[kind];
      return { ...told, ok: false, detail: result.reason, fix };
    }),
  );
}

const FIXES: Record<NotifierKind, string> = {
  command: 'run it by hand with {} on its standard input; it stands in your home directory',
  webhook: 'check its address, and whether the server is there',
};

/** What is configured, and what is known to be missing without trying. */
export function lookAtNotifiers(config: NotifyConfig, env: Env): { name: string; answers: boolean; reason?: string }[] {
  return notifiersOf(config).map((notifier) => {
    const secret = notifier.kind === 'webhook' ? secretOf(notifier, env) : undefined;
    const { name, answers } = notifier;
    return { name, answers, ...(typeof secret === 'object' ? { reason: `${secret.reason}: ${secret.fix}` } : {}) };
  });
}
