/**
 * Codex's server beside its terminal program: both the program and we are asked about every command and every edit, and
 * the first answer wins. A prompt starts the thread through the server (a thread without a first turn cannot be joined);
 * without one the program starts its own, read-only until the server was told to ask (see protocols/codex-threads.ts).
 */
import type { CompanionPlan, LaunchAsk } from './adapter.js';
import { codexAppServer } from './protocols/codex-app-server.js';
import { isBelow } from './version.js';

/** Measured with `app-server --listen` and `--remote` on one thread, and with changes of a thread's settings. */
export const COMPANION_SINCE = '0.166.0';

/** Nothing is changed and no network is reached before codex asks in its own dialog. */
export const ASK_FIRST = ['-a', 'on-request', '-s', 'read-only'];

/** Codex's own arguments that its server takes as well, each with a value. */
const SERVER_FLAGS = ['-c', '--config', '--enable', '--disable'];

/** What server and terminal program both take, and the model; undefined if an argument is not for the server. */
function sharedArgs(args: readonly string[]): { args: string[]; model?: string } | undefined {
  const shared: string[] = [];
  let model: string | undefined;
  for (let at = 0; at < args.length; at += 2) {
    const [flag = '', value] = [args[at], args[at + 1]];
    if (value === undefined) return undefined;
    if (flag === '-m' || flag === '--model') model = value;
    else if (SERVER_FLAGS.includes(flag)) shared.push(flag, value);
    else return undefined;
  }
  return { args: shared, ...(model === undefined ? {} : { model }) };
}

/** Undefined where there is none to be had, or none is wanted. */
export function codexCompanion(ask: LaunchAsk): CompanionPlan | undefined {
  const measured = isBelow(ask.version, COMPANION_SINCE) === false;
  const given = sharedArgs(ask.args);
  if (ask.trust !== 'guarded' || ask.companion !== true || !measured || !given) return undefined;
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

/** Why a guarded terminal program has no companion; undefined if nobody asked for one. */
export function whyAlone(ask: LaunchAsk): string | undefined {
  if (ask.trust !== 'guarded' || ask.companion !== true) return undefined;
  if (isBelow(ask.version, COMPANION_SINCE) !== false) {
    return `codex ${COMPANION_SINCE} and later can be asked about every command (its server beside its terminal program)`;
  }
  return `codex’s server does not take ${ask.args.join(' ')}: without it, commands that only read are not asked about`;
}
