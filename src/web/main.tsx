/** The page begins here: what was last known is shown, then the hub is asked. */
import { effect } from '@preact/signals';
import { render } from 'preact';
import { watchUnsent } from './model/answers.js';
import { watchBadge } from './model/badge.js';
import { watchPerson } from './model/here.js';
import { watchKeys } from './model/keys.js';
import { wearLooks } from './model/looks.js';
import { watchBuild } from './model/newer.js';
import { keepPicture, recall } from './model/offline.js';
import { watchOutbox } from './model/outbox.js';
import { watchAddress } from './model/routes.js';
import { begin } from './model/socket.js';
import { cards, catching, connection } from './model/store.js';
import { recallTapped } from './model/tapped.js';
import { watchUnread } from './model/unread.js';
import { watchRoom } from './model/viewport.js';
import './style/main.css';
import { Shell } from './views/shell.js';

wearLooks();
watchRoom();
watchAddress();
keepPicture();
watchPerson();
watchBadge();
watchUnsent();
watchKeys();
effect(() => {
  const { state } = connection.value;
  document.body.dataset.state = state === 'live' && catching.value > 0 ? 'behind' : state;
});
effect(() => {
  document.title = cards.value.size > 0 ? `(${cards.value.size}) Reins` : 'Reins';
});
await Promise.all([recall(), recallTapped()]);
render(<Shell />, document.getElementById('page')!);
begin();
watchOutbox();
void watchUnread();
watchBuild();
