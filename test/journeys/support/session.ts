/** Detached sessions as a test drives them: by the command line, and by links of its own where bytes matter. */
import { existsSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import xterm from '@xterm/headless';
import { expect, onTestFinished } from 'vitest';
import type { ScreenShot, SendReceipt, SessionRow } from '../../../src/contract/index.js';
import { connectHost, HostClient, type Incoming, placeOf } from '../../../src/link/index.js';
import { type CliOptions, reins } from './cli.js';
import { until } from './wait.js';
import type { World } from './world.js';

/** Starts a detached session; its end is the test's end. */
export async function detached(world: World, args: string[], options: CliOptions = {}): Promise<string> {
  const [command, ...rest] = args;
  const ended = await reins(world, [command!, '-d', ...rest], options);
  expect(ended.stderr.replace(/^!.*\n/gm, '')).toBe('');
  expect(ended.code).toBe(0);
  const id = ended.stdout.trim();
  onTestFinished(async () => {
    // Most tests end it themselves: then there is nothing to start a process for.
    if (world.running().length > 0) await reins(world, ['kill', id]);
  });
  return id;
}

/** The value a command printed as JSON; its exit code does not matter here. */
export async function json<T>(world: World, args: string[], options: CliOptions = {}): Promise<T> {
  const ended = await reins(world, [...args, '--json'], options);
  try {
    return JSON.parse(ended.stdout) as T;
  } catch {
    throw new Error(`reins ${args.join(' ')} printed no JSON: ${ended.stdout}${ended.stderr}`);
  }
}

export const send = (world: World, id: string, text: string, flags: string[] = []): Promise<SendReceipt> =>
  json(world, ['send', id, '-', ...flags], { stdin: text });

export const keys = (world: World, id: string, names: string): Promise<SendReceipt> =>
  json(world, ['send', id, '--keys', names]);

export const shot = (world: World, id: string): Promise<ScreenShot> => json(world, ['screen', id]);

export async function row(world: World, id: string): Promise<SessionRow> {
  const rows = await json<SessionRow[]>(world, ['ls', '--all']);
  const found = rows.find((one) => one.id === id);
  if (!found) throw new Error(`ls does not know ${id}`);
  return found;
}

/**
 * Waits until the session's screen shows something. The first look is the command line's own; then one link is asked
 * again and again, because a process per look would keep the very machine busy that has to show it.
 */
export async function shows(world: World, id: string, what: string | RegExp): Promise<ScreenShot> {
  let last = '';
  const isThere = (seen: ScreenShot) => {
    last = seen.lines.join('\n').trimEnd();
    return typeof what === 'string' ? last.includes(what) : what.test(last);
  };
  const first = await shot(world, id);
  if (isThere(first)) return first;
  const client = await linkTo(world, id);
  try {
    return await until(
      `${what} on the screen of ${id}`,
      async () => {
        const seen = await client.command('screen');
        return isThere(seen) ? seen : undefined;
      },
      () => last,
    );
  } finally {
    client.close();
  }
}

/** A link to the session's host, closed when the test is over. */
export async function linkTo(world: World, id: string, incoming: Incoming = {}): Promise<HostClient> {
  const link = await connectHost(placeOf(world.env, id));
  const client = new HostClient({ link, session: id, version: 'test', incoming });
  onTestFinished(() => client.close());
  return client;
}

/** A viewer's own terminal: bytes and snapshots drawn as they come. */
export class Drawn {
  readonly terminal: InstanceType<typeof xterm.Terminal>;
  /** The next byte it expects, to find a gap or a doubled byte. */
  offset: number | undefined;
  gaps = 0;
  snapshots = 0;

  constructor(size: { cols: number; rows: number }) {
    this.terminal = new xterm.Terminal({ ...size, scrollback: 1000, allowProposedApi: true });
  }

  readonly incoming: Incoming = {
    output: (bytes, offset) => {
      if (this.offset !== undefined && this.offset !== offset) this.gaps += 1;
      this.offset = offset + bytes.length;
      this.terminal.write(bytes);
    },
    snapshot: (bytes, offset) => {
      this.snapshots += 1;
      this.offset = offset;
      this.terminal.reset();
      this.terminal.write(bytes);
    },
    size: ({ cols, rows }) => this.terminal.resize(cols, rows),
  };

  /** The visible rows, everything written so far being on them. */
  async rows(): Promise<string[]> {
    await new Promise<void>((done) => this.terminal.write('', done));
    const buffer = this.terminal.buffer.active;
    return Array.from(
      { length: this.terminal.rows },
      (_, row) =>
        buffer
          .getLine(buffer.baseY + row)
          ?.translateToString(true)
          .trimEnd() ?? '',
    );
  }

  /** Character and colours of every visible cell. */
  async cells(): Promise<string[]> {
    await new Promise<void>((done) => this.terminal.write('', done));
    const buffer = this.terminal.buffer.active;
    return Array.from({ length: this.terminal.rows }, (_, row) => {
      const line = buffer.getLine(buffer.baseY + row);
      return Array.from({ length: this.terminal.cols }, (_, col) => {
        const cell = line?.getCell(col);
        const look = [cell?.getFgColorMode(), cell?.getFgColor(), cell?.getBgColorMode(), cell?.getBgColor()];
        return `${cell?.getChars() || ' '}:${look.join(',')}:${cell?.isBold()}${cell?.isInverse()}`;
      }).join('|');
    });
  }
}

/** Puts programs of this machine on the world's PATH; false if one is not installed. */
export function borrow(world: World, ...names: string[]): boolean {
  return names.every((name) => {
    const found = installed(name);
    if (found && !existsSync(join(world.bin, name))) symlinkSync(found, join(world.bin, name));
    return found !== undefined;
  });
}

/** Where a program is; a version manager's stand-in is none, it needs its own environment. */
export function installed(name: string): string | undefined {
  const dirs = ['/usr/bin', '/bin', ...(process.env.PATH ?? '').split(delimiter)].filter(
    (dir) => !dir.includes('shims'),
  );
  return dirs.map((dir) => join(dir, name)).find((file) => existsSync(file));
}
