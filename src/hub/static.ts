/**
 * The page's files, read once and held: a build that changes underneath changes nothing for a hub that runs, and an address is
 * looked up in a list instead of on a disk, so that none leads out of it. What is not in the list is the page itself.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Held {
  type: string;
  etag: string;
  lasting: boolean;
  plain: Buffer<ArrayBuffer>;
  br?: Buffer<ArrayBuffer>;
  gzip?: Buffer<ArrayBuffer>;
}

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  webmanifest: 'application/manifest+json',
};

const INDEX = '/index.html';

export class StaticFiles {
  readonly #files = new Map<string, Held>();

  constructor(dir: string) {
    for (const name of filesIn(dir, '')) {
      const type = TYPES[/\.([a-z0-9]+)$/.exec(name)?.[1] ?? ''];
      if (!type) continue;
      const plain = Buffer.from(readFileSync(join(dir, name)));
      const packed = (end: string) =>
        this.#has(dir, `${name}.${end}`) ? Buffer.from(readFileSync(join(dir, `${name}.${end}`))) : undefined;
      const [br, gzip] = [packed('br'), packed('gz')];
      this.#files.set(`/${name}`, {
        type,
        plain,
        etag: `"${createHash('sha256').update(plain).digest('hex').slice(0, 24)}"`,
        lasting: name.startsWith('assets/'),
        ...(br ? { br } : {}),
        ...(gzip ? { gzip } : {}),
      });
    }
  }

  #has(dir: string, name: string): boolean {
    return filesIn(dir, '').includes(name);
  }

  /** `path` as it came: nothing in it is decoded, because no name of ours needs that. */
  reply(path: string, asked: { method: string; encodings: string; etag: string | undefined }): Response {
    const held = this.#files.get(path) ?? (path.startsWith('/assets/') ? undefined : this.#files.get(INDEX));
    if (!held) return path.startsWith('/assets/') ? plainText(404, 'not of this build') : plainText(503, NOT_BUILT);
    const head: Record<string, string> = {
      'content-type': held.type,
      'cache-control': held.lasting ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: held.etag,
      vary: 'accept-encoding',
    };
    if (asked.etag !== undefined && asked.etag.replace(/^W\//, '') === held.etag)
      return new Response(null, { status: 304, headers: head });
    const how =
      held.br && /\bbr\b/.test(asked.encodings)
        ? 'br'
        : held.gzip && /\bgzip\b/.test(asked.encodings)
          ? 'gzip'
          : undefined;
    const body = how ? held[how]! : held.plain;
    if (how) head['content-encoding'] = how;
    head['content-length'] = String(body.length);
    return new Response(asked.method === 'HEAD' ? null : body, { headers: head });
  }
}

const NOT_BUILT = 'The page of Reins is not built here. Run `npm run build`.\n';

const plainText = (status: number, text: string): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' } });

/** Regular files alone: a link may lead anywhere. */
function filesIn(dir: string, below: string): string[] {
  try {
    return readdirSync(join(dir, below), { withFileTypes: true }).flatMap((one) => {
      const name = below === '' ? one.name : `${below}/${one.name}`;
      if (one.isDirectory()) return filesIn(dir, name);
      return one.isFile() ? [name] : [];
    });
  } catch {
    return []; // never built
  }
}
