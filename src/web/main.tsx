/** The page begins here. */
import { signal } from '@preact/signals';
import { render } from 'preact';
import { ask } from './model/api.js';
import './style/main.css';

const hub = signal('Reins');
void ask('me', {}).then(
  (me) => {
    hub.value = me.hub.name;
  },
  () => undefined, // not let in yet
);
render(<h1>{hub}</h1>, document.getElementById('page')!);
