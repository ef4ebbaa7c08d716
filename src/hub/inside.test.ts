/** W54, decision 032: nothing inside a session has anything from a hub: not by a forged offer, a key that was read, or a socket. */
import { spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { LIMIT_MARK } from '../contract/ids.js';
import { testHub } from './hub.cases.js';
import { startHub } from './start.js';

/** As an agent would: an offer of its own in the state directory, then in by it; and by a key that somebody else has. */
const ATTACK = `
const { createHash } = require('node:crypto');
const { mkdirSync, writeFileSync } = require('node:fs');
const { connect } = require('node:net');
const [offers, origin, cookie, ticket] = process.argv.slice(1);
const secret = 'A'.repeat(43);
mkdirSync(offers, { recursive: true });
writeFileSync(offers + '/' + createHash('sha256').update(secret).digest('hex'),
  JSON.stringify({ right: 'admin', namespaces: ['*'], until: Date.now() + 60000 }));
const json = { 'content-type': 'application/json', origin };
const raw = (text, how) => new Promise((done) => {
  const { hostname, port, host } = new URL(origin);
  let said = '';
  const socket = connect(Number(port), hostname, () => { socket.write(text(host)); how(socket); });
  socket.on('data', (data) => { said += data; });
  socket.on('error', () => undefined);
  socket.on('close', () => done(said.split('\\r\\n')[0]));
});
const revoke = (host) => 'DELETE /api/devices/me HTTP/1.1\\r\\nHost: ' + host + '\\r\\nOrigin: ' + origin + '\\r\\nCookie: ' + cookie + '\\r\\n\\r\\n';
const upgrade = (host) => 'GET /ws HTTP/1.1\\r\\nHost: ' + host + '\\r\\nOrigin: ' + origin + '\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\nSec-WebSocket-Protocol: reins.1, ' + ticket + '\\r\\n\\r\\n';
(async () => {
  const look = await fetch(origin + '/api/pair/look', { method: 'POST', headers: json, body: JSON.stringify({ secret }) });
  const looked = await look.text();
  const pair = await fetch(origin + '/api/pair', { method: 'POST', headers: json, body: JSON.stringify({ secret }) });
  const me = await fetch(origin + '/api/me', { headers: { cookie } });
  const code = (await me.json()).error?.code;
  const ws = await raw(upgrade, () => undefined);
  // Said, and away before anyone can look who said it.
  for (let n = 0; n < 6; n += 1) await raw(revoke, (socket) => n % 2 ? socket.resetAndDestroy() : socket.end());
  console.log(JSON.stringify({ look: look.status, told: looked.includes('folder'), pair: pair.status, me: me.status, code, ws }));
})();
`;

async function attack(args: string[], { inside }: { inside: boolean }): Promise<unknown> {
  const mark = inside ? `ulimit -x ${LIMIT_MARK} 2>/dev/null || ulimit -w ${LIMIT_MARK}; ` : '';
  const child = spawn('/bin/sh', ['-c', `${mark}exec "$0" "$@"`, process.execPath, '-e', ATTACK, ...args], {
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of child.stdout) said += String(chunk);
  return JSON.parse(said);
}

it.runIf(process.platform === 'linux')(
  'W54: an agent with an offer it wrote and a key it read is refused everything',
  async () => {
    const { env, root } = testHub();
    const log = { log: () => undefined, room: () => log };
    const options = { port: 0, host: '127.0.0.1', log, webDir: '/nonexistent' };
    const hub = await startHub({ env, cwd: '/', version: '0' }, options);
    onTestFinished(() => hub.close());
    const { link } = hub.invite({ right: 'admin', namespaces: ['*'] });
    const paired = await fetch(`${hub.url}/api/pair`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: hub.url },
      body: JSON.stringify({ secret: link.split('#')[1] }),
    });
    expect(paired.status).toBe(200);
    const cookie = paired.headers.get('set-cookie')!.split(';')[0]!;
    const headers = { cookie, origin: hub.url, 'content-type': 'application/json' };
    const asked = await fetch(`${hub.url}/api/ticket`, { method: 'POST', headers, body: '{}' });
    const { ticket } = (await asked.json()) as { ticket: string };
    const args = [`${root}/reins/hub/offers`, hub.url, cookie, ticket];
    const refused = { look: 403, told: false, pair: 403, me: 403, code: 'FROM_INSIDE', ws: 'HTTP/1.1 403 Forbidden' };
    expect(await attack(args, { inside: true })).toEqual(refused);
    expect(hub.devices.all()).toHaveLength(1);
    // The same by a program of the user's own, outside: what it may is its key's business.
    expect(await attack(args, { inside: false })).toMatchObject({ look: 200, told: true, pair: 200, me: 200 });
  },
);
