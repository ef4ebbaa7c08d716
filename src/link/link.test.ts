import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { MAX_FRAME } from '../contract/index.js';
import { linkCases } from './link.cases.js';
import { memoryPair } from './memory.js';
import { socketLink } from './socket.js';

let dir: string;
let server: Server;
const arrivals: ((socket: Socket) => void)[] = [];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'link-'));
  server = createServer((socket) => arrivals.shift()?.(socket));
  await new Promise<void>((resolve) => server.listen(join(dir, 's'), resolve));
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(dir, { recursive: true, force: true });
});

async function socketPair(): Promise<[Socket, Socket]> {
  const arrived = new Promise<Socket>((resolve) => arrivals.push(resolve));
  const near = dial(join(dir, 's'));
  return [near, await arrived];
}

linkCases('memory', async () => memoryPair());
linkCases('a socket', async () => {
  const [near, far] = await socketPair();
  return [socketLink(near), socketLink(far)];
});

it('a peer that speaks another language loses its link, with a reason', async () => {
  const [near, far] = await socketPair();
  const link = socketLink(far);
  const reason = new Promise<string>((resolve) => link.onClose(resolve));
  near.on('error', () => undefined);
  near.write('GET / HTTP/1.1\r\n\r\n');
  expect(await reason).toMatch(/^not our protocol: frame of \d+ bytes$/);
  await vi.waitFor(() => expect(near.destroyed).toBe(true));
});

it('a frame too large for the protocol ends the link on our side instead of being sent', async () => {
  const [near, far] = await socketPair();
  const [link, peer] = [socketLink(near), socketLink(far)];
  const reason = new Promise<string>((resolve) => link.onClose(resolve));
  peer.onClose(() => undefined);
  expect(() => link.send({ kind: 'input', bytes: new Uint8Array(MAX_FRAME) })).not.toThrow();
  expect(await reason).toMatch(/^it could not be sent: frame of/);
});

it('a peer that vanishes is told', async () => {
  const [near, far] = await socketPair();
  const link = socketLink(far);
  const reason = new Promise<string>((resolve) => link.onClose(resolve));
  near.destroy();
  expect(await reason).toBe('closed by the other side');
});
