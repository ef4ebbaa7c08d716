/** W1, W3, W4, W5: a real `reins serve`, from its first line to its last, and who it lets in and out. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import jsQR from 'jsqr';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../src/hub/push/push-service.cases.js';
import { reins, startReins } from './support/cli.js';
import { loginShell } from './support/hub.js';
import { HubClient } from './support/hub-client.js';
import { reinsInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

async function serve(world: World, ...flags: string[]) {
  const running = startReins(world, ['serve', '--port', '0', ...flags]);
  const link = await until(
    'a link',
    () => /^(\S+)\n/.exec(running.stdout)?.[1],
    () => running.stderr,
  );
  return { running, link, url: new URL(link).origin };
}

const linkOf = (stdout: string): string => stdout.trim().split('\n')[0]!;

/** What a reader of codes finds in the blocks of a screen. */
function codeIn(screen: string, light: number): string | undefined {
  const lines = screen.split('\n').filter((line) => /[▀▄█]{3}/.test(line));
  const SCALE = 4;
  const width = (Math.max(...lines.map((line) => line.length)) + 8) * SCALE;
  const height = (lines.length * 2 + 8) * SCALE;
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255 - light);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const row = Math.floor(y / SCALE) - 4;
      const char = lines[row >> 1]?.[Math.floor(x / SCALE) - 4] ?? ' ';
      const isBlock = row >= 0 && (char === '█' || char === (row % 2 === 0 ? '▀' : '▄'));
      pixels.fill(isBlock ? light : 255 - light, (y * width + x) * 4, (y * width + x) * 4 + 3);
      pixels[(y * width + x) * 4 + 3] = 255;
    }
  return jsQR.default(pixels, width, height)?.data;
}

describe('W1: reins serve', () => {
  it('prints one loopback link, and a QR code of it in a terminal; ends at a signal and leaves its place free', async () => {
    const world = newWorld();
    const terminal = reinsInTerminal(world, ['serve', '--port', '0'], { cols: 120, rows: 50 });
    await terminal.waitFor('reins pair');
    const link = /http:\/\/127\.0\.0\.1:\d+\/pair#[\w-]{43}/.exec(terminal.screen())![0];
    // Read as a phone reads it, on a dark terminal and on a bright one.
    for (const light of [255, 0]) expect(codeIn(terminal.screen(), light)).toBe(link);
    const pair = reinsInTerminal(world, ['pair', '--scope', 'view'], { cols: 120, rows: 50 });
    expect(await pair.exit()).toBe(0);
    const invited = /http:\/\/127\.0\.0\.1:\d+\/pair#[\w-]{43}/.exec(pair.screen())![0];
    expect(codeIn(pair.screen(), 255)).toBe(invited);
    terminal.type('\u0003');
    expect(await terminal.exit()).toBe(0);
    expect(existsSync(join(world.state, 'reins/hub/hub.json'))).toBe(false);
    expect(readFileSync(join(world.state, 'reins/logs/hub.log'), 'utf8')).not.toContain(link.split('#')[1]);
  });

  it('says the link and nothing else where nobody looks; one hub per machine; a killed one is in nobody’s way', async () => {
    const world = newWorld();
    // A repository has no say in what the hub does.
    world.write('reins.yml', 'hub: {host: 0.0.0.0, url: "https://evil.example"}\n');
    const invited = await reins(world, ['pair', '--scope', 'view', '--name', 'tablet']);
    expect(invited.stdout).toMatch(/^http:\/\/127\.0\.0\.1:7433\/pair#[\w-]{43}\n$/);
    expect(invited.stderr).toContain('No hub runs');
    const { running, link, url } = await serve(world);
    expect(running.stdout).toBe(`${link}\n`);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/pair#[\w-]{43}$/);
    const tablet = await HubClient.pair(linkOf(invited.stdout).replace('http://127.0.0.1:7433', url));
    expect(JSON.parse((await tablet.ask('/api/me')).text)).toMatchObject({ device: { name: 'tablet', right: 'view' } });
    const second = await reins(world, ['serve', '--port', '0']);
    expect([second.code, second.stdout]).toEqual([50, '']);
    expect(second.stderr).toContain(`runs already, at ${url} (pid ${running.pid})`);
    const phone = await HubClient.pair(link);
    const again = await phone.post('/api/pair', { secret: link.split('#')[1]! });
    expect([again.status, again.text]).toEqual([410, expect.stringContaining('this link is over')]);
    running.signal('SIGKILL');
    await running.done;
    const port = new URL(url).port;
    const next = startReins(world, ['serve', '--port', port, '--no-pair']);
    await until('the next hub', () => next.stdout.includes('\n'));
    expect(next.stdout).toBe(`${url}\n`);
    // What was let in stays in: the key is good, and the hub asks for nothing anew.
    expect((await phone.ask('/api/me')).status).toBe(200);
    next.signal('SIGTERM');
    expect((await next.done).code).toBe(0);
  });
});

describe('W3, W4: devices', () => {
  it('a revoked one is told, its socket closes, its next request is 401; others do not blink and see who comes', async () => {
    const world = newWorld();
    const { running, link } = await serve(world);
    const desk = await HubClient.pair(link);
    const phone = await HubClient.pair(
      linkOf((await reins(world, ['pair', '--name', 'phone', '--scope', 'answer'])).stdout),
    );
    const [onDesk, onPhone] = [await desk.socket(), await phone.socket()];
    const devices = JSON.parse((await reins(world, ['devices', '--json'])).stdout) as {
      id: string;
      name: string;
      last_used_at?: string;
    }[];
    expect(devices.map(({ name }) => name)).toEqual(['a device', 'phone']);
    expect(Date.now() - Date.parse(devices[1]!.last_used_at!)).toBeLessThan(60_000);
    const renamed = await reins(world, ['devices', 'rename', 'phone', 'my', 'phone']);
    expect(renamed.stderr).toContain('is called my phone now');
    expect((await reins(world, ['devices', 'revoke', 'my phone'])).code).toBe(0);
    await until('the closed socket', () => onPhone.closed !== undefined);
    expect([onPhone.closed, onPhone.said.at(-1)]).toEqual([4401, { t: 'revoked', at: expect.any(String) }]);
    expect((await phone.ask('/api/me')).status).toBe(401);
    expect((await phone.ask('/')).status).toBe(200);
    expect([onDesk.closed, (await desk.ask('/api/me')).status]).toEqual([undefined, 200]);
    // By another device, too.
    const third = await HubClient.pair(linkOf((await reins(world, ['pair'])).stdout));
    const onThird = await third.socket();
    const { device } = JSON.parse((await third.ask('/api/me')).text) as { device: { id: string } };
    expect((await desk.ask(`/api/devices/${device.id}`, { method: 'DELETE' })).status).toBe(200);
    await until('the closed socket', () => onThird.closed !== undefined);
    running.signal('SIGTERM');
    expect((await running.done).code).toBe(0);
    await until('the end of the last socket', () => onDesk.closed !== undefined);
    expect(onDesk.closed).toBe(1001);
  });

  it('an agent’s shell starts no hub and lets nobody in or out', async () => {
    const world = newWorld();
    const env = { REINS_SESSION: 'aaaa2222' };
    const commands = [['serve', '--port', '0'], ['pair'], ['devices', 'revoke', 'x']];
    for (const { code, stderr } of await Promise.all(commands.map((args) => reins(world, args, { env }))))
      expect([code, stderr]).toEqual([2, expect.stringContaining('an agent may not')]);
  });
});

describe('W5: beyond this machine', () => {
  it('exit 50, and what to do', async () => {
    const { code, stdout, stderr } = await reins(newWorld(), ['serve', '--port', '0', '--host', '0.0.0.0']);
    expect([code, stdout, stderr]).toEqual([
      50,
      '',
      expect.stringMatching(/--tls-cert.*docs\/remote\.md.*--insecure-bind/),
    ]);
  });

  it('with a certificate: https alone, a cookie that is bound to it', async () => {
    const world = newWorld();
    const [cert, key] = [join(world.root, 'cert.pem'), join(world.root, 'key.pem')];
    const made = selfSigned();
    writeFileSync(cert, made.cert);
    writeFileSync(key, made.key);
    const { running, url } = await serve(world, '--host', '0.0.0.0', '--tls-cert', cert, '--tls-key', key);
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:/);
    const status = await new Promise((resolve, reject) => {
      get(`${url}/api/me`, { rejectUnauthorized: false }, (reply) => {
        reply.resume();
        resolve([reply.statusCode, reply.headers['strict-transport-security']]);
      }).on('error', reject);
    });
    expect(status).toEqual([401, 'max-age=31536000']);
    running.signal('SIGTERM');
    await running.done;
    writeFileSync(cert, 'no certificate');
    const broken = await reins(world, ['serve', '--port', '0', '--tls-cert', cert, '--tls-key', key]);
    expect([broken.code, broken.stderr]).toEqual([50, expect.stringContaining(cert)]);
  });
});

