/** All sessions this device sees: found by name, folder or agent, narrowed by what they do. */
import { signal } from '@preact/signals';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { route } from '../model/routes.js';
import { everySession, SECTIONS, type SessionSection, sectionOf } from '../model/sections.js';
import type { SessionRow } from '../model/store.js';
import { seenText } from '../model/visible.js';
import { folderName } from '../model/words.js';
import { SessionRows } from '../parts/session-list.js';

/** Drawn at once; more when asked for, so that hundreds do not slow a phone. */
const PAGE = 60;

const wanted = signal('');
const kind = signal<SessionSection | undefined>(undefined);
const folder = signal<string | undefined>(undefined);
const shown = signal(PAGE);
/** More would be a list of their own: the search field finds them. */
const MOST_FOLDERS = 6;

const matches = (row: SessionRow, words: readonly string[]): boolean => {
  const text = `${row.name} ${row.cwd} ${row.agent} ${row.id}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

export function SessionsView() {
  const { query } = route.value;
  const named = query.get('folder') ?? undefined;
  // Who comes for a folder sees all of it.
  useLayoutEffect(() => {
    if (named === undefined) return;
    folder.value = named;
    wanted.value = '';
    kind.value = undefined;
  }, [query]);
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = everySession.value;
  const typed = wanted.value;
  const found = useMemo(() => all.filter((row) => matches(row, words)), [all, typed]);
  const inFolder = folder.value === undefined ? found : found.filter(({ cwd }) => cwd === folder.value);
  const list = kind.value === undefined ? inFolder : inFolder.filter((row) => sectionOf(row) === kind.value);
  const chosen = folder.value;
  const folders = useMemo(() => {
    const most = [...new Set(found.map(({ cwd }) => cwd))].slice(0, MOST_FOLDERS);
    return chosen === undefined || most.includes(chosen) ? most : [chosen, ...most];
  }, [found, chosen]);
  return (
    <div class="view sessions" data-view="sessions">
      <h1 class="unseen">Sessions</h1>
      <div class="finder">
        <input
          class="field"
          type="search"
          data-find
          placeholder="Name, folder or agent"
          aria-label="Find a session by name, folder or agent"
          value={wanted.value}
          onInput={(event) => {
            wanted.value = event.currentTarget.value;
            shown.value = PAGE;
          }}
        />
        <fieldset class="chips" aria-label="Show only">
          {SECTIONS.map((name) => {
            const count = inFolder.filter((row) => sectionOf(row) === name).length;
            if (count === 0 && kind.value !== name) return null;
            return (
              <button
                key={name}
                type="button"
                class="chip"
                data-kind={name}
                aria-pressed={kind.value === name}
                onClick={() => {
                  kind.value = kind.value === name ? undefined : name;
                }}
              >
                {name} <span class="faint">{count}</span>
              </button>
            );
          })}
          {(folders.length > 1 || chosen !== undefined) &&
            folders.map((cwd) => (
              <button
                key={cwd}
                type="button"
                class="chip"
                data-folder={cwd}
                title={cwd}
                aria-pressed={folder.value === cwd}
                onClick={() => {
                  folder.value = folder.value === cwd ? undefined : cwd;
                }}
              >
                {seenText(folderName(cwd))}
              </button>
            ))}
        </fieldset>
      </div>
      <SessionRows list={list.slice(0, shown.value)} />
      {list.length > shown.value && (
        <button
          type="button"
          class="button more"
          onClick={() => {
            shown.value += PAGE;
          }}
        >
          Show {Math.min(PAGE, list.length - shown.value)} more of {list.length}
        </button>
      )}
      {list.length === 0 && (
        <div class="calm">
          <p class="calm-title">{all.length === 0 ? 'No session yet.' : 'None like that.'}</p>
          {all.length > 0 && (
            <button
              type="button"
              class="button"
              onClick={() => {
                wanted.value = '';
                kind.value = undefined;
                folder.value = undefined;
              }}
            >
              Show all {all.length}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
