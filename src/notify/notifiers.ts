/** The ways to a person that are configured, each in one shape whatever it was written as. Pure. */
import type { Config } from '../config/index.js';

export type NotifyConfig = Config['notify'];
export type NotifierKind = 'command' | 'webhook';

interface Common {
  /** Unique, and fit for a journal: an address may hold a key in its path, so only its host is named. */
  name: string;
  answers: boolean;
  /** Told in quiet hours too. */
  always: boolean;
  timeoutMs: number;
}

export interface CommandNotifier extends Common {
  kind: 'command';
  /** A program and its arguments. */
  argv: string[];
}

export interface WebhookNotifier extends Common {
  kind: 'webhook';
  url: string;
  secret?: { text: string } | { file: string } | { env: string };
}

export type Notifier = CommandNotifier | WebhookNotifier;

/** Seconds. Where an answer may come, a command has as long as a person who is fetched (`[{ask: 15m}, …]`). */
const COMMAND_SECS = { tells: 30, asks: 900 };
/** A response that carries an answer is held back by its server; what stands between cuts connections after a minute or so. */
const WEBHOOK_SECS = { tells: 10, asks: 60 };

export function notifiersOf(notify: NotifyConfig): Notifier[] {
  const notifiers: Notifier[] = [];
  if (notify.command !== undefined) notifiers.push(commandOf(notify.command));
  for (const hook of notify.webhooks) notifiers.push(webhookOf(hook));
  const taken = new Map<string, number>();
  for (const notifier of notifiers) {
    const count = (taken.get(notifier.name) ?? 0) + 1;
    taken.set(notifier.name, count);
    if (count > 1) notifier.name = `${notifier.name} (${count})`;
  }
  return notifiers;
}

function commandOf(written: NonNullable<NotifyConfig['command']>): CommandNotifier {
  const isMap = typeof written === 'object' && !Array.isArray(written);
  const { run, answers, always, timeout_secs } = isMap
    ? written
    : { run: written, answers: false, always: false, timeout_secs: undefined };
  const secs = timeout_secs ?? (answers ? COMMAND_SECS.asks : COMMAND_SECS.tells);
  const argv = typeof run === 'string' ? ['/bin/sh', '-c', run] : run;
  return { kind: 'command', name: 'notify.command', argv, answers, always, timeoutMs: secs * 1000 };
}

function webhookOf(written: NotifyConfig['webhooks'][number]): WebhookNotifier {
  if (typeof written === 'string') return webhookOf({ url: written, answers: false, always: false });
  const { url, name, secret, secret_file, secret_env, answers, always, timeout_secs } = written;
  const secs = timeout_secs ?? (answers ? WEBHOOK_SECS.asks : WEBHOOK_SECS.tells);
  const key = secret
    ? { text: secret }
    : secret_file
      ? { file: secret_file }
      : secret_env
        ? { env: secret_env }
        : undefined;
  return {
    kind: 'webhook',
    name: name ?? `webhook ${new URL(url).host}`,
    url,
    answers,
    always,
    timeoutMs: secs * 1000,
    ...(key ? { secret: key } : {}),
  };
}
