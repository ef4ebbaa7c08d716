/** `reins serve`: the hub, in the foreground, until it is told to end. One line to let the first device in; the rest is in its log. */
import { renderUnicodeCompact } from 'uqr';
import { ReinsError } from '../../contract/index.js';
import { type HubOptions, startHub } from '../../hub/index.js';
import { refuseConsulted, refuseInside } from '../../sessions/inside.js';
import { userSettings } from '../../sessions/run.js';
import type { Context } from '../context.js';
import { openHubLog } from '../hub-beside.js';

export interface ServeFlags {
  port?: string;
  host?: string;
  url?: string;
  tlsCert?: string;
  tlsKey?: string;
  insecureBind?: boolean;
  /** `--no-pair`: no link is made. */
  pair?: boolean;
  json?: boolean;
  set?: string[];
}

export async function serve(context: Context, flags: ServeFlags): Promise<number> {
  refuseConsulted(context);
  refuseInside(context, 'start the hub', 'run it from a terminal of your own');
  const { channels, env } = context;
  const { log, file } = openHubLog(context);
  try {
    const { cwd, version } = context;
    const hub = await startHub({ env, cwd, version }, { ...hubOptions(context, flags), log: log.room('hub') });
    const ended = new Promise<void>((resolve) => {
      // Not SIGHUP: under nohup it is to be ignored, and a closed terminal ends it anyway.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    });
    // One page's mistake is not everybody's: it is on record, and the others go on.
    for (const kind of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(kind, (error: unknown) =>
        log.log('error', kind, { reason: String((error as Error)?.stack ?? error) }),
      );
    const first = flags.pair === false ? undefined : hub.invite({ right: 'admin', namespaces: ['*'] });
    if (flags.json) {
      const until = first && { link: first.link, link_until: new Date(first.until).toISOString() };
      channels.json({ url: hub.url, address: hub.address, pid: process.pid, log: file, ...until });
    } else if (first) {
      channels.out(`${first.link}\n`);
      if (process.stdout.isTTY) channels.out(`${renderUnicodeCompact(first.link)}\n`);
      channels.chrome('Open it once, within 5 minutes, in the browser that is to be let in. Others: reins pair');
    } else channels.out(`${hub.url}\n`);
    await ended;
    await hub.close();
    return 0;
  } finally {
    log.close();
  }
}

function hubOptions(context: Context, flags: ServeFlags): Omit<HubOptions, 'log'> {
  const { hub } = userSettings(context, flags.set === undefined ? {} : { set: flags.set });
  const port = flags.port === undefined ? hub.port : Number(flags.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw usage(`--port ${flags.port} is no port`, 'like 7433');
  if ((flags.tlsCert === undefined) !== (flags.tlsKey === undefined))
    throw usage('a certificate and its key go together', 'give both --tls-cert and --tls-key');
  const url = flags.url ?? hub.url;
  if (url !== undefined && !isAddress(url))
    throw usage(`--url ${url} is no address of a hub`, 'like https://reins.example.com');
  const tls =
    flags.tlsCert !== undefined && flags.tlsKey !== undefined ? { cert: flags.tlsCert, key: flags.tlsKey } : hub.tls;
  return {
    port,
    host: flags.host ?? hub.host,
    ...(url === undefined ? {} : { url }),
    ...(tls === undefined ? {} : { tls }),
    ...(flags.insecureBind ? { insecure: true } : {}),
  };
}

/** Nothing but a scheme and a host: the page's own paths begin at its root. */
function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, hash, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && pathname === '/' && search + hash + username + password === '';
}

const usage = (problem: string, fix: string): ReinsError => new ReinsError('USAGE', { problem, fix });
