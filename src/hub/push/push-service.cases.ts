/**
 * A push service for tests: https on a port of this machine with a certificate of its own, that keeps what it gets and decrypts
 * it as the browser of the subscription would (RFC 8291, by our own code, so that nothing proves itself).
 */
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { PushMessage } from '../../contract/page.js';

export interface PushedRequest {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  bytes: number;
  message: PushMessage;
}

export class FakePushService {
  readonly got: PushedRequest[] = [];
  readonly cert: string;
  /** What the next requests are answered; 201 where nothing is said. */
  readonly answers: { status: number; headers?: Record<string, string> }[] = [];
  readonly #server: Server;
  readonly #browsers = new Map<string, Browser>();
  #wakes: (() => void)[] = [];

  constructor() {
    const { key, cert } = selfSigned();
    this.cert = cert;
    this.#server = createServer({ key, cert }, (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts);
        const path = request.url ?? '';
        const text = this.#browsers.get(path)?.read(body) ?? '{}';
        this.got.push({ path, headers: request.headers, bytes: body.length, message: JSON.parse(text) as PushMessage });
        const { status, headers = {} } = this.answers.shift() ?? { status: 201 };
        response.writeHead(status, headers).end();
        for (const wake of this.#wakes.splice(0)) wake();
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  /** What a browser would say when it has subscribed here. */
  subscription(name: string): { endpoint: string; keys: { p256dh: string; auth: string } } {
    const browser = new Browser();
    this.#browsers.set(`/push/${name}`, browser);
    return { endpoint: `${this.origin}/push/${name}`, keys: browser.keys };
  }

  /** The messages so far, once there are so many. */
  async messages(count: number): Promise<PushMessage[]> {
    while (this.got.length < count) await new Promise<void>((resolve) => this.#wakes.push(resolve));
    return this.got.map(({ message }) => message);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

class Browser {
  readonly #pair: ECDH = createECDH('prime256v1');
  readonly #auth = randomBytes(16);

  constructor() {
    this.#pair.generateKeys();
  }

  get keys(): { p256dh: string; auth: string } {
    return { p256dh: this.#pair.getPublicKey('base64url'), auth: this.#auth.toString('base64url') };
  }

  read(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const length = body.readUInt8(20);
    const sender = body.subarray(21, 21 + length);
    const shared = this.#pair.computeSecret(sender);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#pair.getPublicKey(), sender]);
    const ikm = Buffer.from(hkdfSync('sha256', shared, this.#auth, info, 32));
    const key = Buffer.from(hkdfSync('sha256', ikm, salt, 'Content-Encoding: aes128gcm\0', 16));
    const nonce = Buffer.from(hkdfSync('sha256', ikm, salt, 'Content-Encoding: nonce\0', 12));
    const sealed = body.subarray(21 + length);
    const decipher = createDecipheriv('aes-128-gcm', key, nonce);
    decipher.setAuthTag(sealed.subarray(-16));
    const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    return padded.subarray(0, padded.lastIndexOf(2)).toString();
  }
}

/** Whether the request is signed by this key, for this service. */
export function isSignedBy(publicKey: string, { headers }: PushedRequest, audience: string): boolean {
  const [, token = ''] = /^vapid t=([^,]+), k=/.exec(String(headers.authorization)) ?? [];
  const [head, claims, signature] = token.split('.') as [string, string, string];
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const { aud } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { aud: string };
  const signed = Buffer.from(`${head}.${claims}`);
  const bytes = Buffer.from(signature, 'base64url');
  return aud === audience && verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, bytes);
}

/** For 127.0.0.1, one day: X.509 in DER, written by hand because nothing that is installed makes one. */
export function selfSigned(): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
    const body = Buffer.concat(parts);
    const size = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
    return Buffer.concat([Buffer.from([tag, ...size]), body]);
  };
  const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
  const time = (ms: number): Buffer =>
    der(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
  const algorithm = der(0x30, bytes('06082a8648ce3d040302'));
  const name = der(0x30, der(0x31, der(0x30, bytes('0603550403'), der(0x0c, Buffer.from('push in a test')))));
  const names = der(0x30, der(0x87, Buffer.from([127, 0, 0, 1])), der(0x82, Buffer.from('push.test')));
  const extensions = der(
    0x30,
    der(0x30, bytes('0603551d11'), der(0x04, names)),
    der(0x30, bytes('0603551d13'), der(0x04, der(0x30, bytes('0101ff')))),
  );
  const [from, to] = [Date.now() - 3_600_000, Date.now() + 86_400_000];
  const body = der(
    0x30,
    bytes('a003020102'),
    der(0x02, bytes('01')),
    algorithm,
    name,
    der(0x30, time(from), time(to)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const lines = der(0x30, body, algorithm, signature)
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
