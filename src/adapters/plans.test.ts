/** Launch plans: the flags of seeds 000 and 001 under full trust, the gates under guarded, and prompts of any size. */
import { describe, expect, it } from 'vitest';
import type { Adapter, CustomSettings } from './adapter.js';
import { good, guarded, HOOK, ID, interactive, plain, plan } from './plans.cases.js';
import { adapters } from './registry.js';

describe('seed 000, Agent Invocation', () => {
  it('Given `backend: "kiro"` in autonomous mode, when the command is built, then args include `--no-interactive --trust-all-tools`', () => {
    expect(good('kiro')).toMatchObject({
      command: 'kiro-cli',
      args: ['chat', '--no-interactive', '--trust-all-tools', 'fix the bug'],
      io: 'pipe',
      stdin: 'closed',
    });
  });

  it('Given `backend: "kiro"` in interactive mode, then args include `--trust-all-tools` but NOT `--no-interactive`', () => {
    expect(good('kiro', interactive)).toMatchObject({ args: ['chat', '--trust-all-tools', 'fix the bug'], io: 'pty' });
  });

  it('Given `backend: "codex"` in autonomous mode, then args include `exec --full-auto` (while codex has that flag)', () => {
    const old = good('codex', { version: 'codex-cli 0.80.0' });
    expect(old.args).toEqual(['exec', '--full-auto', '--skip-git-repo-check', '--json', '-']);
    expect(old.stdin).toEqual({ file: '/private/prompt.md' });
    expect(old.polite).toMatchObject({ signal: 'SIGINT' });
    const stranger = good('codex', { version: '' });
    expect(stranger.args.slice(0, 2)).toEqual(['exec', '--full-auto']);
  });

  it.each([['codex-cli 0.126.0'], ['codex-cli 0.166.0'], ['codex-cli 1.0.0'], [undefined]])(
    'codex %s gets what `--full-auto` meant, and the journal says so',
    (version) => {
      const now = good('codex', version === undefined ? {} : { version });
      expect(now.args).toEqual(['exec', '-s', 'workspace-write', '--skip-git-repo-check', '--json', '-']);
      expect(now.notes.join()).toContain('--full-auto');
    },
  );

  it('Given `backend: "codex"` in interactive mode, then args include `exec` but NOT `--full-auto` (while that was the way)', () => {
    expect(good('codex', { ...interactive, version: 'codex-cli 0.80.0' }).args).toEqual(['exec', 'fix the bug']);
    expect(good('codex', { ...interactive, version: 'codex-cli 0.166.0' }).args).toEqual([
      '--no-daemon',
      'fix the bug',
    ]);
    expect(good('codex', { ...interactive, version: 'codex-cli 0.150.0' }).args).toEqual([
      '-c',
      'features.daemon_auto_start=false',
      'fix the bug',
    ]);
  });

  it('Given `backend: "claude"` in either mode, then args include `--dangerously-skip-permissions` (same in both modes)', () => {
    expect(good('claude').args).toEqual([
      '--dangerously-skip-permissions',
      '--verbose',
      '--output-format',
      'stream-json',
      '-p',
      'fix the bug',
    ]);
    expect(good('claude', interactive).args).toEqual(['--dangerously-skip-permissions', 'fix the bug']);
    const { prompt: _, ...empty } = { prompt: undefined, ...interactive };
    expect(plan('claude', { ...empty, prompt: undefined as never })).toMatchObject({
      args: ['--dangerously-skip-permissions'],
    });
  });

  it('amp and gemini as the table says', () => {
    expect(good('amp').args).toEqual(['--dangerously-allow-all', '-x', 'fix the bug']);
    expect(good('amp', interactive)).toMatchObject({ args: [], submit: 'fix the bug' });
    expect(good('gemini').args).toEqual(['--yolo', '-o', 'stream-json', '-p', 'fix the bug']);
    expect(good('gemini').env).toMatchObject({ GEMINI_CLI_NO_RELAUNCH: 'true' });
    expect(good('gemini', interactive).args).toEqual(['-i', 'fix the bug']);
  });
});

