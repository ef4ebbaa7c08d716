/** The sessions of this machine, sorted into what a person looks for. */
import { computed } from '@preact/signals';
import { route } from './routes.js';
import { rows, type SessionRow, silent } from './store.js';

const byStart = (a: SessionRow, b: SessionRow): number => b.started_at.localeCompare(a.started_at);
const byEnd = (a: SessionRow, b: SessionRow): number =>
  (b.ended_at ?? b.started_at).localeCompare(a.ended_at ?? a.started_at);

const all = computed(() => [...rows.value.values()]);

/** The sections, in the order in which chips offer them. Each session stands in one. */
export const SECTIONS = ['asking', 'working', 'resting', 'trouble', 'ended'] as const;
export type SessionSection = (typeof SECTIONS)[number];

/** Something is wrong with its host, which somebody should look at. */
const isTrouble = (row: SessionRow): boolean =>
  (row.left ?? 0) > 0 || (row.state !== 'ended' && (row.other !== undefined || silent.value.has(row.id)));

/** The one decision: Now, the chips of Sessions and the left pane all go by it. */
export function sectionOf(row: SessionRow): SessionSection {
  if (isTrouble(row)) return 'trouble';
  if (row.state === 'ended' || row.state === 'asking') return row.state;
  const rests = row.state === 'idle' || row.state === 'paused' || row.limited === true || row.until !== undefined;
  return rests ? 'resting' : 'working';
}

const sorted = computed(() => {
  const found = new Map<SessionSection, SessionRow[]>(SECTIONS.map((name) => [name, []]));
  for (const row of all.value) found.get(sectionOf(row))!.push(row);
  for (const [name, list] of found) list.sort(name === 'ended' ? byEnd : byStart);
  return found;
});

export const asking = computed(() => sorted.value.get('asking')!);
export const working = computed(() => sorted.value.get('working')!);
export const resting = computed(() => sorted.value.get('resting')!);
export const trouble = computed(() => sorted.value.get('trouble')!);
export const over = computed(() => sorted.value.get('ended')!);

/** Trouble first, then who asks, what lives, and what ended last. */
export const everySession = computed(() => [
  ...trouble.value,
  ...asking.value,
  ...working.value,
  ...resting.value,
  ...over.value,
]);

/** More would push what lives in the next folder out of sight. */
const MOST_ENDED = 3;

export interface FolderOfSessions {
  cwd: string;
  list: SessionRow[];
  /** Ended ones that are not in the list. */
  more: number;
}

/** By folder, folders with the newest first; what lives before what ended lately. */
export const byFolder = computed((): FolderOfSessions[] => {
  const folders = new Map<string, FolderOfSessions>();
  for (const row of everySession.value) {
    const one = folders.get(row.cwd) ?? { cwd: row.cwd, list: [], more: 0 };
    folders.set(row.cwd, one);
    const isMany = one.list.filter((other) => sectionOf(other) === 'ended').length >= MOST_ENDED;
    if (isMany && sectionOf(row) === 'ended' && row.id !== route.value.session) one.more += 1;
    else one.list.push(row);
  }
  return [...folders.values()];
});
