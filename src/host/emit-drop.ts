/**
 * Takes the events that come as files (link/emit-drop.ts). The folder is ours alone and has a name nobody can guess, but the
 * agent can write into it: a file is read only if it is a plain one of ours and not large, it counts only if it is signed with
 * the session's word, new, and not seen before. Each is removed before it is carried out. An answer replaces nothing.
 */
import {
  closeSync,
  constants,
  type FSWatcher,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { asReinsError, type Clock, type CommandArgs } from '../contract/index.js';
import { ASK, type DropAsk, type EmitVia, readAsk, toldName } from '../link/emit-drop.js';
import { newEmitFolder, sweepEmitFolders } from './emit-folder.js';

/** Where the system does not tell of a new file. */
const LOOK_EVERY_MS = 1_000;
/** A payload of 256 KB of characters, however it is escaped. */
const MOST_BYTES = 2 * 1024 * 1024;
/** Names that one look goes through: an agent that fills the folder delays itself, not the session. */
const MOST_NAMES = 500;
/** Whoever waits does so for 10 s; what is older is nobody's. */
const OLD_MS = 60_000;
/** Of the last minute; more than this many is no agent at work. */
const MOST_SEEN = 10_000;

export interface EmitDropOptions {
  key: string;
  session: string;
  clock: Clock;
  emit(args: CommandArgs<'emit'>): unknown;
}

export class EmitDrop {
  readonly via: EmitVia;
  readonly #options: EmitDropOptions;
  readonly #seen = new Map<string, number>();
  #watcher: FSWatcher | undefined;
  #cancel: () => void = () => undefined;
  #closed = false;

  constructor(options: EmitDropOptions) {
    this.#options = options;
    this.via = { key: options.key, dir: newEmitFolder() };
    sweepEmitFolders(Date.now());
    try {
      this.#watcher = watch(this.via.dir, () => this.look());
      this.#watcher.on('error', () => this.#watcher?.close());
      this.#watcher.unref();
    } catch {
      // No watching here: the slow look finds what is new.
    }
    this.#again();
  }

  /** Contract: never throws. */
  look(): void {
    for (const name of this.#names()) {
      const [, id] = ASK.exec(name) ?? [];
      if (id !== undefined) this.#take(id);
      else this.#forget(name);
    }
  }

  /** Contract: may be called twice. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancel();
    this.#watcher?.close();
    try {
      rmSync(this.via.dir, { recursive: true, force: true });
    } catch {
      // An agent can build what cannot be removed; it is in the temporary folder, and nobody looks at it any more.
    }
  }

  #again(): void {
    this.#cancel = this.#options.clock.after(LOOK_EVERY_MS, () => {
      if (this.#closed) return;
      this.look();
      this.#again();
    });
  }

  #names(): string[] {
    if (this.#closed) return [];
    const names: string[] = [];
    try {
      const dir = opendirSync(this.via.dir);
      for (let one = dir.readSync(); one && names.length < MOST_NAMES; one = dir.readSync()) names.push(one.name);
      dir.closeSync();
    } catch {
      // Removed under us: emit will say that it cannot be reached.
    }
    return names;
  }

  #take(id: string): void {
    const file = join(this.via.dir, `${id}.ask`);
    const content = plainText(file);
    if (!removed(file)) return; // it would be carried out again with every look
    const ask = content === undefined ? undefined : readAsk(this.via.key, content);
    if (!ask || !this.#isNew(id, ask)) return;
    this.#answer(id, this.#carriedOut(ask));
  }

  /** Its own name, this session, now, and for the first time. */
  #isNew(id: string, ask: DropAsk): boolean {
    const now = Date.now();
    if (ask.id !== id || ask.session !== this.#options.session || Math.abs(now - ask.at) > OLD_MS) return false;
    for (const [known, at] of this.#seen) {
      if (now - at <= 2 * OLD_MS) break;
      this.#seen.delete(known);
    }
    if (this.#seen.has(id) || this.#seen.size >= MOST_SEEN) return false;
    this.#seen.set(id, now);
    return true;
  }

  #carriedOut({ topic, payload }: DropAsk): unknown {
    try {
      return { value: this.#options.emit({ topic, payload }) };
    } catch (thrown) {
      const { code, message, data } = asReinsError(thrown);
      return { error: { code, message, data } };
    }
  }

  /** Under a name of its own first: half an answer is none. What stands there already is not touched. */
  #answer(id: string, answer: unknown): void {
    const [told, unfinished] = [join(this.via.dir, toldName(id)), join(this.via.dir, `${id}.new-told`)];
    try {
      writeFileSync(unfinished, JSON.stringify(answer), { flag: 'wx', mode: 0o600 });
      renameSync(unfinished, told);
    } catch {
      // The event is published; whoever asked hears that nobody answered.
    }
  }

  /** Answers nobody fetched, and whatever else an agent puts here. */
  #forget(name: string): void {
    const file = join(this.via.dir, name);
    try {
      if (Date.now() - statSync(file).mtimeMs > OLD_MS) removed(file);
    } catch {
      // Fetched meanwhile, or a link to nowhere, which does no harm.
    }
  }
}

/** A folder only if it is empty: what is below it, however much, would hold the host or be more than it can remove. */
function removed(file: string): boolean {
  try {
    if (lstatSync(file).isDirectory()) rmdirSync(file);
    else rmSync(file, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** No link, no pipe that would hold us, nobody else's, not large. */
function plainText(file: string): string | undefined {
  let opened: number | undefined;
  try {
    opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const facts = fstatSync(opened);
    const sound = facts.isFile() && facts.size <= MOST_BYTES && facts.nlink === 1 && facts.uid === process.getuid?.();
    return sound ? readFileSync(opened, 'utf8') : undefined;
  } catch {
    return undefined; // gone, or not to be read
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
