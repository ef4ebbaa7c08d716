/**
 * A machine of its own for one test: home, state, config, project, and a PATH that holds a few plain tools and the fake
 * agents a test puts there. Everything started in it carries the world's mark in its environment; when the test is over
 * nothing may carry it any more, and whatever does is named, killed, and fails the test.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { expectNoProcesses, processesWith } from '../../../src/testing/index.js';

/** What scripts of the tests call; real agents of this machine must not be found by accident. */
const TOOLS = [
  'bash',
  'cat',
  'env',
  'git',
  'head',
  'kill',
  'rm',
  'setpriv',
  'setsid',
  'sh',
  'sleep',
  'stty',
  'tr',
  'tty',
];

export class World {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'journey-')));
  readonly project = join(this.root, 'project');
  /** First on PATH: put fake agents here. */
  readonly bin = join(this.root, 'bin');
  readonly state = join(this.root, 'state');
  readonly mark = `REINS_TEST_WORLD=${randomUUID()}`;
  readonly env: Record<string, string>;

  constructor() {
    const tools = join(this.root, 'tools');
    for (const dir of [this.project, this.bin, tools, join(this.root, 'home')]) mkdirSync(dir);
    for (const name of TOOLS) {
      const found = (process.env.PATH ?? '').split(delimiter).find((dir) => existsSync(join(dir, name)));
      if (found) symlinkSync(join(found, name), join(tools, name));
    }
    symlinkSync(process.execPath, join(tools, 'node'));
    this.env = {
      PATH: [this.bin, tools].join(delimiter),
      HOME: join(this.root, 'home'),
      XDG_STATE_HOME: this.state,
      XDG_CONFIG_HOME: join(this.root, 'config'),
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      // No repository above the project: git looks no further than this.
      GIT_CEILING_DIRECTORIES: this.root,
      PRACTICE_SPEED: '0',
      [this.mark.split('=')[0]!]: this.mark.split('=')[1]!,
    };
  }

  /** A file in the project, or at an absolute path; returns its path. */
  write(name: string, content: string): string {
    const file = name.startsWith('/') ? name : join(this.project, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  folder(name: string): string {
    const dir = join(this.project, name);
    mkdirSync(dir, { recursive: true });
    return dir;
  }

  /** Waits until nothing that was started here runs any more. */
  async empty(): Promise<void> {
    await expectNoProcesses(this.mark);
  }

  running(): string[] {
    return processesWith(this.mark).map(({ pid, command }) => `${pid} ${command}`);
  }

  async close(): Promise<void> {
    try {
      await this.empty();
    } finally {
      for (const { pid } of processesWith(this.mark)) kill(pid);
      rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}

/** One per test: gone, with proof that nothing is left running, when the test is over. */
export function newWorld(): World {
  const world = new World();
  onTestFinished(() => world.close());
  return world;
}
