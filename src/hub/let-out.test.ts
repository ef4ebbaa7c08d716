/** W3: what is under way for a device when it is let out is not done, and not told to it. */
import { expect, it } from 'vitest';
import { removeDevice } from './device-files.js';
import { testHub } from './hub.cases.js';

const SESSION = 'aaaa2222';

/** A message whose second half comes when it is told to. */
function slowMessage(hub: ReturnType<typeof testHub>, cookie: string) {
  const [head, rest] = ['{"text":"x",', '"key":"key-12345678"}'];
  let finish: () => void = () => undefined;
  const body = new ReadableStream({
    start(pipe) {
      pipe.enqueue(Buffer.from(head!));
      finish = () => {
        pipe.enqueue(Buffer.from(rest!));
        pipe.close();
      };
    },
  });
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', cookie, headers, body, duplex: 'half' };
  const reply = Promise.resolve(hub.ask(`/api/sessions/${SESSION}/messages`, init as RequestInit));
  return { reply, finish };
}

it('a request whose body comes after its device was let out is refused, and does nothing', async () => {
  const hub = testHub();
  hub.session(SESSION);
  const { device, cookie } = hub.paired({ right: 'type' });
  const slow = slowMessage(hub, cookie);
  // By the command line: nobody has told the hub yet.
  removeDevice(hub.env, device.id);
  slow.finish();
  expect((await slow.reply).status).toBe(401);
  expect(hub.reached).toEqual([]);
});

it('the same of a guest whose time is over by then', async () => {
  const hub = testHub();
  hub.session(SESSION);
  const expires_at = new Date(hub.clock.now() + 1000).toISOString();
  const { cookie } = hub.paired({ right: 'type', session: SESSION, expires_at });
  const slow = slowMessage(hub, cookie);
  hub.clock.advance(1000);
  slow.finish();
  expect((await slow.reply).status).toBe(401);
  expect(hub.reached).toEqual([]);
});

it('one that waits for its end is answered at once, and its handler is told; others’ go on', async () => {
  const signals: AbortSignal[] = [];
  const waits: (() => void)[] = [];
  const hub = testHub({
    handlers: {
      screen: ({ signal }) => {
        signals.push(signal);
        return new Promise((resolve) => waits.push(() => resolve({} as never)));
      },
    },
  });
  hub.session(SESSION);
  const [one, other] = [hub.paired({ right: 'view' }), hub.paired({ right: 'view' })];
  const replies = [one, other].map(({ cookie }) => Promise.resolve(hub.call('screen', { cookie, id: SESSION })));
  await expect.poll(() => signals.length).toBe(2);
  hub.busy.callOff(one.device.id);
  expect((await replies[0]!).status).toBe(401);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  for (const done of waits) done();
  expect((await replies[1]!).status).toBe(200);
});

it('who lets itself out is told that it did', async () => {
  const hub = testHub();
  const { cookie } = hub.paired({ right: 'view' });
  expect((await hub.call('revoke', { cookie, id: 'me' })).status).toBe(200);
  expect((await hub.call('me', { cookie })).status).toBe(401);
});
