/** What is being written on the new-session screen: kept over a change of screens, checked as it is typed, sent once. */
import { computed, signal } from '@preact/signals';
import type { RouteArgs, RouteResult } from '../../contract/page.js';
import { ask, HubError } from './api.js';
import { draft } from './drafts.js';
import { go, sessionPath } from './routes.js';

export type Agents = RouteResult<'agents'>;
export type Folders = RouteResult<'folders'>;

export const folder = signal('');
export const prompt = draft('new-session');
export const agent = signal('');
export const alone = signal(true);
export const trust = signal<'guarded' | 'full'>('guarded');
export const limits = { iterations: signal(''), dollars: signal(''), hours: signal('') };
/** The person read what the folder brings along, and said yes. */
export const follows = signal(false);

export const agents = signal<Agents | undefined>(undefined);
export const recents = signal<Folders>([]);
export const check = signal<Folders[number] | undefined>(undefined);
export const plan = signal<RouteResult<'plan'> | undefined>(undefined);
export const planned = signal<'no' | 'asking' | 'yes'>('no');
export const starting = signal(false);
export const wrong = signal<{ words: string; hint: string; code?: string } | undefined>(undefined);

/** One for each new session: a start that is sent again starts nothing twice. */
let key = crypto.randomUUID();
const CHECK_MS = 250;

const number = (text: string): number | undefined => {
  const value = Number(text.replace(',', '.'));
  return text.trim() === '' || !Number.isFinite(value) || value <= 0 ? undefined : value;
};

export const wish = computed((): RouteArgs<'plan'> => {
  const [iterations, dollars, hours] = [
    number(limits.iterations.value),
    number(limits.dollars.value),
    number(limits.hours.value),
  ];
  return {
    cwd: folder.value.trim(),
    ...(prompt.value.trim() === '' ? {} : { prompt: prompt.value }),
    ...(agent.value === '' ? {} : { agent: agent.value }),
    mode: alone.value ? 'autonomous' : 'interactive',
    trust: trust.value,
    ...(alone.value && iterations !== undefined ? { max_iterations: Math.max(1, Math.round(iterations)) } : {}),
    ...(dollars === undefined ? {} : { max_cost_usd: dollars }),
    ...(alone.value && hours !== undefined ? { max_runtime_seconds: Math.max(1, Math.round(hours * 3600)) } : {}),
    ...(follows.value ? { follow: true } : {}),
  };
});

/** Why it cannot start yet; undefined when it can. */
export const missing = computed((): string | undefined => {
  if (folder.value.trim() === '') return 'Choose a folder.';
  if (check.value?.path === folder.value.trim() && !check.value.ok)
    return check.value.why ?? 'That folder is not there.';
  if (alone.value && prompt.value.trim() === '')
    return 'Say what is to be done: an agent that works alone needs a prompt.';
  return undefined;
});

const told = (error: unknown): { words: string; hint: string; code?: string } =>
  error instanceof HubError
    ? { words: error.message, hint: error.hint, code: error.code }
    : { words: 'The hub does not answer.', hint: 'What you wrote is kept.' };

/** Agents and recent folders, asked each time the screen is opened. */
export async function lookAround(): Promise<void> {
  try {
    const [found, known] = await Promise.all([ask('agents', {}), ask('folders', {})]);
    agents.value = found;
    recents.value = known;
    if (agent.value === '' || !found.some(({ id, found: there }) => id === agent.value && there))
      agent.value = found.find((one) => one.found)?.id ?? '';
    if (folder.value === '' && known[0] !== undefined) setFolder(known[0].path);
    wrong.value = undefined;
  } catch (error) {
    wrong.value = told(error);
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;

export function setFolder(path: string): void {
  folder.value = path;
  follows.value = false;
  changed();
  clearTimeout(timer);
  const asked = path.trim();
  if (asked === '') return;
  timer = setTimeout(async () => {
    const [found] = await ask('folders', { args: { path: asked } }).catch(() => []);
    if (found !== undefined && folder.value.trim() === asked) check.value = { ...found, path: asked };
  }, CHECK_MS);
}

/** What was planned is no longer what would run. */
export function changed(): void {
  plan.value = undefined;
  planned.value = 'no';
  wrong.value = undefined;
}

export async function makePlan(): Promise<void> {
  planned.value = 'asking';
  const asked = wish.value;
  try {
    const said = await ask('plan', { args: asked });
    if (JSON.stringify(asked) !== JSON.stringify(wish.value)) return;
    plan.value = said;
    planned.value = 'yes';
    wrong.value = undefined;
  } catch (error) {
    planned.value = 'no';
    wrong.value = told(error);
  }
}

/** `beside`: also where another loop works in the folder. Contract: with something the folder brings along and nobody said yes to, it asks for that first and starts nothing. */
export async function start(beside = false): Promise<void> {
  starting.value = true;
  wrong.value = undefined;
  try {
    if (plan.value === undefined) await makePlan();
    if (wrong.value !== undefined || ((plan.value?.needs?.length ?? 0) > 0 && !follows.value)) return;
    const { id } = await ask('start', { args: { ...wish.value, ...(beside ? { share_folder: true } : {}), key } });
    key = crypto.randomUUID();
    prompt.value = '';
    changed();
    go(sessionPath(id), 'replace');
  } catch (error) {
    wrong.value = told(error);
  } finally {
    starting.value = false;
  }
}
