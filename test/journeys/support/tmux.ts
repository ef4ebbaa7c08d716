/** A tmux server of the test's own: its socket and files are in the test's world, and it ends with it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { CLI } from './cli.js';
import { installed } from './session.js';
import { until } from './wait.js';
import type { World } from './world.js';

const run = promisify(execFile);

export class Tmux {
  readonly #world: World;

  private constructor(world: World) {
    this.#world = world;
  }

  /** One window with a plain shell, in which `reins` is the built command line. */
  static async start(world: World, size: { cols: number; rows: number }): Promise<Tmux> {
    const tmux = new Tmux(world);
    onTestFinished(() => tmux.close());
    const shell = 'exec bash --norc --noprofile -i';
    await tmux.do('new-session', '-d', '-s', 'test', '-x', String(size.cols), '-y', String(size.rows), shell);
    await tmux.type('test:0', `PS1='ready> '; reins() { '${process.execPath}' '${CLI}' "$@"; }`);
    await tmux.shows('test:0', /^ready>/m);
    return tmux;
  }

  async do(...args: string[]): Promise<string> {
    const socket = join(this.#world.root, 'tmux.sock');
    const { stdout } = await run(installed('tmux')!, ['-S', socket, '-f', '/dev/null', ...args], {
      env: this.#world.env,
      cwd: this.#world.project,
    });
    return stdout;
  }

  /** A line and Enter. */
  async type(pane: string, line: string): Promise<void> {
    await this.do('send-keys', '-t', pane, '-l', line);
    await this.do('send-keys', '-t', pane, 'Enter');
  }

  screen(pane: string): Promise<string> {
    return this.do('capture-pane', '-p', '-t', pane);
  }

  shows(pane: string, what: string | RegExp): Promise<string> {
    let last = '';
    return until(
      `${what} in the window ${pane}`,
      async () => {
        last = await this.screen(pane).catch((error: Error) => error.message);
        return (typeof what === 'string' ? last.includes(what) : what.test(last)) ? last : undefined;
      },
      () => last,
    );
  }

  async close(): Promise<void> {
    await this.do('kill-server').catch(() => undefined); // it ended with its last window
  }
}
