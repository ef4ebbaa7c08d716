/** Launch plans under guarded trust: what gates each agent. */
import { describe, expect, it } from 'vitest';
import { gatedConfig } from '../../test/recordings/gated-codex.js';
import type { LaunchAsk, Look } from './adapter.js';
import { type CodexGate, codexGate } from './codex-gate.js';
import { asked, good, guarded, ID, interactive, plain, plan } from './plans.cases.js';

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
      reason: expect.stringContaining('server'),
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
