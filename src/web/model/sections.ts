/** The sessions of this machine, sorted into what a person looks for. */
import { computed } from '@preact/signals';
import { rows, type SessionRow, silent } from './store.js';

const byStart = (a: SessionRow, b: SessionRow): number => b.started_at.localeCompare(a.started_at);
const byEnd = (a: SessionRow, b: SessionRow): number =>
  (b.ended_at ?? b.started_at).localeCompare(a.ended_at ?? a.started_at);

const all = computed(() => [...rows.value.values()]);

/** Something is wrong with its host, which somebody should look at. */
const isTrouble = (row: SessionRow): boolean =>
  (row.left ?? 0) > 0 || (row.state !== 'ended' && (row.other !== undefined || silent.value.has(row.id)));
const isOpen = (row: SessionRow): boolean => row.state !== 'ended' && !isTrouble(row);
const rests = (row: SessionRow): boolean =>
  row.state !== 'asking' &&
  (row.state === 'idle' || row.state === 'paused' || row.limited === true || row.until !== undefined);

/** Who asks comes first. */
export const working = computed(() =>
  all.value
    .filter((row) => isOpen(row) && !rests(row))
    .sort((a, b) => Number(b.state === 'asking') - Number(a.state === 'asking') || byStart(a, b)),
);
export const resting = computed(() => all.value.filter((row) => isOpen(row) && rests(row)).sort(byStart));
export const trouble = computed(() => all.value.filter(isTrouble).sort(byStart));
export const over = computed(() => all.value.filter((row) => row.state === 'ended' && !isTrouble(row)).sort(byEnd));

/** Trouble first, then what lives, then what ended last. */
export const everySession = computed(() => [...trouble.value, ...working.value, ...resting.value, ...over.value]);

/** By folder, folders with the newest first; what lives before what ended. */
export const byFolder = computed(() => {
  const folders = new Map<string, SessionRow[]>();
  for (const row of everySession.value) folders.set(row.cwd, [...(folders.get(row.cwd) ?? []), row]);
  return [...folders];
});
