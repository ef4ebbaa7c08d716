/** Rows of sessions, as Now, Sessions and the left pane show them. */
import { route, sessionPath } from '../model/routes.js';
import { shownState } from '../model/session-state.js';
import { now, type SessionRow, silent } from '../model/store.js';
import { unread } from '../model/unread.js';
import { seenText } from '../model/visible.js';
import { count, folderName } from '../model/words.js';

export function SessionItem({ row, place }: { row: SessionRow; place: 'list' | 'folder' }) {
  const state = shownState(row, silent.value.get(row.id), now.value);
  const fresh = unread(row);
  // Where the state says it in words already, the detail would say it again.
  const said = row.said?.text ?? (state.is === 'died' || state.is === 'other' ? undefined : row.detail);
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
      {fresh > 0 && (
        <span class="unread" title={`${count(fresh, 'message')} not seen here`}>
          {fresh > 99 ? '99+' : fresh}
        </span>
      )}
      {place === 'list' && said !== undefined && <span class="cut faint small said">{seenText(said)}</span>}
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
