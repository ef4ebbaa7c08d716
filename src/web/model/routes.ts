/**
 * Which screen is shown: the address is the truth. `/` Now, `/sessions`, `/s/ID[/TAB]`, `/s/ID/i/INQUIRY`, `/new`, `/settings`,
 * `/pair`. Links of the page itself are followed without loading; everything else is the browser's business.
 */
import { signal } from '@preact/signals';

export interface Route {
  view: 'now' | 'sessions' | 'session' | 'inquiry' | 'new' | 'settings' | 'pair' | 'missing';
  session?: string;
  inquiry?: string;
  /** Of a session: `chat` (default), `terminal`. */
  tab?: string;
  /** `?folder=…` of the new session and the like. */
  query: URLSearchParams;
}

const plain = ['sessions', 'new', 'settings', 'pair'] as const;

/** A part of an address as it was written; undefined for what no address of ours has. */
const decoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined; // a broken escape
  }
};

export function readPath(path: string, search = ''): Route {
  const parts = path.split('/').filter(Boolean).map(decoded);
  const query = new URLSearchParams(search);
  const [first, session, third, inquiry] = parts;
  if (first === undefined && parts.length === 0) return { view: 'now', query };
  if (first === 's' && session !== undefined) {
    if (third === 'i' && inquiry !== undefined) return { view: 'inquiry', session, inquiry, query };
    return { view: 'session', session, query, ...(third === undefined ? {} : { tab: third }) };
  }
  const view = plain.find((name) => name === first && parts.length === 1);
  return { view: view ?? 'missing', query };
}

const here = (): Route => readPath(location.pathname, location.search);

export const route = signal<Route>({ view: 'now', query: new URLSearchParams() });
/** Pages of this visit before this one: without any, "back" leads to Now. */
let depth = 0;

export function go(path: string, how: 'push' | 'replace' = 'push'): void {
  if (path === `${location.pathname}${location.search}` && how === 'push') return;
  if (how === 'push') depth += 1;
  history[how === 'push' ? 'pushState' : 'replaceState']({ depth }, '', path);
  route.value = here();
}

/** To where one came from, or to Now for who was sent here by a notification. */
export function back(): void {
  if (depth > 0) history.back();
  else go('/', 'replace');
}

export const sessionPath = (id: string, tab?: string): string =>
  `/s/${encodeURIComponent(id)}${tab === undefined ? '' : `/${tab}`}`;
export const inquiryPath = (session: string, inquiry: string): string =>
  `/s/${encodeURIComponent(session)}/i/${encodeURIComponent(inquiry)}`;

function follows(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.hasAttribute('download')) return;
  if (link.origin !== location.origin || link.pathname.startsWith('/api/')) return;
  event.preventDefault();
  go(`${link.pathname}${link.search}`);
}

/** Begins to follow the address, links and the browser's own back. */
export function watchAddress(): void {
  depth = (history.state as { depth?: number } | null)?.depth ?? 0;
  route.value = here();
  window.addEventListener('popstate', (event) => {
    depth = (event.state as { depth?: number } | null)?.depth ?? 0;
    route.value = here();
  });
  document.addEventListener('click', follows);
}
