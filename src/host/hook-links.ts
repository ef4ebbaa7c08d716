/**
 * The other socket: for what runs inside the session, the agent's hook and `reins emit`. It takes these two, each with
 * its word, and nothing else, so that it can be let into a sandbox without giving the agent a hand on its own session. A hook's link stays open
 * until there is a verdict; its end means that the agent no longer waits.
 *
 * A hook's way through the host, from its frame to the reply: here; `callHook`, which looks at its secret, and for the door
 * of the agent that runs; that door's `hook` (doors/hook-calls.ts, which asks the adapter what it means); `Desk.atOnce`, where
 * rules may settle it; `GatedCalls.hold`, if somebody has to; `Desk.open`. Six.
 */
import { asReinsError, type Down, type Frame, PROTOCOL, ReinsError, type Up } from '../contract/index.js';
import type { Link } from '../link/serve.js';
import type { Host } from './host.js';

type HookReplyFrame = Omit<Extract<Down, { t: 'hook-reply' }>, 't'>;
type HookCall = Extract<Up, { t: 'hook' }>;

export interface HookPorts {
  session: string;
  version: string;
  hook(call: HookCall, gone: Promise<void>): Promise<HookReplyFrame>;
  /** The session's word: what its agent starts has it in its environment. Undefined where there is no loop. */
  emitKey: string | undefined;
  /** `emit`, as the session's commands carry it out. */
  emit(args: Record<string, unknown>): Promise<unknown>;
}

export function acceptHook(link: Link, ports: HookPorts): void {
  const down = (json: Down): void => link.send({ kind: 'json', json });
  const gone = new Promise<void>((resolve) => link.onClose(() => resolve()));
  down({ t: 'hello', ...PROTOCOL, version: ports.version, session: ports.session });

  const command = async ({ id, name, args }: Extract<Up, { t: 'command' }>): Promise<void> => {
    try {
      if (name !== 'emit') throw notHere(name);
      const isOurs = ports.emitKey === undefined || args?.key === ports.emitKey;
      if (!isOurs) throw new ReinsError('EMIT_FOREIGN', { session: ports.session });
      down({ t: 'reply', id, value: (await ports.emit(args ?? {})) ?? null });
    } catch (thrown) {
      down({ t: 'reply', id, error: wrong(asReinsError(thrown)) });
    }
  };
  const hook = async (call: HookCall): Promise<void> => {
    const refused = (error: Error) => ({ stdout: '', stderr: `Reins: ${error.message}\n`, exit: 2 });
    down({ t: 'hook-reply', ...(await ports.hook(call, gone).catch(refused)) });
    link.close();
  };
  const take = (frame: Frame): void => {
    const json = frame.kind === 'json' ? (frame.json as Up | null) : undefined;
    if (json?.t === 'hook') void hook(json);
    else if (json?.t === 'command') void command(json);
    else if (json?.t === 'attach') down({ t: 'reply', id: 0, error: wrong(notHere('attach')) });
    else if (json?.t !== 'hello') link.close();
  };
  link.onFrame(take);
}

/** One call of the agent's hook. Contract: never rejects; what cannot be judged is not allowed. */
export async function callHook(
  host: Pick<Host, 'hookSecret' | 'work'>,
  { secret, event, payload }: Omit<HookCall, 't'>,
  gone: Promise<void>,
): Promise<HookReplyFrame> {
  const refused = (why: string) => ({ stdout: '', stderr: `Reins: ${why}\n`, exit: 2 });
  if (secret !== host.hookSecret) return refused('this hook belongs to another session');
  const { hook } = host.work;
  if (!hook) return refused(`nobody expects the hook ${event}`);
  try {
    return await hook(event, payload, gone);
  } catch (error) {
    return refused(new ReinsError('BUG', { reason: (error as Error).message }).message);
  }
}

const notHere = (what: string): ReinsError =>
  new ReinsError('USAGE', { problem: `the hook’s socket takes no ${what}`, fix: 'it is for hooks and `reins emit`' });

const wrong = ({ code, message, hint, data }: ReinsError) => ({ code, message, hint, data });