describe('a loop in the agent’s own terminal, under full trust', () => {
  const shown = { ...interactive, hook: HOOK, oneTurn: true } as const;

  it('claude gets the flags of the table, and a hook that hears and decides nothing', () => {
    const made = good('claude', shown);
    expect(made.args).toEqual([
      ...['--dangerously-skip-permissions', '--settings', '/private/claude-settings.json', 'fix the bug'],
    ]);
    const settings = JSON.parse(made.files[0]!.content) as { hooks: Record<string, unknown> };
    expect(Object.keys(settings)).toEqual(['hooks']);
    expect(Object.keys(settings.hooks).sort()).toEqual(
      ['SessionEnd', 'SessionStart', 'Stop', 'StopFailure', 'UserPromptSubmit'].sort(),
    );
    expect(made.files[0]!.content).not.toContain('exit 2');
  });

  it('claude with settings of the user’s own on the command line keeps those alone', () => {
    for (const own of [['--settings', 'mine.json'], ['--settings=mine.json']]) {
      const made = good('claude', { ...shown, args: own });
      expect(made.args.filter((arg) => arg.startsWith('--settings'))).toHaveLength(1);
      expect(made.files).toEqual([]);
    }
  });

  it('codex and gemini get those of the table, and are told that the folder may be worked in', () => {
    expect(good('codex', { ...shown, version: 'codex-cli 0.166.0' }).args).toEqual([
      ...['--no-daemon', '-c', 'projects={"/home/user/project"={trust_level="trusted"}}', 'fix the bug'],
    ]);
    expect(good('gemini', shown)).toMatchObject({
      args: ['--yolo', '-i', 'fix the bug'],
      env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    });
  });
});

describe('seed 001', () => {
  it('Given `backend: "claude"` in autonomous mode, when an iteration is executed, then Claude is spawned in a PTY', () => {
    expect(good('claude').io).toBe('pty');
  });

  it('Given `backend: "custom"` with `command: "my-ai"` and `prompt_mode: "stdin"`, when an iteration is executed, then the prompt is written to `my-ai` stdin', () => {
    const made = good('custom', { custom: { command: 'my-ai', args: [], prompt_mode: 'stdin' } });
    expect(made).toMatchObject({ command: 'my-ai', args: [], stdin: { file: '/private/prompt.md' } });
  });

  it('Given `backend: "custom"` with `args: ["--headless", "--json"]`, when the command is built, then the args are included before the prompt', () => {
    const custom = { ...plain, args: ['--headless', '--json'] };
    expect(good('custom', { custom }).args).toEqual(['--headless', '--json', 'fix the bug']);
  });

  it('Given `backend: "custom"` without `command` specified, then an error indicates custom backend requires a command', () => {
    const custom: CustomSettings = { args: [], prompt_mode: 'arg' };
    expect(plan('custom', { custom })).toEqual({
      refused: 'no-command',
      reason: 'the custom backend requires a command',
    });
    expect(plan('custom', { custom, door: 'stream' })).toMatchObject({ refused: 'no-command' });
  });

  it('Given a backend with `prompt_mode: "arg"` and `prompt_flag: "-p"`, when executing with prompt "test", then the command is `<cmd> <args> -p "test"`', () => {
    const custom: CustomSettings = { ...plain, args: ['--a'], prompt_flag: '-p' };
    expect(good('custom', { custom, prompt: 'test' }).args).toEqual(['--a', '-p', 'test']);
  });

  it('Given `prompt_mode: "arg"` and no `prompt_flag` (positional), when executing with prompt "test", then the command is `<cmd> <args> "test"`', () => {
    expect(good('custom', { custom: { ...plain, args: ['--a'] }, prompt: 'test' }).args).toEqual(['--a', 'test']);
  });

  it('Given a backend with `prompt_mode: "stdin"`, when executing with prompt "test", then "test" is written to the process stdin', () => {
    const made = good('custom', { custom: { ...plain, prompt_mode: 'stdin', prompt_flag: '-p' }, prompt: 'test' });
    expect(made).toMatchObject({ args: [], stdin: { file: '/private/prompt.md' } });
  });
});

