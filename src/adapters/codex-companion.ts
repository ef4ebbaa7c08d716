/**
 * Codex's server beside its terminal program: both the program and we are asked about every command and every edit, and
 * the first answer wins. A prompt starts the thread through the server (a thread without a first turn cannot be joined);
 * without one the program starts its own, read-only until the server was told to ask (see protocols/codex-threads.ts).
 */
import type { CompanionPlan, LaunchAsk, Refusal } from './adapter.js';
import type { CodexArgs } from './codex-args.js';
import { codexAppServer } from './protocols/codex-app-server.js';
import { isBelow } from './version.js';

/** Measured with `app-server --listen` and `--remote` on one thread, and with changes of a thread's settings. */
export const COMPANION_SINCE = '0.166.0';

/** Of a thread the program starts itself: nothing is changed and no network is reached before the server was told to ask. */
const ASK_FIRST = ['-a', 'on-request', '-s', 'read-only'];

/** With the gate's own arguments, which both processes get. */
export function codexCompanion(ask: LaunchAsk, given: CodexArgs): CompanionPlan {
  const { prompt, conversation } = ask;
  const model = given.model === undefined ? {} : { model: given.model };
  return {
    args: (socket) => ['app-server', ...given.args, '--listen', `unix://${socket}`],
    ...(prompt === undefined ? {} : { prompt }),
    protocol: codexAppServer({
      cwd: ask.cwd,
      sandbox: 'widened',
      shared: true,
      ...model,
      ...(ask.clock ? { clock: ask.clock } : {}),
      ...(conversation?.resume ? { conversation: conversation.id } : {}),
    }),
    join({ socket, conversation: thread }) {
      const remote = ['--remote', `unix://${socket}`];
      // A thread of ours already has its settings: flags here would change them.
      if (thread !== undefined) return ['resume', thread, ...remote, ...given.args];
      return [...remote, ...ASK_FIRST, ...(given.model === undefined ? [] : ['-m', given.model]), ...given.args];
    },
  };
}

/** What `--dry-run` shows of the terminal program's arguments, before there is a socket or a thread. */
export function companionArgs(plan: CompanionPlan, ask: LaunchAsk): string[] {
  const resumed = ask.conversation?.resume ? ask.conversation.id : undefined;
  const conversation = resumed ?? (ask.prompt === undefined ? undefined : '(its thread)');
  return plan.join({ socket: '(a private socket)', ...(conversation === undefined ? {} : { conversation }) });
}

/** Only its server can be made to ask about everything: a terminal program without one cannot be gated. */
export function whyAlone({ version, companion }: Pick<LaunchAsk, 'version' | 'companion'>): Refusal | undefined {
  if (companion !== true) return { refused: 'ungated', reason: 'nobody here can run codex’s server beside it' };
  if (isBelow(version, COMPANION_SINCE) === false) return undefined;
  return {
    refused: 'ungated',
    reason:
      `in its own terminal only codex ${COMPANION_SINCE} and later can be made to ask about every command; ` +
      `this is ${version || 'a version that does not say which'}. Without -i it can be gated`,
  };
}
