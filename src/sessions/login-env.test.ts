/** Real shells with files of a user that misbehave. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Log } from '../contract/index.js';
import { isAlive, statOf } from '../proc/index.js';
import { loginEnv } from './login-env.js';

const SHELLS = { bash: '.bashrc', zsh: '.zshrc', fish: '.config/fish/config.fish' } as const;

function shellPath(name: string): string | undefined {
  const dirs = ['/bin', '/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];
  return dirs.map((dir) => join(dir, name)).find((file) => existsSync(file));
}

const bash = shellPath('bash')!;

/** As a hub has it: what the user set up, and keys of its own. */
function user(files: Record<string, string>) {
  const home = mkdtempSync(join(tmpdir(), 'login-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  const env = {
    HOME: home,
    PATH: '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    HUB_KEY: 'not-for-agents',
    REINS_SESSION: 'k7f2m9qd',
    REINS_CFG__trust: 'full',
    XDG_STATE_HOME: join(home, 'state'),
  };
  const lines: string[] = [];
  const log: Log = {
    log: (level, message, facts) => lines.push(JSON.stringify({ level, message, ...facts })),
    room: () => log,
  };
  const capture = (limitMs = 10_000, shell = bash) => loginEnv(env, { log, shell, limitMs });
  return { home, env, lines, capture };
}

const RC = { '.bash_profile': 'export FROM_PROFILE=1\n. ~/.bashrc\n' };

describe('the login shell’s environment', () => {
  test('what the user’s files export, interactive ones too, between whatever they print', async () => {
    const { capture, lines } = user({
      ...RC,
      '.bashrc': `echo welcome; printf 'A=1\\0B=2\\0'; export PATH="$HOME/mine:$PATH" TOKEN=s3cr3t
export MANY=$'two\\nlines = x' EMPTY=
if [[ $- == *i* ]]; then export ONLY_INTERACTIVE=yes; fi
echo bye >&2; trap 'echo goodbye' EXIT
`,
    });
    const env = await capture();
    expect(env).toMatchObject({ FROM_PROFILE: '1', ONLY_INTERACTIVE: 'yes', MANY: 'two\nlines = x', EMPTY: '' });
    expect(env.PATH).toMatch(/^\/.*\/mine:/);
    expect(env).not.toHaveProperty('A');
    // In the log: names.
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('TOKEN');
    expect(lines[0]).not.toContain('s3cr3t');
  });

  test('nothing of the asking process itself, and nothing of a session it is in', async () => {
    const { capture, env: own } = user({ ...RC, '.bashrc': 'export REINS_SESSION=abc REINS_TRUST=guarded' });
    const env = await capture();
    for (const name of ['HUB_KEY', 'REINS_SESSION', 'REINS_CFG__trust', 'REINS_LOGIN_MARK', 'SHLVL', 'TERM', '_'])
      expect(env).not.toHaveProperty(name);
    // What the user's own file says is the user's word; where sessions are is agreed upon.
    expect(env).toMatchObject({ REINS_TRUST: 'guarded', XDG_STATE_HOME: own.XDG_STATE_HOME, LANG: 'C.UTF-8' });
  });

  test.each([
    ['exits', 'if [[ $- == *i* ]]; then exit 3; fi; export LATE=1', /ended with 3/],
    ['becomes another program', 'if [[ $- == *i* ]]; then exec cat; fi; export LATE=1', /before it said it/],
    ['hangs', 'if [[ $- == *i* ]]; then sleep 1000; fi; export LATE=1', /nothing within/],
    ['asks', 'if [[ $- == *i* ]]; then read -p "name? " x || exit 1; fi; export LATE=1', /ended with 1/],
    ['never stops printing', 'if [[ $- == *i* ]]; then yes; fi; export LATE=1', /more than/],
  ])('an interactive file that %s: the login files alone', async (_, text, reason) => {
    const { capture, lines } = user({ ...RC, '.bashrc': text });
    expect(await capture(3_000)).toMatchObject({ FROM_PROFILE: '1', LATE: '1' });
    expect(lines[0]).toMatch(reason);
  });

  test('what its files left running in its group is ended, and holds nobody up', async () => {
    const { capture, home } = user({ ...RC, '.bashrc': 'set +m; sleep 1000 & echo $! > ~/left; export DONE=1' });
    const env = await capture();
    expect(env.DONE).toBe('1');
    const left = Number(readFileSync(join(home, 'left'), 'utf8'));
    await expect
      .poll(() => /^[ZX]?$/.test(statOf(left)?.state ?? '') || !isAlive(left, statOf(left)!.startTicks))
      .toBe(true);
  });

  test.each([
    ['a shell that always fails', '/bin/false'],
    ['one that is not there', '/nowhere/sh'],
    ['a user who may not log in', '/usr/sbin/nologin'],
  ])('%s: a small environment, without keys', async (_, shell) => {
    const { capture, lines, home } = user({});
    const env = await capture(3_000, shell);
    expect(env).toMatchObject({ HOME: home, PATH: '/usr/bin:/bin' });
    expect(env).not.toHaveProperty('HUB_KEY');
    expect(lines.at(-1)).toContain('a small environment');
    expect(lines.join('')).not.toContain(home);
  });

  test('a plain sh', async () => {
    const { capture } = user({ '.profile': 'export FROM_SH=1' });
    expect(await capture(5_000, '/bin/sh')).toMatchObject({ FROM_SH: '1' });
  });

  test.each(Object.entries(SHELLS).filter(([name]) => shellPath(name)))('%s, as it is installed here', async (name) => {
    const { capture } = user({});
    expect(await capture(10_000, shellPath(name)!)).toMatchObject({ LANG: 'C.UTF-8' });
  });
});