describe('prompts of any size and beginning', () => {
  const large = `${'é'.repeat(524_288)}END`;
  const doors = ['stream', 'tui'] as const;
  const every = adapters.flatMap((adapter) => doors.map((door) => [adapter.id, door, adapter] as const));
  const ask = (door: 'stream' | 'tui', prompt: string) =>
    ({ door, prompt, mode: door === 'tui' ? 'interactive' : 'autonomous' }) as const;

  it.each(every)('%s, %s: 1 MB arrives', (id, door) => {
    const made = good(id, ask(door, large));
    for (const arg of made.args) expect(Buffer.byteLength(arg)).toBeLessThan(131_071);
    const byFile = typeof made.stdin === 'object' && made.stdin.file === '/private/prompt.md';
    const byPointer = made.args.some((arg) => arg.includes('/private/prompt.md'));
    expect([byFile, made.submit === large, byPointer].filter(Boolean)).toHaveLength(1);
  });

  it.each(every)('%s, %s: a prompt that starts with a dash is no flag', (id, door, adapter: Adapter) => {
    const prompt = '--dangerous thing';
    const made = good(id, ask(door, prompt));
    const at = made.args.indexOf(prompt);
    if (at >= 0) expect(made.args[at - 1], adapter.label).toBe('--');
    else if (made.stdin === 'closed' || made.stdin === 'open') {
      expect(made.submit === prompt || made.args.some((arg) => arg.endsWith(prompt))).toBe(true);
    }
  });

  it.each([
    ['claude', 'stream', 'update'],
    ['claude', 'tui', 'update'],
    ['claude', 'tui', '!rm -rf x'],
    ['codex', 'tui', 'login'],
  ] as const)('%s, %s: %s is not run as a command', (id, door, prompt) => {
    const made = good(id, ask(door, prompt));
    expect(made.args).not.toContain(prompt);
    expect(made.submit === prompt || typeof made.stdin === 'object').toBe(true);
  });

  it('custom: a long flag takes the dash by itself, anything else gets a space', () => {
    const custom = (prompt_flag?: string) => ({ ...plain, ...(prompt_flag ? { prompt_flag } : {}) });
    expect(good('custom', { prompt: '-x', custom: custom('--prompt') }).args).toEqual(['--prompt=-x']);
    expect(good('custom', { prompt: '-x', custom: custom('-p') }).args).toEqual(['-p', ' -x']);
    expect(good('custom', { prompt: '-x', custom: custom() }).args).toEqual([' -x']);
  });

  it('the control door never puts a prompt on the command line', () => {
    for (const id of ['claude', 'codex', 'gemini', 'kiro', 'practice']) {
      expect(good(id, guarded).args.join(' '), id).not.toContain('fix the bug');
    }
  });
});

describe('around the command', () => {
  it('the user’s own arguments come after ours and before the prompt', () => {
    expect(good('claude', { args: ['--model', 'opus'] }).args.slice(-4)).toEqual([
      '--model',
      'opus',
      '-p',
      'fix the bug',
    ]);
    expect(good('codex', { args: ['-m', 'x'] }).args.slice(-3)).toEqual(['-m', 'x', '-']);
  });

  it('resumes a conversation the agent’s own way', () => {
    const conversation = { id: ID, resume: true };
    expect(good('claude', { conversation }).args).toContain('--resume');
    expect(good('codex', { conversation, version: 'codex-cli 0.166.0' }).args).toEqual([
      ...['exec', '-s', 'workspace-write', '--skip-git-repo-check', 'resume', ID, '--json', '-'],
    ]);
    expect(good('gemini', { conversation }).args.slice(3, 5)).toEqual(['-r', ID]);
  });

  it('takes away what marks a nested claude and keeps what the user set', () => {
    const env = {
      HOME: '/home/user',
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_SESSION_ID: 'x',
      CLAUDE_CODE_OAUTH_TOKEN: 'secret',
      CLAUDE_CODE_USE_BEDROCK: '1',
      DISABLE_AUTOUPDATER: '0',
    };
    const made = good('claude', { env });
    expect(made.env).toEqual({
      CLAUDECODE: undefined,
      CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN: '1',
      CLAUDE_CODE_ENTRYPOINT: undefined,
      CLAUDE_CODE_SESSION_ID: undefined,
      CLAUDE_CODE_DISABLE_AGENT_VIEW: '1',
    });
    expect(JSON.stringify(made)).not.toContain('secret');
    expect(made.env).not.toHaveProperty('IS_SANDBOX');
  });

  it('the practice agent is run as built, from the sources too', () => {
    const made = good('practice', { env: { PRACTICE_SCENARIO: 'hello' } });
    expect(made.command).toBe(process.execPath);
    expect(made.args[0]).toMatch(/\/dist\/testing\/practice\/main\.js$/);
    expect(made.args.slice(1)).toEqual([
      ...['--door', 'stream', '--skip-permissions', '--scenario', 'hello', '--', 'fix the bug'],
    ]);
    expect(good('practice', guarded).args.slice(1)).toEqual(['--door', 'control']);
  });

  it('every adapter has a name, a way to get it, and a door or a reason for each mode and trust', () => {
    for (const adapter of adapters) {
      expect(adapter.install.length).toBeGreaterThan(5);
      for (const mode of ['autonomous', 'interactive'] as const) {
        for (const trust of ['guarded', 'full'] as const) {
          const door = adapter.door({ mode, trust, custom: plain });
          if (typeof door !== 'string') expect(door.reason.length).toBeGreaterThan(20);
        }
      }
    }
    expect(new Set(adapters.map((adapter) => adapter.id)).size).toBe(adapters.length);
  });
});
