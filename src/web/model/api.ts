/**
 * The hub over HTTP, by its table of routes: one function for all of them. What fails has the hub's own words. A POST that
 * changes something carries a key where the route has one, so that it may be sent again.
 */
import { HUB_ROUTES, type RouteArgs, type RouteName, type RouteResult } from '../../contract/page.js';

export class HubError extends Error {
  readonly code: string;
  readonly status: number;
  readonly hint: string;
  constructor(status: number, said: { code?: string; message?: string; hint?: string } = {}) {
    super(said.message ?? `the hub said ${status}`);
    this.status = status;
    this.code = said.code ?? 'UNKNOWN';
    this.hint = said.hint ?? '';
  }
}

/** No answer at all: no network, or no hub. */
export class Unreached extends Error {}

type AskGiven<K extends RouteName> = { id?: string; signal?: AbortSignal } & (Record<never, never> extends RouteArgs<K>
  ? { args?: RouteArgs<K> }
  : { args: RouteArgs<K> });

/** Contract: throws HubError with what the hub said, Unreached where nothing was said. */
export async function ask<K extends RouteName>(route: K, given: AskGiven<K>): Promise<RouteResult<K>> {
  const { method, path } = HUB_ROUTES[route];
  const args = (given.args ?? {}) as Record<string, unknown>;
  const where = path.replace(':id', encodeURIComponent(given.id ?? ''));
  const query = new URLSearchParams();
  if (method === 'GET')
    for (const [name, value] of Object.entries(args)) if (value !== undefined) query.set(name, String(value));
  const address = query.size > 0 ? `${where}?${query}` : where;
  const body = method === 'POST' ? { body: JSON.stringify(args), headers: { 'content-type': 'application/json' } } : {};
  const reply = await fetch(address, { method, ...body, ...(given.signal ? { signal: given.signal } : {}) }).catch(
    () => {
      throw new Unreached('the hub does not answer');
    },
  );
  const said = (await reply.json().catch(() => ({}))) as { error?: object };
  if (!reply.ok) throw new HubError(reply.status, said.error);
  return said as RouteResult<K>;
}
