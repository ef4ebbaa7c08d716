/**
 * Text that was begun and not sent: kept in this browser under a name (`message:ID`, `reason:INQUIRY`), so that neither a reload nor
 * a lost connection eats it. Whoever sent it empties it. Nothing secret belongs here.
 */
import { effect, type Signal, signal } from '@preact/signals';
import { keep, kept } from './kept.js';

const SAVE_MS = 300;
const drafts = new Map<string, Signal<string>>();

/** The draft of this name: one signal for all who show it. */
export function draft(name: string): Signal<string> {
  const known = drafts.get(name);
  if (known !== undefined) return known;
  const text = signal('');
  drafts.set(name, text);
  let due: ReturnType<typeof setTimeout> | undefined;
  let recalled = false;
  const save = (): void => {
    clearTimeout(due);
    due = undefined;
    void keep(`draft:${name}`, text.peek() === '' ? undefined : text.peek());
  };
  void kept<string>(`draft:${name}`).then((before) => {
    recalled = true;
    // What is typed while it was looked up is newer.
    if (before !== undefined && text.peek() === '') text.value = before;
  });
  effect(() => {
    if (text.value === '' && !recalled) return;
    due ??= setTimeout(save, SAVE_MS);
  });
  addEventListener('pagehide', () => due !== undefined && save());
  return text;
}
