/** Launch plans: the flags of seeds 000 and 001 under full trust, the gates under guarded, and prompts of any size. */
import { describe, expect, it } from 'vitest';
import { gatedConfig } from '../../test/recordings/gated-codex.js';
import type { SessionId } from '../contract/index.js';
import type { Adapter, CustomSettings, LaunchAsk, LaunchPlan, Look, Refusal } from './adapter.js';
import { type CodexGate, codexGate } from './codex-gate.js';
import { adapterNamed, adapters } from './registry.js';

const plain: CustomSettings = { command: 'my-ai', args: [], prompt_mode: 'arg' };
const HOOK = { argv: ['/usr/bin/node', "/opt/it's here/hook.js"], timeoutSecs: 600 };
const ID = '6f0b6c1e-0d0e-4a53-9d8e-3b1f0f6f0a11';

function plan(id: string, given: Partial<LaunchAsk> = {}): LaunchPlan | Refusal {
  const adapter = adapterNamed(id)!;
  const { mode = 'autonomous', trust = 'full', custom = plain, version } = given;
  const door = given.door ?? adapter.door({ mode, trust, custom, ...(version === undefined ? {} : { version }) });
  return typeof door === 'string' ? adapter.plan(asked({ ...given, door, mode, trust, custom })) : door;
}

function asked(given: Partial<LaunchAsk>): LaunchAsk {
  return {
    door: 'tui',
    mode: 'interactive',
    trust: 'guarded',
    custom: plain,
    prompt: 'fix the bug',
    promptFile: '/private/prompt.md',
    cwd: '/home/user/project',
    args: [],
    dir: '/private',
    session: 'k7f2m9qd' as SessionId,
    env: { HOME: '/home/user', PATH: '/usr/bin' },
    look: { text: () => undefined, names: () => [], real: (path) => path },
    ...given,
  };
}
function good(id: string, given: Partial<LaunchAsk> = {}): LaunchPlan {
  const made = plan(id, given);
  if ('refused' in made) throw new Error(made.reason);
  return made;
}
const interactive = { mode: 'interactive' as const };
const guarded = { trust: 'guarded' as const, hook: HOOK };

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

