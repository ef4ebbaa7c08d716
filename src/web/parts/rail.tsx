/** What needs you, always visible beside a session on a wide screen, and answered by keys. */
import { useEffect } from 'preact/hooks';
import { watchCardKeys } from './card-keys.js';
import { CardList } from './card-list.js';

export function Rail() {
  useEffect(watchCardKeys, []);
  return <CardList />;
}
