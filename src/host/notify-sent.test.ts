/** What leaves the machine in a notification, and what never does: on real servers, with a clock moved by hand. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DATABASE, notified, SECRET, server } from './notify.cases.js';

const until = (look: () => unknown) => vi.waitFor(() => expect(look()).toBeTruthy(), { timeout: 10_000, interval: 5 });

describe('what is sent', () => {
  test('holds no secrets, by name, by value and by look, and a secret question is named', async () => {
    const { url, received } = await server((_, response) => response.end());
    const env = { PATH: process.env.PATH, MY_API_TOKEN: 'value-of-the-token' };
    const one = notified({ webhooks: [{ url, secret: SECRET, answers: true }] }, env);
    const command = `curl -H "Authorization: Bearer abcdefgh12345678" --password hunter22 value-of-the-token ${SECRET}`;
    one.run({ command, env: { DB_PASSWORD: 'swordfish' }, notes: 'x'.repeat(1024 * 1024) });
    one.ask(
      [{ ...DATABASE, text: 'Passphrase of /home/ann/.ssh/id?', options: [], free_text: true, secret: true }],
      true,
      // As agents have it: the call says the question again.
      { questions: [{ question: 'Passphrase of /home/ann/.ssh/id?' }] },
    );
    await one.settle();
    await until(() => received.length === 2);
    const sent = received.map(({ body }) => body).join('\n');
    for (const secret of [
      'abcdefgh12345678',
      'hunter22',
      'value-of-the-token',
      SECRET,
      'swordfish',
      'Passphrase',
      '.ssh',
    ])
      expect(sent).not.toContain(secret);
    expect(Math.max(...received.map(({ body }) => body.length))).toBeLessThan(20_000);
    const secret = received.find(({ note }) => note.inquiry!.kind === 'question')!.note;
    expect(secret).toMatchObject({
      text: expect.stringMatching(/^a secret is asked for/),
      inquiry: { questions: [{ id: 'db', secret: true }] },
    });
    // And nobody answers it from outside.
    expect(secret.answer).toBeUndefined();
  });

  test('holds no secrets of the project, none that was typed unseen before, and none in names, ids or reasons', async () => {
    const { url, received } = await server((_, response) => response.end());
    const cwd = mkdtempSync(join(tmpdir(), 'notify-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const one = notified({ webhooks: [url] }, { PATH: process.env.PATH, MY_PASS: 'of-the-shell-1' }, cwd);
    const secret = { ...DATABASE, text: 'Passphrase?', options: [], free_text: true, secret: true };
    const waiting = () => received.filter(({ note }) => note.type === 'inquiry.waiting');
    const asked = one.ask([secret], true);
    await one.settle();
    await until(() => waiting().length === 1);
    one.host.desk.answer({
      inquiry: asked.id,
      verdict: { kind: 'values', values: { db: ['typed-unseen-1'] } },
      by: { kind: 'agent' },
    });
    await asked.settled;
    // Written while the session runs.
    writeFileSync(join(cwd, '.env'), 'ANYTHING=of-the-project-1\n');
    one.run({ command: 'deploy of-the-shell-1 typed-unseen-1 of-the-project-1' });
    const labelled = { id: 'typed-unseen-1', label: 'of-the-project-1', description: 'of-the-shell-1' };
    const { id } = one.ask([{ ...DATABASE, id: 'of-the-project-1', text: 'typed-unseen-1?', options: [labelled] }]);
    const because = 'it said of-the-project-1';
    await one.settle();
    one.host.journal.append('inquiry.moved', { inquiry: id, stage: 'asking', because });
    await one.settle();
    const said = () => waiting().find(({ note }) => note.inquiry?.because !== undefined);
    await until(said);
    for (const value of ['of-the-shell-1', 'typed-unseen-1', 'of-the-project-1'])
      expect(received.map(({ body }) => body).join('\n')).not.toContain(value);
    expect(waiting()[1]!.note.text).toContain('Bash: deploy [redacted] [redacted] [redacted]');
    expect(said()!.note.inquiry).toMatchObject({ because: 'it said [redacted]' });
  });

  test('names alone, where only they are wanted', async () => {
    const { url, received } = await server((_, response) => response.end());
    const one = notified({ webhooks: [url], details: 'names' });
    one.run({ command: 'cat plans.md' });
    await one.settle();
    await until(() => received.length === 1);
    expect(received[0]!.body).not.toContain('plans');
    expect(received[0]!.note.text).toMatch(/^may it use Bash\?/);
    const { id } = one.ask();
    await one.settle();
    one.host.journal.append('inquiry.moved', { inquiry: id, stage: 'asking', because: 'it said: not settled' });
    await one.settle();
    await until(() => received.some(({ note }) => note.inquiry?.stage === 'asking'));
    expect(received.map(({ body }) => body).join()).not.toContain('not settled');
  });
});