describe('guarded', () => {
  it('claude: the control protocol, nothing skipped, and a repository’s own allow rules are asked about', () => {
    const made = good('claude', guarded);
    expect(made.args.join(' ')).toBe(
      '-p --input-format stream-json --output-format stream-json --verbose --permission-prompt-tool stdio --add-dir /home/user/project --mcp-config /private/claude-servers.json --strict-mcp-config --setting-sources  --settings /private/claude-settings.json',
    );
    expect(made.args[made.args.indexOf('--setting-sources') + 1]).toBe('');
    expect(made).toMatchObject({ io: 'pipe', stdin: 'open' });
    expect(made.protocol).toBeDefined();
    const settings = JSON.parse(made.files[0]!.content);
    expect(settings.permissions.ask).toContain('Bash');
    // Every call is sent to the control protocol; nothing has to be started for that, and trouble is a refusal.
    expect(settings.hooks.PreToolUse[0]).toMatchObject({ matcher: '*' });
    expect(settings.hooks.PreToolUse[0].hooks[0].command).toMatch(
      /^printf %s '.*"permissionDecision":"ask".*' \|\| exit 2$/,
    );
  });

  it('claude, interactive: its own terminal program with our hooks in place of all settings', () => {
    const made = good('claude', { ...guarded, ...interactive, conversation: { id: ID, resume: false } });
    expect(made.args).toEqual([
      ...['--permission-mode', 'default'],
      ...['--session-id', ID, '--add-dir', '/home/user/project', '--mcp-config', '/private/claude-servers.json'],
      ...['--strict-mcp-config', '--setting-sources', '', '--settings', '/private/claude-settings.json', 'fix the bug'],
    ]);
    const settings = JSON.parse(made.files[0]!.content);
    expect(settings.disableAllHooks).toBe(false);
    expect(Object.keys(settings.hooks).sort()).toEqual(
      [
        ...['PermissionRequest', 'PostToolUse', 'PreToolUse', 'SessionEnd', 'SessionStart'],
        ...['Stop', 'StopFailure', 'UserPromptSubmit'],
      ].sort(),
    );
    expect(settings.hooks.PreToolUse).toEqual([
      {
        matcher: '*',
        hooks: [
          {
            type: 'command',
            command: `'/usr/bin/env' '-i' 'PATH=/usr/bin:/bin' '/usr/bin/node' '/opt/it'\\''s here/hook.js' 'PreToolUse' || exit 2`,
            timeout: 600,
          },
        ],
      },
    ]);
    // A result may wait for a person as long as a call; what only tells us something may not hold the agent up.
    expect(settings.hooks.PostToolUse[0].hooks[0].timeout).toBe(600);
    expect(settings.hooks.Stop[0].hooks[0].timeout).toBeLessThan(60);
    expect(settings.hooks.Stop[0].hooks[0].command).not.toContain('exit 2');
    expect(made.tui).toBeDefined();
  });

  it.each(['codex', 'gemini', 'kiro'])('%s: a protocol that asks, no flag that approves', (id) => {
    const made = good(id, guarded);
    expect(made.protocol).toBeDefined();
    expect(made.args.join(' ').replaceAll('trust_level="untrusted"', '')).not.toMatch(/yolo|trust|dangerously|auto/);
    expect(made).toMatchObject({ io: 'pipe', stdin: 'open' });
  });

  it('a deny rule makes an agent ask about what it would only read, and one that cannot be made to is refused', () => {
    const denies = (tool: string) => ['Read', 'read_file', 'run_shell_command'].includes(tool);
    const asked = (id: string, more: Partial<LaunchAsk> = {}) =>
      good(id, { ...guarded, denies, ...more })
        .files.map(({ content }) => content)
        .join('');
    expect(JSON.parse(good('claude', { ...guarded, denies }).files[0]!.content).permissions.ask).toContain('Read');
    expect(JSON.parse(good('claude', guarded).files[0]!.content).permissions.ask).not.toContain('Read');
    const unasked = (text: string) => /toolName = (\[.*\])/.exec(text)![1];
    for (const more of [{}, interactive]) {
      expect(unasked(asked('gemini', more))).not.toContain('read_file');
      expect(unasked(good('gemini', { ...guarded, ...more }).files[0]!.content)).toContain('read_file');
    }
  });

  it.each([{}, interactive])(
    'gemini: a folder it does not trust, a mode, and a policy about everything: %j',
    (more) => {
      const made = good('gemini', { ...guarded, ...more, version: '0.61.0' });
      expect(made.args.join(' ')).toContain('--approval-mode default --admin-policy /private/gemini-policy.toml');
      expect(made.files[0]!.content).toContain('toolName = "*"\nargsPattern = ".*"\ndecision = "ask_user"');
      expect(made.pinned).toMatchObject({
        GEMINI_CLI_TRUSTED_FOLDERS_PATH: '/private/gemini-folders.json',
        GEMINI_CLI_TRUST_WORKSPACE: 'false',
      });
      expect(JSON.parse(made.files[1]!.content)).toEqual({ '/home/user/project': 'DO_NOT_TRUST' });
      expect(made.env).not.toHaveProperty('GEMINI_CLI_TRUST_WORKSPACE');
      expect(made.mirrors).toEqual([]);
      const old = plan('gemini', { ...guarded, ...more, version: '0.60.9' });
      expect(old).toMatchObject({ refused: 'ungated', reason: expect.stringContaining('0.60.9') });
      for (const args of [['--yolo'], ['-y'], ['--policy', 'x'], ['-e', 'x'], ['-m'], ['x']]) {
        expect(plan('gemini', { ...guarded, ...more, args })).toMatchObject({ refused: 'ungated' });
      }
      expect(good('gemini', { ...guarded, ...more, args: ['-m', 'pro', '--model=pro'] }).args).toContain('pro');
    },
  );

  it('gemini: the repository’s GEMINI.md comes behind the user’s, in a home that differs in it alone', () => {
    const texts: Record<string, string> = {
      '/home/user/project/GEMINI.md': 'theirs',
      '/home/user/.gemini/GEMINI.md': 'mine',
    };
    const look = { text: (file: string) => texts[file], names: () => [], real: (path: string) => path };
    const made = good('gemini', { ...guarded, look });
    expect(made.pinned).toMatchObject({ GEMINI_CLI_HOME: '/private/gemini-home' });
    expect(made.mirrors).toMatchObject([{ of: '/home/user/.gemini', without: ['GEMINI.md'] }]);
    expect(made.files.at(-1)).toMatchObject({ path: '/private/gemini-home/.gemini/GEMINI.md' });
    expect(made.files.at(-1)!.content).toMatch(/^mine[\s\S]*theirs/);
  });

  it('codex, interactive: a version whose server cannot run beside it is refused, with the way out', () => {
    for (const version of ['codex-cli 0.80.0', 'codex-cli 0.165.9', 'codex', '']) {
      const refused = plan('codex', { ...guarded, ...interactive, version, companion: true });
      expect(refused).toMatchObject({ refused: 'ungated', reason: expect.stringContaining('0.166.0') });
    }
    expect(plan('codex', { ...guarded, ...interactive, version: 'codex-cli 0.166.0' })).toMatchObject({
      refused: 'ungated',
      reason: expect.stringContaining('--tui'),
    });
  });

  describe('codex, interactive, with its server beside it', () => {
    const beside = { ...guarded, ...interactive, version: 'codex-cli 0.166.0', companion: true };
    const at = { socket: '/s' };
    const gate = codexGate(asked(beside)) as CodexGate;

    it('a prompt goes to the server, and the terminal program joins its thread with no flag but the gate’s', () => {
      const made = good('codex', beside);
      expect(made.companion!.prompt).toBe('fix the bug');
      expect(made.submit).toBeUndefined();
      expect(made.companion!.args('/s')).toEqual(['app-server', ...gate.args, '--listen', 'unix:///s']);
      const joined = ['resume', ID, '--remote', 'unix:///s', ...gate.args];
      expect(made.companion!.join({ ...at, conversation: ID })).toEqual(joined);
      expect(made.args.slice(0, 4)).toEqual(['resume', '(its thread)', '--remote', 'unix://(a private socket)']);
      expect(made.pinned).toEqual({ CODEX_HOME: '/private/codex-home' });
    });

    it('without a prompt it starts its own thread, read-only at first', () => {
      const { companion } = good('codex', { ...beside, prompt: undefined as never });
      const own = ['--remote', 'unix:///s', '-a', 'on-request', '-s', 'read-only'];
      expect(companion!.join(at)).toEqual([...own, ...gate.args]);
    });

    it('arguments that both take go to both, before the gate’s; the model goes to the thread', () => {
      const { companion } = good('codex', { ...beside, args: ['-c', 'model_verbosity=low', '-m', 'big'] });
      const own = ['-c', 'model_verbosity=low', ...gate.args];
      expect(companion!.args('/s')).toEqual(['app-server', ...own, '--listen', 'unix:///s']);
      expect(companion!.join({ ...at, conversation: ID }).slice(4)).toEqual(own);
      companion!.protocol.open('go');
      companion!.protocol.feed(Buffer.from('{"id":1,"result":{}}\n'));
      const config = { id: 2, result: gatedConfig('/home/user/project') };
      const [start] = companion!.protocol.feed(Buffer.from(`${JSON.stringify(config)}\n`));
      expect(start).toMatchObject({ bytes: expect.stringContaining('"model":"big"') });
    });

    it('not under full trust', () => {
      const made = good('codex', { ...beside, trust: 'full' as const });
      expect(made.companion).toBeUndefined();
      expect(made.args.join(' ')).not.toContain('--remote');
    });
  });

  it('amp: every tool is delegated to our hook', () => {
    const made = good('amp', guarded);
    expect(made.args).toEqual(['--settings-file', '/private/amp-settings.json', '-x', 'fix the bug']);
    const [script, settings] = made.files;
    expect(JSON.parse(settings!.content)['amp.permissions']).toEqual([
      { tool: '*', action: 'delegate', to: '/private/amp-delegate.sh' },
    ]);
    expect(script).toMatchObject({
      mode: 0o700,
      content: expect.stringContaining('"delegate:$AGENT_TOOL_NAME" || exit 2'),
    });
    const hook = made.hook!;
    expect(hook.meaning('delegate:Bash', { cmd: 'ls' })).toMatchObject({
      kind: 'gate',
      inquiry: { kind: 'run', tool: 'Bash', input: { cmd: 'ls' } },
    });
    expect(hook.reply('delegate:Bash', {}, { verdict: { kind: 'allow' } }).exit).toBe(0);
    const refusals = [
      hook.reply('delegate:Bash', {}, { verdict: { kind: 'deny' }, reason: 'not today' }),
      hook.reply('delegate:Bash', {}, { verdict: { kind: 'allow', input: { cmd: 'pwd' } } }),
      hook.reply('delegate:Bash', {}, { verdict: { kind: 'values', values: {} } }),
      hook.trouble('delegate:Bash', 'no host'),
      hook.pass('other'),
    ];
    expect(refusals.map((one) => one.exit)).toEqual([2, 2, 2, 2, 2]);
    expect(refusals[0]!.stderr).toBe('not today\n');
  });

  it.each<[string, Partial<LaunchAsk>, string]>([
    ['custom', {}, 'ungated'],
    ['custom', interactive, 'ungated'],
    ['custom', { ...interactive, custom: { ...plain, acp: true } }, 'no-door'],
    ['custom', { door: 'stream', custom: { ...plain, acp: true, acp_asks: true } }, 'no-door'],
    ['custom', { custom: { ...plain, acp: true } }, 'ungated'],
    ['custom', { custom: { args: [], prompt_mode: 'arg' } }, 'no-command'],
    ['kiro', interactive, 'ungated'],
    ['kiro', { version: 'kiro-cli 1.20.0' }, 'ungated'],
    ['kiro', { door: 'stream' }, 'ungated'],
    ['amp', { hook: undefined as never }, 'ungated'],
    ['claude', { ...interactive, hook: undefined as never }, 'ungated'],
    ['practice', { ...interactive, hook: undefined as never }, 'ungated'],
  ])('%s %j is refused: %s', (id, given, refused) => {
    expect(plan(id, { ...guarded, ...given })).toMatchObject({ refused });
  });

  describe('G10: a custom program that speaks ACP', () => {
    const speaks = (command: string, args: string[] = ['acp']) => ({
      ...guarded,
      custom: { ...plain, command, args, acp: true },
    });

    it('unknown: by the user’s word, else refused', () => {
      const asks = { ...plain, args: ['--acp'], acp: true, acp_asks: true };
      const made = good('custom', { ...guarded, custom: asks });
      expect(made).toMatchObject({ command: 'my-ai', args: ['--acp'], io: 'pipe', stdin: 'open' });
      expect(made.protocol).toBeDefined();
      expect(plan('custom', speaks('my-ai'))).toMatchObject({
        refused: 'ungated',
        reason: expect.stringContaining('cli.acp_asks'),
      });
    });

    it('known by its program’s name: told to ask', () => {
      const opencode = good('custom', speaks('/usr/local/bin/opencode'));
      expect(opencode.args).toEqual(['acp']);
      // Under a name of its own, so that it stands behind every rule of the user's.
      expect(JSON.parse(opencode.pinned!.OPENCODE_CONFIG_CONTENT!)).toMatchObject({ permission: { '**': 'ask' } });
      expect(opencode.pinned).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: '1', OPENCODE_PURE: '1' });
      const qwen = good('custom', speaks('qwen', ['--acp']));
      expect(qwen.args).toEqual(['--acp', '--approval-mode', 'default']);
      const settings = qwen.files.find(({ path }) => path === qwen.pinned!.QWEN_CODE_SYSTEM_SETTINGS_PATH);
      expect(JSON.parse(settings!.content).permissions.ask).toContain('run_shell_command');
      expect(good('custom', speaks('copilot', ['--acp'])).pinned).toHaveProperty('COPILOT_ALLOW_ALL', undefined);
    });

    it.each([
      ['/project/.opencode/plugin', ['p.js'], ''],
      ['/.opencode/plugins', ['p.js'], ''],
      ['/project/opencode.json', [], '{"plugin": ["./p.js"]}'],
      ['/project/.opencode/opencode.jsonc', [], '{"pl\\u0075gin": ["./p.js"]}'],
    ])('opencode with a plugin in %s is refused: it would run it, whatever it is told', (at, found, content) => {
      const look: Look = {
        real: (path) => path,
        names: (folder) => (folder === at ? found : []),
        text: (file) => (file === at && content !== '' ? content : undefined),
      };
      const refused = { refused: 'ungated', reason: expect.stringContaining(at) };
      expect(plan('custom', { ...speaks('opencode'), cwd: '/project', look })).toMatchObject(refused);
    });

    it.each([
      ['qwen', ['--acp', '--yolo']],
      ['qwen', ['--acp', '--approval-mode=yolo']],
      ['copilot', ['--acp', '--allow-all-tools']],
      ['opencode', ['acp', '--agent', 'mine']],
    ])('%s %j is refused', (command, args) => {
      expect(plan('custom', speaks(command, args))).toMatchObject({ refused: 'ungated' });
      const [first, ...rest] = args;
      expect(plan('custom', { ...speaks(command, [first!]), args: rest })).toMatchObject({ refused: 'ungated' });
    });
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
