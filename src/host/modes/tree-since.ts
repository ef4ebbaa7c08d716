/**
 * What a loop made of the working tree: looked at once when it begins, and again when it ends. What was changed before is
 * not its work, as long as it left it alone; commits made meanwhile count. Asked of git in the safe way (proc/git.ts);
 * outside a repository there is nothing to say. What it began with is kept in the session's directory, for the next leg.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeChanges } from '../../contract/index.js';
import { FILES, writeWhole } from '../../disk/index.js';
import { gitDiff, gitStatus } from '../../proc/repository.js';
import { BUT_OURS, pathOf } from './progress.js';

/** Of more files than this it is not remembered that they were changed before. */
const MOST_KNOWN = 1000;
const LARGEST_READ = 1024 * 1024;
const MOST_SHOWN = 5;
/** The end of a session does not wait longer for it. */
const PATIENCE_MS = 3000;

interface Before {
  commit: string;
  /** Path → what it held. */
  changed: Record<string, string>;
}

export class TreeSince {
  readonly #file: string;
  readonly #cwd: string;
  #looked: Promise<void> | undefined;

  constructor({ dir, spec }: { dir: string; spec: { cwd: string } }) {
    this.#file = join(dir, FILES.tree);
    this.#cwd = spec.cwd;
  }

  /** Before anything changes. A session that goes on has it from its beginning. */
  look(): void {
    this.#looked ??= beforeIn(this.#file) ? Promise.resolve() : this.#remember();
  }

  async changes(): Promise<TreeChanges | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS, undefined);
    });
    const told = await Promise.race([this.#compare(), late]).catch(() => undefined);
    clearTimeout(timer);
    return told;
  }

  async #remember(): Promise<void> {
    const status = await gitStatus(this.#cwd, BUT_OURS);
    if (!status) return;
    const paths = status.records.flatMap(pathOf).slice(0, MOST_KNOWN);
    const changed = Object.fromEntries(paths.map((path) => [path, contentOf(join(status.top, path)).hash]));
    try {
      writeWhole(this.#file, JSON.stringify({ commit: status.commit, changed } satisfies Before));
    } catch {
      // A disk that takes nothing: there will be no report of it.
    }
  }

  async #compare(): Promise<TreeChanges | undefined> {
    await this.#looked;
    return changesSince(this.#cwd, this.#file);
  }
}

/** For who only looks: what became of the tree since the loop of this file began. */
export async function changesSince(cwd: string, file: string): Promise<TreeChanges | undefined> {
  const before = beforeIn(file);
  if (!before) return undefined;
  const [status, diff] = await Promise.all([gitStatus(cwd, BUT_OURS), gitDiff(cwd, before.commit, BUT_OURS)]);
  if (!status || !diff) return undefined;
  const isOld = (path: string) => before.changed[path] === contentOf(join(status.top, path)).hash;
  const fresh = status.records.filter((record) => record.startsWith('? '));
  const files = [
    ...diff.files,
    ...fresh.flatMap(pathOf).map((path) => ({ path, added: contentOf(join(status.top, path)).lines, removed: 0 })),
  ].filter(({ path }) => !Object.hasOwn(before.changed, path) || !isOld(path));
  const total = (of: 'added' | 'removed') => files.reduce((sum, one) => sum + one[of], 0);
  const most = files.toSorted((a, b) => b.added + b.removed - a.added - a.removed).slice(0, MOST_SHOWN);
  return {
    files: files.length,
    added: total('added'),
    removed: total('removed'),
    commits: diff.commits,
    most: most.map((one) => ({ ...one, path: one.path.slice(0, 200) })),
  };
}

function beforeIn(file: string): Before | undefined {
  try {
    const { commit, changed } = JSON.parse(readFileSync(file, 'utf8')) as Before;
    return typeof commit === 'string' && typeof changed === 'object' ? { commit, changed } : undefined;
  } catch {
    return undefined; // none yet, or not ours any more
  }
}

function contentOf(file: string): { hash: string; lines: number } {
  try {
    const stat = lstatSync(file);
    if (stat.isSymbolicLink()) return { hash: `link ${readlinkSync(file)}`, lines: 1 };
    if (!stat.isFile() || stat.size > LARGEST_READ) return { hash: `${stat.size} ${stat.mtimeMs}`, lines: 0 };
    const bytes = readFileSync(file);
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    return { hash, lines: bytes.includes(0) ? 0 : bytes.toString('latin1').split('\n').length - 1 };
  } catch {
    return { hash: 'gone', lines: 0 };
  }
}
