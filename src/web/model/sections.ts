/** The sessions of this machine, sorted into what a person looks for. */
import { computed } from '@preact/signals';
import { rows, type SessionRow } from './store.js';

const byStart = (a: SessionRow, b: SessionRow): number => b.started_at.localeCompare(a.started_at);
const byEnd = (a: SessionRow, b: SessionRow): number =>
  (b.ended_at ?? b.started_at).localeCompare(a.ended_at ?? a.started_at);

const all = computed(() => [...rows.value.values()]);

/** What lives, or died and left something behind. */
const isOpen = (row: SessionRow): boolean => row.state !== 'ended' || (row.left ?? 0) > 0;
const rests = (row: SessionRow): boolean => row.state === 'idle' || row.state === 'paused' || row.until !== undefined;

export const working = computed(() => all.value.filter((row) => isOpen(row) && !rests(row)).sort(byStart));
export const resting = computed(() => all.value.filter((row) => isOpen(row) && rests(row)).sort(byStart));
export const over = computed(() => all.value.filter((row) => !isOpen(row)).sort(byEnd));

/** Asking first, then what lives, then what ended last. */
export const everySession = computed(() => [...working.value, ...resting.value, ...over.value]);

/** By folder, folders with the newest first; what lives before what ended. */
export const byFolder = computed(() => {
  const folders = new Map<string, SessionRow[]>();
  for (const row of everySession.value) folders.set(row.cwd, [...(folders.get(row.cwd) ?? []), row]);
  return [...folders];
});
