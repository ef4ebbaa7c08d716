/**
 * Which config files the user has read and trusted: real path and content hash, outside every repository. A file that
 * changed, or the same file at another place, must be trusted anew. A store that cannot be read trusts nothing. The same
 * store holds which agents may trust which folder (agent-trust.ts).
 */
import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type Env, ReinsError } from '../contract/index.js';
import { readConfigText, xdgDir } from './files.js';
import { sha256 } from './load.js';

const Store = z.object({
  version: z.literal(1),
  files: z.record(z.string(), z.object({ sha256: z.string() })),
  /** Real path of a folder → agents that may trust it. */
  agents: z.record(z.string(), z.array(z.string())).default({}),
  /** Real path of a folder → agent → what it would have started there when the user said yes or no to it. */
  seen: z.record(z.string(), z.record(z.string(), z.array(z.string()))).default({}),
});
export type TrustStore = z.infer<typeof Store>;

export interface TrustedFile {
  env: Env;
  file: string;
  /** Of the content that was loaded, so that a change between loading and asking is noticed; else of what is there. */
  sha256?: string;
}

export function trustStoreFile(env: Env): string {
  return join(xdgDir(env, { name: 'XDG_STATE_HOME', fallback: '.local/state' }), 'trusted.json');
}

export function isTrusted(asked: TrustedFile): boolean {
  const { path, hash } = identify(asked);
  const { files } = readTrust(asked.env);
  return Object.hasOwn(files, path) && files[path]!.sha256 === hash;
}

/** Throws STATE_DIR if it cannot be remembered. */
export function trustFile(trusted: TrustedFile): void {
  const { path, hash } = identify(trusted);
  changeTrust(trusted.env, (before) => ({ ...before, files: { ...before.files, [path]: { sha256: hash } } }));
}

/** Throws STATE_DIR if it cannot be remembered. */
export function changeTrust(env: Env, change: (before: TrustStore) => TrustStore): void {
  const store = trustStoreFile(env);
  const after = change(readStore(store));
  // A name of its own per process: two that trust at once must not write into each other's file.
  const draft = `${store}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(store), { recursive: true, mode: 0o700 });
    rmSync(draft, { force: true });
    writeFileSync(draft, `${JSON.stringify(after, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(draft, 0o600);
    renameSync(draft, store);
  } catch (error) {
    throw new ReinsError('STATE_DIR', { dir: dirname(store), reason: (error as Error).message }, { cause: error });
  }
}

function identify(asked: TrustedFile): { path: string; hash: string } {
  const hash = asked.sha256 ?? sha256(readConfigText(asked.file, 'named'));
  try {
    return { path: realpathSync(asked.file), hash };
  } catch (error) {
    const reason = (error as Error).message;
    throw new ReinsError('CONFIG_UNREADABLE', { file: asked.file, reason }, { cause: error });
  }
}

export const readTrust = (env: Env): TrustStore => readStore(trustStoreFile(env));

function readStore(file: string): TrustStore {
  try {
    return Store.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { version: 1, files: {}, agents: {}, seen: {} }; // absent or damaged: nothing is trusted, and the next trust writes it anew
  }
}
