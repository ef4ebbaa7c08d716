/** Rows of sessions, as Now, Sessions and the left pane show them. */
import { route, sessionPath } from '../model/routes.js';
import { shownState } from '../model/session-state.js';
import { now, type SessionRow, silent } from '../model/store.js';
import { count, folderName } from '../model/words.js';

export function SessionItem({ row, place }: { row: SessionRow; place: 'list' | 'folder' }) {
  const state = shownState(row, silent.value.get(row.id), now.value);
  const here = route.value.session === row.id;
  return (
    <a
      class="session-row"
      href={sessionPath(row.id)}
      data-session={row.id}
      data-is={state.is}
      aria-current={here ? 'page' : undefined}
    >
      <span class="dot" data-is={state.is} />
      <span class="cut name">{row.name}</span>
      {row.inquiries > 0 && (
        <span class="count" title={`${count(row.inquiries, 'question')} open`}>
          {row.inquiries}
        </span>
      )}
      <span class="cut soft small where" title={row.cwd}>
        {place === 'list' ? `${row.agent} · ${folderName(row.cwd)}` : row.agent}
      </span>
      <span class="cut small state" title={row.detail}>
        {state.words}
      </span>
    </a>
  );
}

/** `folder`: under the folder's own name, in a narrow pane. */
export function SessionRows({ list, place = 'list' }: { list: readonly SessionRow[]; place?: 'list' | 'folder' }) {
  return (
    <ul class="session-rows">
      {list.map((row) => (
        <li key={row.id}>
          <SessionItem row={row} place={place} />
        </li>
      ))}
    </ul>
  );
}
