/** Push as a part of the hub: between what all sessions are, who is at a page, and the devices. */
import { userSettings } from '../../sessions/run.js';
import type { HubHandlers } from '../handlers.js';
import type { LiveParts } from '../live.js';
import type { HubTools } from '../parts.js';
import { inScope } from '../scope.js';
import { createPush } from './index.js';

type PushHandlers = Pick<HubHandlers, 'push' | 'subscribe' | 'unsubscribe' | 'push-test'>;

export function makePush(tools: HubTools, live: LiveParts): { handlers: PushHandlers; close(): Promise<void> } {
  const { where, clock, log, devices } = tools;
  const { hub, notify } = userSettings(where, {});
  // Read once and when told: what is looked at with every card is not read from disk each time.
  let known = devices.all();
  const { pusher, routes } = createPush({
    clock,
    log,
    env: where.env,
    hosts: hub.push_hosts,
    url: tools.url,
    ...(hub.push_contact === undefined ? {} : { contact: hub.push_contact }),
    isOff: !notify.push,
    picture: live.watching,
    devices: () => known,
    sees: inScope,
    isHere: (id) => live.people.isAt(({ device }) => device.id === id),
    callableChanged: () => live.people.tell(),
  });
  devices.onChange(() => {
    known = devices.all();
    pusher.devicesChanged();
  });
  live.callable(() => pusher.callable().map((device) => ({ ...device, sees: (row) => inScope(device, row) })));
  const quiet = [live.watching.listen((news) => pusher.told(news)), live.people.changed(() => pusher.look())];
  void live.watching.ready.then(() => pusher.ready());
  return {
    handlers: {
      push: ({ device }) => routes.state(device),
      subscribe: ({ device, args }) => routes.subscribe(device, args),
      unsubscribe: ({ device }) => routes.unsubscribe(device),
      'push-test': ({ device }) => routes.test(device),
    },
    async close() {
      for (const stop of quiet) stop();
      await pusher.close();
    },
  };
}
