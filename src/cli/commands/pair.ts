/** `reins pair`: a link that lets one more browser or phone in, once. It is an offer on disk, which the hub takes: now, or when it runs. */
import { renderUnicodeCompact } from 'uqr';
import { isRight, NAMESPACE, ReinsError } from '../../contract/index.js';
import { cleanName, makeOffer, OFFER_MINUTES, pairLink, runningHub } from '../../hub/local.js';
import { findSession } from '../../sessions/index.js';
import { refuseConsulted, refuseInside } from '../../sessions/inside.js';
import { userSettings } from '../../sessions/run.js';
import type { Context } from '../context.js';

export interface PairFlags {
  scope: string;
  name?: string;
  session?: string;
  expires?: string;
  namespace: string[];
  json?: boolean;
}

/** A guest of one session that nobody gave a time. */
const GUEST_MS = 24 * 3600_000;
const LONGEST_MS = 366 * 24 * 3600_000;

export async function pair(context: Context, flags: PairFlags): Promise<number> {
  refuseConsulted(context);
  refuseInside(context, 'let a device in', 'run it from a terminal of your own');
  const { channels, env } = context;
  if (!isRight(flags.scope)) throw usage(`--scope ${flags.scope} is no right`, 'use view, answer, type or admin');
  const session = flags.session === undefined ? undefined : findSession(context, flags.session).id;
  const lasts = flags.expires === undefined ? (session === undefined ? undefined : GUEST_MS) : span(flags.expires);
  const namespaces = flags.namespace.length > 0 ? flags.namespace : ['*'];
  const odd = namespaces.find((name) => name !== '*' && !NAMESPACE.test(name));
  if (odd !== undefined) throw usage(`--namespace ${odd} is no name of a namespace`, 'like work, or * for all');
  const hub = runningHub(env);
  const base = hub?.url ?? planned(context);
  const { secret, until } = makeOffer(
    env,
    {
      right: flags.scope,
      namespaces,
      ...(session === undefined ? {} : { session }),
      ...(flags.name === undefined ? {} : { name: cleanName(flags.name) }),
      ...(lasts === undefined ? {} : { lasts_ms: lasts }),
    },
    Date.now(),
  );
  const link = pairLink(base, secret);
  if (flags.json) {
    const facts = { right: flags.scope, namespaces, ...(session === undefined ? {} : { session }) };
    channels.json({ link, until: new Date(until).toISOString(), running: hub !== undefined, ...facts });
    return 0;
  }
  channels.out(`${link}\n`);
  if (process.stdout.isTTY) channels.out(`${renderUnicodeCompact(link)}\n`);
  const what = session === undefined ? `may ${flags.scope}` : `may ${flags.scope} in session ${session}`;
  channels.chrome(`Good once, for ${OFFER_MINUTES} minutes: who opens it ${what}. Let out again: reins devices revoke`);
  if (!hub)
    channels.chrome(`No hub runs. Start it within ${OFFER_MINUTES} minutes, with the same settings: reins serve`);
  return 0;
}

/** Where a hub would be reached that is started now. */
function planned(context: Context): string {
  const { hub } = userSettings(context, {});
  return hub.url ?? `${hub.tls ? 'https' : 'http'}://${hub.host}:${hub.port}`;
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3600_000, d: 24 * 3600_000 };

function span(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
  if (!(ms > 0 && ms <= LONGEST_MS)) throw usage(`--expires ${text} is no span of time`, 'like 30m, 8h or 7d');
  return ms;
}

const usage = (problem: string, fix: string): ReinsError => new ReinsError('USAGE', { problem, fix });
