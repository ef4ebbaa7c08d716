/** One session: chat and terminal. */
import { useEffect, useMemo } from 'preact/hooks';
import { follow } from '../model/follow.js';

export interface SessionViewProps {
  session: string;
  tab?: string;
}

export function SessionView({ session }: SessionViewProps) {
  const followed = useMemo(() => follow(session), [session]);
  useEffect(() => () => followed.close(), [followed]);
  return (
    <section class="session" data-view="session">
      <h1>{followed.row.value?.name ?? session}</h1>
      <ol>
        {followed.entries.value.map((entry) => (
          <li key={entry.seq} data-seq={entry.seq}>
            {entry.type}
          </li>
        ))}
      </ol>
    </section>
  );
}
