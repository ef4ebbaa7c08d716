/** Rows of sessions, as Now, Sessions and the left pane show them. */
import { route, sessionPath } from '../model/routes.js';
import { shownState } from '../model/session-state.js';
import { now, type SessionRow, silent } from '../model/store.js';
import { count, folderName } from '../model/words.js';

export function SessionItem({ row }: { row: SessionRow }) {
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
        {row.agent} · {folderName(row.cwd)}
      </span>
      <span class="cut small state" title={row.detail}>
        {state.words}
      </span>
    </a>
  );
}

export function SessionRows({ list }: { list: readonly SessionRow[] }) {
  return (
    <ul class="session-rows">
      {list.map((row) => (
        <li key={row.id}>
          <SessionItem row={row} />
        </li>
      ))}
    </ul>
  );
}
