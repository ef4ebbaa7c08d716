/**
 * What a session can be held with: Reins and the programs people use today. Each is asked the same: hold this command
 * (detached where it can), attach a viewer, end it. A program that is not installed is named as missing.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd, dir, onPath, output, program, reins } from './lab.js';

export interface Held {
  /** What to run in a terminal to see it. */
  viewer: string[];
  end(): Promise<unknown>;
}

export interface Holder {
  name: string;
  /** Keeps sessions without a viewer, and takes several viewers. */
  detaches: boolean;
  hold(argv: string[]): Promise<Held>;
}

let count = 0;
const nextName = (): string => `bench${count++}`;

const direct: Holder = {
  name: 'C reader (the limit)',
  detaches: false,
  hold: async (argv) => ({ viewer: argv, end: async () => undefined }),
};

const ours: Holder = {
  name: 'reins',
  detaches: true,
  async hold(argv) {
    const id = (await reins('exec', '-d', '--', ...argv)).trim();
    const end = () => reins('kill', id);
    return { viewer: [process.execPath, program, 'attach', id], end };
  },
};

/** A tmux server of our own. */
export const tmuxCommand = (): string[] => ['tmux', '-S', join(dir, 'tmux'), '-f', join(dir, 'tmux.conf')];

function tmux(): Holder {
  writeFileSync(join(dir, 'tmux.conf'), 'set -g status off\nset -g escape-time 0\n');
  const command = tmuxCommand();
  atEnd(() => output([...command, 'kill-server']));
  return {
    name: 'tmux',
    detaches: true,
    async hold(argv) {
      const name = nextName();
      await output([...command, 'new-session', '-d', '-x', '80', '-y', '24', '-s', name, ...argv]);
      return {
        viewer: [...command, 'attach', '-t', name],
        end: () => output([...command, 'kill-session', '-t', name]),
      };
    },
  };
}

function screen(): Holder {
  const conf = join(dir, 'screenrc');
  writeFileSync(conf, 'startup_message off\nvbell off\n');
  return {
    name: 'screen',
    detaches: true,
    async hold(argv) {
      const name = nextName();
      await output(['screen', '-c', conf, '-dmS', name, ...argv]);
      const end = () => output(['screen', '-S', name, '-X', 'quit']);
      atEnd(end);
      return { viewer: ['screen', '-c', conf, '-x', name], end };
    },
  };
}

/** dtach and abduco hold a terminal and nothing else: no screen, no history. What they held ends by a signal. */
function bare(name: 'dtach' | 'abduco'): Holder {
  return {
    name,
    detaches: true,
    async hold(argv) {
      const socket = join(dir, nextName());
      const [start, attach] =
        name === 'dtach'
          ? [
              ['dtach', '-n', socket, '-Ez', ...argv],
              ['dtach', '-a', socket, '-Ez', '-r', 'none'],
            ]
          : [
              ['abduco', '-n', socket, ...argv],
              ['abduco', '-a', socket],
            ];
      await output(start);
      return { viewer: attach, end: async () => endByArgument(socket) };
    },
  };
}

/** The processes that were given this path, which nobody else knows. */
function endByArgument(path: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(path)) process.kill(Number(pid));
    } catch {
      // It ended while we looked.
    }
  }
}

const wrapped = (name: string, argv: (command: string) => string[]): Holder => ({
  name,
  detaches: false,
  hold: async (command) => ({ viewer: argv(command.join(' ')), end: async () => undefined }),
});

const KNOWN: Record<string, () => Holder> = {
  tmux,
  screen,
  dtach: () => bare('dtach'),
  abduco: () => bare('abduco'),
  script: () => wrapped('script', (command) => ['script', '-qfc', command, join(dir, nextName())]),
  asciinema: () =>
    wrapped('asciinema rec', (command) => [
      'asciinema',
      'rec',
      '-q',
      '--overwrite',
      '-c',
      command,
      join(dir, nextName()),
    ]),
};

const made = new Map<string, Holder>();

/** Those of them that are installed, and the names of those that are not. */
export function holders(...names: string[]): { found: Holder[]; missing: string[] } {
  const missing = names.filter((name) => !onPath(name));
  const found = names.filter((name) => !missing.includes(name));
  for (const name of found) if (!made.has(name)) made.set(name, KNOWN[name]!());
  return { found: found.map((name) => made.get(name)!), missing };
}

export { direct, ours };
