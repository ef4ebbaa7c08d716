/**
 * How this browser is let in: the secret comes in the fragment of the link, leaves the address at once, and is first shown to the hub to
 * learn what the link gives. It is used when the person says so.
 */
import { signal } from '@preact/signals';
import type { Invitation, RouteResult } from '../../contract/page.js';
import { ask, HubError } from './api.js';
import { forgetAll } from './kept.js';

interface Failed {
  words: string;
  hint: string;
  /** The link is of no use, now or later. */
  over: boolean;
}

export const secret = signal('');
export const name = signal('');
/** What the link gives; undefined until the hub has said so. */
export const invited = signal<Invitation | undefined>(undefined);
export const busy = signal(false);
export const wrong = signal<Failed | undefined>(undefined);
export const entered = signal<RouteResult<'pair'> | undefined>(undefined);

export function takeSecret(): void {
  const found = location.hash.slice(1);
  if (found === '') return;
  secret.value = found;
  entered.value = undefined;
  history.replaceState(history.state, '', location.pathname);
  void look();
}

export async function look(): Promise<void> {
  const asked = secret.value;
  invited.value = undefined;
  await trying(async () => {
    const said = await ask('pair-look', { args: { secret: asked } });
    // Another link may have been opened meanwhile.
    if (secret.value === asked) invited.value = said;
  }, asked);
}

export async function pair(): Promise<void> {
  const called = name.value.trim();
  const asked = secret.value;
  await trying(async () => {
    entered.value = await ask('pair', { args: { secret: asked, ...(called === '' ? {} : { name: called }) } });
    secret.value = '';
    await forgetAll();
  }, asked);
}

async function trying(does: () => Promise<void>, asked: string): Promise<void> {
  busy.value = true;
  wrong.value = undefined;
  let failed: Failed | undefined;
  try {
    await does();
  } catch (error) {
    const said = error instanceof HubError ? error : undefined;
    failed = {
      words: said?.message ?? 'The hub does not answer.',
      hint: said?.hint ?? 'Try again when it does.',
      over: said?.code === 'PAIRING_OVER',
    };
  }
  // What is said of a link that is no longer the one on the page is of no interest.
  if (secret.value !== asked && secret.value !== '') return;
  wrong.value = failed;
  if (failed?.over) invited.value = undefined;
  busy.value = false;
}
