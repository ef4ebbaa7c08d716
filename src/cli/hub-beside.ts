/** The hub beside a command that shows something: in this process, so that it ends with it whatever happens. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ReinsError } from '../contract/index.js';
import { makeOffer, pairLink, runningHub } from '../hub/local.js';
import { createLog, defaultLogFile, type OpenLog, secretsFrom } from '../log/index.js';
import { insideSession } from '../sessions/inside.js';
import type { Context } from './context.js';

export function openHubLog({ env, channels }: Context): { log: OpenLog; file: string } {
  const file = defaultLogFile(env, 'hub');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const writeStderr = (text: string): void => channels.complain(text.trimEnd());
  const log = createLog({ file, level: 'info', format: 'json', now: Date.now, writeStderr, secrets: secretsFrom(env) });
  return { log, file };
}

export interface HubBeside {
  /** Lets one browser in. Undefined where there is no hub. */
  link: string | undefined;
  close(): Promise<void>;
}

const OWNER = { right: 'admin', namespaces: ['*'] } as const;

/** Of the hub that runs, or of one that is started for as long as this command lives. Contract: never throws. */
export async function hubBeside(context: Context): Promise<HubBeside> {
  const none = { link: undefined, close: async () => undefined };
  const { env, cwd, version } = context;
  // An agent starts no hub and lets nobody in, by this way as by `reins serve` and `reins pair`.
  if (insideSession(context)) return none;
  try {
    const owner = { ...OWNER, namespaces: [...OWNER.namespaces] };
    const running = runningHub(env);
    if (running) return { ...none, link: pairLink(running.url, makeOffer(env, owner, Date.now()).secret) };
    const { startHub } = await import('../hub/index.js');
    const { userSettings } = await import('../sessions/run.js');
    const { port } = userSettings(context, {}).hub;
    const { log } = openHubLog(context);
    const start = (at: number) =>
      startHub({ env, cwd, version }, { port: at, host: '127.0.0.1', log: log.room('hub') });
    const hub = await start(port).catch((error: unknown) => {
      // Its usual place is taken: for a while any will do.
      if (error instanceof ReinsError && error.code === 'HUB_UNBOUND') return start(0);
      throw error;
    });
    return {
      link: hub.invite(owner).link,
      close: () => hub.close().finally(() => log.close()),
    };
  } catch {
    return none; // the page is an extra: what was asked for goes on without it
  }
}
