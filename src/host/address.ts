/**
 * How a running session is found: its directory with `session.json`, `host.json`, the journal and its two sockets: one for
 * viewers, and one for what is inside the session, in a directory of its own that a sandbox can let in. Someone may
 * remove it under us (`rm -rf`, a cleaned state directory); then nobody could reach or stop the agent any more, so it is
 * looked at now and then and made again. The surprising thing: links that are open do not notice; only new ones need it.
 */
import { closeSync, existsSync, openSync, rmSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, PROTOCOL } from '../contract/index.js';
import { FILES, liveMark, makeDir, writeWhole } from '../disk/index.js';
import type { Journal } from '../journal/journal.js';
import type { HostFile } from '../link/index.js';
import { type Link, type Listening, LONGEST_SOCKET_PATH, listen } from '../link/serve.js';
import { statOf } from '../proc/index.js';
import { keepFile, launcherOf, putBack } from './kept-files.js';
import type { SessionSpec } from './spec.js';

/** One look at one file: cheap enough for a hundred sessions. */
const LOOK_EVERY_MS = 2_000;

/** More descriptors than a host holds: the one that was just closed is among the next so many. */
const MOST_DESCRIPTORS = 256;

export interface AddressOptions {
  dir: string;
  spec: SessionSpec;
  journal: Journal;
  clock: Clock;
  accept(link: Link): void;
  acceptHook(link: Link): void;
  /** Every now and then. */
  looked(): void;
}

export class Address {
  readonly #options: AddressOptions;
  readonly #startedAt = new Date().toISOString();
  /** Where the hook's socket is. */
  readonly #hooks: string;
  /** That directory itself: the agent's hook finds us by a path of bounded length, however deep it is. */
  readonly #hooksFd: number;
  #listening: Listening[] = [];
  #cancel: () => void = () => undefined;
  #closed = false;
  #told = false;

  constructor(options: AddressOptions) {
    this.#options = options;
    this.#hooks = join(options.dir, FILES.hooks);
    makeDir(this.#hooks);
    this.#hooksFd = openSync(this.#hooks, 'r');
  }

  /** By its own path wherever the kernel takes that one: a sandbox that lets the directory in has no /proc of ours. */
  get hookSocket(): string {
    const path = join(this.#hooks, FILES.hookSocket);
    const isShort = Buffer.byteLength(path) <= LONGEST_SOCKET_PATH;
    return isShort || process.platform !== 'linux'
      ? path
      : `/proc/${process.pid}/fd/${this.#hooksFd}/${FILES.hookSocket}`;
  }

  /** `reins` inside the agent's shell is this very Reins, wherever it was installed, with the Node that runs it. */
  programs(): string {
    const bin = join(this.#options.dir, 'bin');
    const main = fileURLToPath(new URL('../cli/main.js', import.meta.url));
    const content = launcherOf(main, { say: 'nothing was done', exit: 127 });
    keepFile({ path: join(bin, 'reins'), content, mode: 0o700 });
    return bin;
  }

  /** From here on the session can be found and reached. */
  async open(): Promise<void> {
    try {
      await this.#listen();
      this.#writeHostFile();
    } catch (error) {
      await this.#closeSockets(); // nobody found us yet; the error says what is wrong
      throw error;
    }
    this.#watch();
  }

  async #listen(): Promise<void> {
    const { dir, accept, acceptHook } = this.#options;
    this.#listening = [await listen(dir, FILES.socket, accept)];
    this.#listening.push(await listen(this.#hooks, FILES.hookSocket, acceptHook));
  }

  /** Contract: never rejects. Nobody listens there any more, whatever became of its name. */
  async #closeSockets(): Promise<void> {
    await Promise.all(this.#listening.map((one) => one.close().catch(() => undefined)));
  }

  /** The session is over: it is not to be found as a living one any more. Its open links are not touched. */
  leave(): void {
    this.#closed = true;
    this.#cancel();
    try {
      rmSync(join(this.#options.dir, FILES.host), { force: true });
      const mark = liveMark(this.#options.dir);
      if (mark) rmSync(mark, { force: true });
    } catch {
      // A disk that takes nothing any more. The file names a process that is about to end, which says the same.
    }
  }

  async close(): Promise<void> {
    this.leave();
    await this.#closeSockets();
  }

  #watch(): void {
    this.#cancel = this.#options.clock.after(LOOK_EVERY_MS, () => {
      const { dir } = this.#options;
      const mark = liveMark(dir);
      if (!this.#closed && mark !== undefined && !existsSync(mark)) this.#mark();
      this.#options.looked();
      const needed = [join(dir, FILES.host), join(dir, FILES.socket), join(this.#hooks, FILES.hookSocket)];
      void (needed.every((file) => existsSync(file)) ? Promise.resolve() : this.#again()).then(() => {
        if (!this.#closed) this.#watch();
      });
    });
  }

  /** Contract: never throws; what cannot be made now is tried again, and told once. */
  async #again(): Promise<void> {
    const { dir, spec, journal } = this.#options;
    try {
      makeDir(join(dir, FILES.prompts));
      makeDir(this.#hooks);
      writeWhole(join(dir, FILES.spec), `${JSON.stringify(spec, null, 1)}\n`);
      journal.again(join(dir, FILES.journal));
      putBack(dir);
      reopen(this.#hooksFd, this.#hooks);
      // They end when their last link does, and take away the names they listened under: first that, then ours.
      void this.#closeSockets();
      await this.#listen();
      if (this.#closed) void this.#closeSockets();
      else this.#writeHostFile();
      this.#tell('The session’s directory was removed. It was made again; the recording until now is lost.');
      this.#told = false;
    } catch (error) {
      if (this.#told) return;
      this.#told = true;
      this.#tell(`The session’s directory was removed and cannot be made again: ${(error as Error).message}`);
    }
  }

  #tell(text: string): void {
    if (!this.#closed) this.#options.journal.append('notice', { level: 'error', code: 'directory', text });
  }

  /**
   * A session that was on the list of ended ones is looked at again: before it has a host to be found. A host that was killed
   * left its mark behind: who watches hears of it all the same.
   */
  #mark(): void {
    const mark = liveMark(this.#options.dir);
    if (mark === undefined) return;
    try {
      makeDir(dirname(mark));
      closeSync(openSync(mark, 'a', 0o600));
      const now = this.#options.clock.now() / 1000;
      utimesSync(mark, now, now);
    } catch {
      // A disk that takes nothing: what cannot be written next says so.
    }
  }

  #writeHostFile(): void {
    const { dir, spec } = this.#options;
    const about: HostFile = {
      pid: process.pid,
      start_ticks: statOf('self')?.startTicks ?? 0,
      version: spec.reins,
      ...PROTOCOL,
      started_at: this.#startedAt,
    };
    this.#mark();
    writeWhole(join(dir, FILES.host), JSON.stringify(about));
  }
}

/** The directory under its old descriptor: its number is in the agent's environment. */
function reopen(fd: number, dir: string): void {
  // One that can be opened, first: a number given up for nothing would be another file's the next time.
  const others = [openSync(dir, 'r')];
  try {
    closeSync(fd);
    for (let got = openSync(dir, 'r'); got !== fd && others.length < MOST_DESCRIPTORS; got = openSync(dir, 'r')) {
      others.push(got);
    }
  } finally {
    for (const other of others) closeSync(other);
  }
}
