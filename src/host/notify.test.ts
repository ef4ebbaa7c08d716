/** Told and asked from outside: real servers and real commands, on a host with a clock moved by hand. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Notification as NotificationSchema } from '../contract/schemas.js';
import { sign } from '../notify/signature.js';
import { DATABASE, notified, type Received, SECRET, server, signed } from './notify.cases.js';

const until = (look: () => unknown) => vi.waitFor(() => expect(look()).toBeTruthy(), { timeout: 10_000, interval: 5 });

describe('a webhook', () => {
  test('is told what waits, signed and by the published shape, and then that it is settled', async () => {
    const { url, received } = await server((_, response) => response.end('ok'));
    const one = notified({ webhooks: [{ url, secret: SECRET }] });
    const asked = one.run({ command: 'npm test' });
    await one.settle();
    await until(() => received.length === 1);
    const { note, headers, body } = received[0]!;
    expect(NotificationSchema.parse(note)).toEqual(note);
    expect(note).toMatchObject({
      type: 'inquiry.waiting',
      title: 'trial: claude asks',
      text: expect.stringMatching(/^Bash: npm test/),
      inquiry: { id: asked.id, kind: 'run', tool: 'Bash', input: { command: 'npm test' } },
    });
    expect(note.answer).toBeUndefined();
    expect(headers['reins-signature']).toBe(sign(SECRET, { body }, one.clock.now()));
    expect([headers['reins-notification'], headers['reins-attempt']]).toEqual([note.id, '1']);
    one.host.desk.answer({ inquiry: asked.id, verdict: { kind: 'deny' }, by: { kind: 'default' } });
    await until(() => received.length === 2);
    expect(received[1]!.note).toMatchObject({ type: 'inquiry.settled', settled: { how: 'answered', verdict: 'deny' } });
  });

  test('what rules or a person settle at once is never sent', async () => {
    const { url, received } = await server((_, response) => response.end());
    const one = notified({ webhooks: [url] });
    const asked = one.ask();
    await new Promise((resolve) => setImmediate(resolve));
    one.clock.advance(1_000);
    one.host.desk.answer({ inquiry: asked.id, verdict: { kind: 'deny' }, by: { kind: 'default' } });
    await one.settle();
    one.clock.advance(60_000);
    expect(received).toEqual([]);
    expect(one.clock.waiting).toBe(0);
  });

  test('may answer: held back, asked again at 202, then taken once', async () => {
    const one = notified({ webhooks: [] });
    const { url, received } = await server(({ note }, response) => {
      if (received.length === 1) {
        response.writeHead(202, { 'retry-after': '3' }).end();
        return;
      }
      const text = JSON.stringify({ inquiry: note.inquiry!.id, ticket: note.answer!.ticket, answer: 'PostgreSQL' });
      const { ticket } = note.answer!;
      response.writeHead(200, { 'reins-signature': signed(ticket!, text, two.clock.now()) }).end(text);
    });
    const two = notified({ webhooks: [{ url, name: 'phone', secret: SECRET, answers: true }] });
    const asked = two.ask([DATABASE], true);
    await two.settle();
    await until(() => received.length === 1 && two.clock.waiting > 0);
    two.clock.advance(3_000);
    await until(() => two.answers().length === 1);
    expect(two.answers()).toEqual([
      {
        inquiry: asked.id,
        verdict: { kind: 'values', values: { db: ['pg'] } },
        by: { kind: 'notifier', name: 'phone' },
      },
    ]);
    expect(received[1]!.note.id).toBe(received[0]!.note.id);
    expect([one.notices(), two.notices()]).toEqual([[], []]);
  });

  type Attack = {
    name: string;
    reason: RegExp;
    with(got: Received, now: number): { body: string; signature?: string };
  };
  const ours = ({ note }: Received, answer: unknown, more: object = {}) =>
    JSON.stringify({ inquiry: note.inquiry!.id, ticket: note.answer!.ticket, answer, ...more });
  const good = (got: Received, now: number, body: string) => ({
    body,
    signature: signed(got.note.answer!.ticket!, body, now),
  });
  const ATTACKS: Attack[] = [
    {
      name: 'escape sequences',
      reason: /no option/,
      with: (got, now) => good(got, now, ours(got, '\u001b[2JPostgreSQL')),
    },
    {
      name: 'newlines that press Enter',
      reason: /no option/,
      with: (got, now) => good(got, now, ours(got, 'PostgreSQL\r\n1\n')),
    },
    { name: '1 MB', reason: /too long/, with: (got, now) => good(got, now, ours(got, 'x'.repeat(1024 * 1024))) },
    {
      name: 'another inquiry’s id',
      reason: /another inquiry/,
      with: (got, now) => good(got, now, ours(got, 'pg', { inquiry: 'k7f2m9qd.99' })),
    },
    { name: 'no signature', reason: /not signed/, with: (got) => ({ body: ours(got, 'pg') }) },
    {
      name: 'a wrong signature',
      reason: /signature is wrong/,
      with: (got, now) => ({
        body: ours(got, 'pg'),
        signature: signed(got.note.answer!.ticket!, ours(got, 'pg'), now, 'another secret'),
      }),
    },
    {
      name: 'another body under a good signature',
      reason: /signature is wrong/,
      with: (got, now) => ({ ...good(got, now, ours(got, 'my')), body: ours(got, 'pg') }),
    },
    {
      name: 'our own message and signature, sent back',
      reason: /signature is wrong/,
      with: (got, now) => ({ body: ours(got, 'pg'), signature: sign(SECRET, { body: ours(got, 'pg') }, now) }),
    },
    {
      name: 'an old timestamp',
      reason: /time is more than/,
      with: (got, now) => good(got, now - 301_000, ours(got, 'pg')),
    },
    {
      name: 'a timestamp to come',
      reason: /time is more than/,
      with: (got, now) => good(got, now + 302_000, ours(got, 'pg')),
    },
    {
      name: 'another ticket inside',
      reason: /ticket is another/,
      with: (got, now) => good(got, now, ours(got, 'pg', { ticket: 'f'.repeat(48) })),
    },
    {
      name: 'a key to other doors',
      reason: /key that nobody knows/,
      with: (got, now) => good(got, now, ours(got, 'pg', { scope: 'session' })),
    },
    {
      name: 'two answers under one signature',
      reason: /key stands twice/,
      with: (got, now) => good(got, now, ours(got, 'my').replace(/}$/, ',"answer":"pg"}')),
    },
    {
      name: 'a prototype',
      reason: /no option|neither/,
      with: (got, now) => good(got, now, ours(got, JSON.parse('{"__proto__":["pg"]}'))),
    },
    {
      name: 'half a character',
      reason: /no UTF-8|no option/,
      with: (got, now) => good(got, now, ours(got, '\ud800pg')),
    },
  ];
  test.each(ATTACKS)('C13: $name is at most one invalid answer', async ({ with: attack, reason }) => {
    let now = () => 0;
    const { url, received } = await server((got, response) => {
      const { body, signature } = attack(got, now());
      response.writeHead(200, signature ? { 'reins-signature': signature } : {}).end(body);
    });
    const one = notified({ webhooks: [{ url, secret: SECRET, answers: true }] });
    now = () => one.clock.now();
    one.ask();
    await one.settle();
    await until(() => one.notices().length === 1);
    expect(one.notices()[0]).toMatch(reason);
    expect(one.notices()[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    one.clock.advance(600_000);
    expect([one.answers(), received.length, one.host.desk.list().length]).toEqual([[], 1, 1]);
    // Never terminal input.
    expect(one.asked).toEqual([]);
  });

  test('C13: a used ticket answers nothing else', async () => {
    let first: { body: string; signature: string } | undefined;
    let now = () => 0;
    const { url } = await server((got, response) => {
      first ??= good(got, now(), ours(got, 'pg')) as { body: string; signature: string };
      response.writeHead(200, { 'reins-signature': first.signature }).end(first.body);
    });
    const one = notified({ webhooks: [{ url, secret: SECRET, answers: true }] });
    now = () => one.clock.now();
    const asked = one.ask();
    await one.settle();
    await until(() => one.answers().length === 1);
    asked.delivered();
    one.ask();
    await one.settle();
    await until(() => one.notices().length === 1);
    expect([one.answers().length, one.notices()[0]]).toEqual([1, expect.stringMatching(/signature is wrong/)]);
  });

  test('C13: a secret that could be guessed signs nothing, wherever it is kept, and answers nothing', async () => {
    const { url, received } = await server((_, response) => response.end());
    const dir = mkdtempSync(join(tmpdir(), 'notify-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    writeFileSync(join(dir, 'key'), 'fifteen-letters\n');
    const kept = [{ secret_env: 'HOOK_KEY' }, { secret_file: join(dir, 'key') }];
    const webhooks = kept.map((where, n) => ({ url, name: `hook ${n}`, answers: true, ...where }));
    const one = notified({ webhooks }, { PATH: process.env.PATH, HOOK_KEY: 'abc' });
    one.ask();
    await one.settle();
    await until(() => one.notices().length === 2);
    expect(one.notices()).toEqual([
      expect.stringMatching(/hook 0 could not be told: HOOK_KEY is shorter than 16 characters; /),
      expect.stringMatching(/hook 1 could not be told: .*key is shorter than 16 characters; /),
    ]);
    expect(received).toEqual([]);
  });

  test('C13: a redirect is not followed, and is said with the fix', async () => {
    const elsewhere = await server((_, response) => response.end());
    const { url, received } = await server((_, response) => response.writeHead(307, { location: elsewhere.url }).end());
    const one = notified({ webhooks: [{ url, secret: SECRET, answers: true }] });
    one.ask();
    await one.settle();
    await until(() => one.notices().length === 1);
    expect(one.notices()[0]).toMatch(/status 307.*not followed; write the address/);
    expect([received.length, elsewhere.received.length]).toEqual([1, 0]);
  });

  test('a dead server is tried again with growing pauses, given up, and said once', async () => {
    const { url, received } = await server((_, response) => response.writeHead(503).end());
    const one = notified({ webhooks: [url] });
    one.ask();
    await one.settle();
    for (const [tries, pauseMs] of [1_000, 4_000, 15_000, 60_000, 240_000].entries()) {
      await until(() => received.length === tries + 1 && one.clock.waiting === 1);
      one.clock.advance(pauseMs - 1);
      expect(received.length).toBe(tries + 1);
      one.clock.advance(1);
    }
    await until(() => one.notices().length === 1);
    expect(one.notices()[0]).toMatch(/could not be told: status 503 \(tried 6 times\)/);
    expect(new Set(received.map(({ note }) => note.id)).size).toBe(1);
  });

  test('one at a time, never more than a bound, and the host goes on', async () => {
    const held: (() => void)[] = [];
    const { url, received } = await server(
      (_, response) => new Promise<void>((resolve) => held.push(() => resolve(void response.end()))),
    );
    const one = notified({ webhooks: [url] });
    for (let count = 0; count < 30; count += 1) one.ask();
    await one.settle();
    await until(() => received.length === 1);
    // Twenty in ten minutes: the others wait.
    expect(one.notices()).toEqual(['Many inquiries within 10 minutes: further ones are told of later.']);
    expect(one.host.desk.list().length).toBe(30);
    for (let count = 1; count <= 20; count += 1) {
      await until(() => held.length === count);
      held[count - 1]!();
    }
    one.clock.advance(10 * 60_000);
    await until(() => held.length === 21);
  });
});

describe('a command', () => {
  const folder = () => {
    const dir = mkdtempSync(join(tmpdir(), 'notify-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    return dir;
  };

  test('gets the notification on stdin, and what it prints answers: an askpass', async () => {
    const dir = folder();
    const one = notified({ command: { run: `cat >> ${dir}/got; pwd > ${dir}/where; echo MySQL`, answers: true } });
    const asked = one.ask();
    await one.settle();
    await until(() => one.answers().length === 1);
    expect(one.answers()[0]).toMatchObject({
      inquiry: asked.id,
      verdict: { values: { db: ['my'] } },
      by: { kind: 'notifier', name: 'notify.command' },
    });
    const note = NotificationSchema.parse(JSON.parse(readFileSync(join(dir, 'got'), 'utf8').split('\n')[0]!));
    expect(note.inquiry!.questions![0]!.options!.map(({ label }) => label)).toEqual(['PostgreSQL', 'MySQL']);
    // Not in the project, where the agent could write what a relative name means.
    expect(readFileSync(join(dir, 'where'), 'utf8').trim()).not.toBe(one.host.spec.cwd);
  });

  test.each([
    ['a failed end after a good answer', 'echo PostgreSQL; exit 1', /ended with 1/],
    ['escape sequences', "printf '\\033[2J\\033]52;c;eA==\\007PostgreSQL'", /no option/],
    ['more lines than were asked for', "printf 'PostgreSQL\\nrm -rf /\\n'", /no option/],
    ['1 MB', 'yes PostgreSQL | head -c 1000000', /more than 64 KB/],
    ['another inquiry’s id', `echo '{"answer":"pg","inquiry":"k7f2m9qd.99"}'`, /another inquiry/],
    ['no UTF-8', "printf 'PostgreSQL\\377'", /no UTF-8/],
    ['a line that was not meant as one', 'echo sent.', /no option/],
    ['two answers in one', `echo '{"answer":"my","answer":"pg"}'`, /key stands twice/],
    ['two objects', `echo '{"answer":"pg"} {"answer":"my"}'`, /no JSON object/],
  ])('C13: %s is no answer', async (_, run, reason) => {
    const one = notified({ command: { run, answers: true } });
    one.ask([{ ...DATABASE, free_text: true }]);
    await one.settle();
    await until(() => one.notices().length === 1);
    expect(one.notices()[0]).toMatch(reason);
    expect([one.answers(), one.asked, one.host.desk.list().length]).toEqual([[], [], 1]);
  });

  test('without `answers` what it prints is nobody’s business', async () => {
    const dir = folder();
    const one = notified({ command: `cat > ${dir}/got; echo PostgreSQL; touch ${dir}/done` });
    one.ask();
    await one.settle();
    await until(() => readFileSync(join(dir, 'done'), 'utf8') === '');
    expect([one.answers(), one.notices()]).toEqual([[], []]);
  });

  test('is ended with its whole tree when somebody else answers', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'run'), `echo $$ > ${dir}/pid; setsid sleep 1000 & echo $! > ${dir}/child; sleep 1000`);
    const one = notified({ command: { run: ['/bin/sh', join(dir, 'run')], answers: true }, on: ['inquiry'] });
    const asked = one.ask();
    await one.settle();
    const pidOf = (name: string) => Number(readFileSync(join(dir, name), 'utf8'));
    await until(() => pidOf('child') > 0);
    const pids = [pidOf('pid'), pidOf('child')];
    one.host.desk.answer({ inquiry: asked.id, verdict: { kind: 'deny' }, by: { kind: 'default' } });
    const isGone = (pid: number) => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    };
    await until(() => pids.every(isGone));
  });
});

test('in quiet hours nobody is told; what still waits afterwards is', async () => {
  const { url, received } = await server((_, response) => response.end());
  const one = notified({ webhooks: [url, { url: `${url}/log`, always: true }], quiet_hours: '00:00-23:59' });
  const asked = one.ask();
  await one.settle();
  await until(() => received.length === 1);
  expect(received[0]!.url).toBe('/hook/log');
  for (let hour = 0; hour < 25 && received.length < 2; hour += 1) {
    one.clock.advance(3_600_000);
    await one.settle();
  }
  await until(() => received.length === 2);
  expect([received[1]!.url, received[1]!.note.inquiry!.id]).toEqual(['/hook', asked.id]);
});

test('an end is told, and the host waits for it only so long', async () => {
  const { url, received } = await server(({ note }, response) =>
    note.type === 'session.ended' ? undefined : response.end(),
  );
  const one = notified({ webhooks: [url] });
  one.host.journal.append('session.ended', {
    outcome: 'completed',
    exit_code: 0,
    reason: 'done',
    counts: { iterations: 1, inquiries: 0, denied: 0 },
  });
  await until(() => received.length === 1);
  expect(received[0]!.note).toMatchObject({ type: 'session.ended', ended: { outcome: 'completed', exit_code: 0 } });
  const closed = one.messenger.close(5_000);
  one.clock.advance(5_000);
  await closed;
});