describe('as a service', () => {
  it('the unit of the docs: its line starts a hub that prints no link, and to end that one process leaves what it started alone', async () => {
    const world = newWorld();
    loginShell(world);
    const docs = readFileSync(join(import.meta.dirname, '../../docs/remote.md'), 'utf8');
    const unit = Object.fromEntries(
      [...docs.matchAll(/^(ExecStart|KillMode|Restart)=(.*)$/gm)].map((found) => found.slice(1, 3)),
    );
    expect(unit).toMatchObject({ KillMode: 'process', Restart: 'on-failure' });
    const [program, ...args] = String(unit.ExecStart).split(' ');
    expect(program).toBe('%h/.local/bin/reins');
    // No terminal, nothing to read, as systemd starts it; only the port is the system's choice.
    const hub = startReins(world, [...args, '--port', '0']);
    const url = await until('the hub', () => /^(\S+)\n$/.exec(hub.stdout)?.[1]);
    expect(hub.stdout).not.toContain('#');
    const owner = await HubClient.pair(linkOf((await reins(world, ['pair'])).stdout));
    const started = await owner.post('/api/sessions', {
      cwd: world.project,
      agent: 'practice',
      mode: 'interactive',
      key: 'of-a-service',
    });
    const { id } = JSON.parse(started.text) as { id: string };
    const row = async () => JSON.parse((await owner.ask(`/api/sessions/${id}`)).text) as { state: string; pid: number };
    await until('it is ready', async () => (await row()).state === 'idle');
    const { pid } = await row();
    // What systemd does with KillMode=process, and then what it does without it, as far as a group goes.
    process.kill(hub.pid, 'SIGTERM');
    expect((await hub.done).code).toBe(0);
    const again = startReins(world, [...args, '--port', new URL(url).port]);
    await until('the hub again', () => again.stdout.includes('\n'));
    expect(await row()).toMatchObject({ state: 'idle', pid });
    process.kill(-again.pid, 'SIGKILL');
    await again.done;
    const left = JSON.parse((await reins(world, ['ls', '--json'])).stdout) as { id: string; pid: number }[];
    expect(left).toMatchObject([{ id, pid }]);
    expect((await reins(world, ['kill', id])).code).toBe(0);
  });
});
