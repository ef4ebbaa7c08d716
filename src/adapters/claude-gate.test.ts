/** What of the user's and the folder's own Claude settings comes back behind our gate, and what is said of the rest. */
import { describe, expect, it } from 'vitest';
import type { SessionId } from '../contract/index.js';
import type { LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import { claude } from './claude.js';
import { claudeFolder } from './claude-folder.js';
import { folderStarts } from './folder-starts.js';

const CWD = '/home/user/project';
const HOME = '/home/user/.claude';

function lookAt(files: Record<string, unknown>): LaunchAsk['look'] {
  const names = Object.keys(files);
  return {
    real: (path) => path,
    text(file) {
      const found = files[file];
      if (found instanceof Error) throw found;
      return typeof found === 'string' || found === undefined ? found : JSON.stringify(found);
    },
    names(folder) {
      const below = names.filter((name) => name.startsWith(`${folder}/`));
      if (below.some((name) => files[name] instanceof Error)) throw new Error('EACCES');
      return [...new Set(below.map((name) => name.slice(folder.length + 1).split('/')[0]!))];
    },
  };
}

function plan(files: Record<string, unknown>, more: Partial<LaunchAsk> = {}): LaunchPlan | Refusal {
  return claude.plan({
    door: 'tui',
    mode: 'interactive',
    trust: 'guarded',
    promptFile: '/private/prompt.md',
    cwd: CWD,
    args: [],
    dir: '/private',
    session: 'k7f2m9qd' as SessionId,
    hook: { argv: ['/node', '/hook'], timeoutSecs: 600 },
    custom: { args: [], prompt_mode: 'arg' },
    env: { HOME: '/home/user' },
    look: lookAt(files),
    ...more,
  });
}

function good(files: Record<string, unknown>, more: Partial<LaunchAsk> = {}) {
  const made = plan(files, more);
  if ('refused' in made) throw new Error(made.reason);
  const content = (name: string) => made.files.find(({ path }) => path.endsWith(name))?.content;
  return { ...made, content, settings: JSON.parse(content('claude-settings.json') ?? 'null') };
}

const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }];
const REPO = {
  [`${CWD}/.claude/settings.json`]: {
    hooks: { SessionStart: hook('./start'), PreToolUse: hook('./allow'), PermissionRequest: hook('./allow') },
    env: { NODE_OPTIONS: '--require ./x', CLAUDE_CODE_SIMPLE: '1', ANTHROPIC_MODEL: 'm', PATH: '.' },
    apiKeyHelper: './key',
    statusLine: { type: 'command', command: './line' },
    permissions: { allow: ['Bash'], deny: ['Read(.env)'] },
    sandbox: { enabled: true, autoAllowBashIfSandboxed: true },
    disableAllHooks: true,
  },
  [`${CWD}/.mcp.json`]: { mcpServers: { theirs: { command: './server', args: ['x'], env: { A: 'b' } } } },
};

describe('a folder nobody has agreed to', () => {
  it('G9: brings nothing but rules that narrow, and what stays out is said', () => {
    const { settings, notes, content } = good(REPO);
    expect(Object.keys(settings.hooks)).not.toContain('Setup');
    expect(JSON.stringify(settings)).not.toMatch(/\.\/(start|allow|key|line)|NODE_OPTIONS|ANTHROPIC_MODEL/);
    expect(settings.permissions).toEqual({ disableBypassPermissionsMode: 'disable', deny: ['Read(.env)'] });
    expect(settings).toMatchObject({
      disableAllHooks: false,
      sandbox: { enabled: false, autoAllowBashIfSandboxed: false },
      env: { CLAUDE_CODE_SIMPLE: '0', CLAUDE_CODE_SHELL_PREFIX: '' },
      askUserQuestionTimeout: 'never',
    });
    expect(content('claude-servers.json')).toBe('{"mcpServers":{}}');
    expect(notes.join('\n')).toMatch(/reins trust claude.*hook SessionStart: \.\/start/);
  });

  it('under full trust: your own settings as ever, the folder’s not', () => {
    const { args, notes } = good(REPO, { trust: 'full' });
    expect(args).toContain('--dangerously-skip-permissions');
    expect(args.slice(args.indexOf('--setting-sources'))[1]).toBe('user');
    expect(args).toContain('--strict-mcp-config');
    expect(notes.join()).toContain('reins trust claude');
    expect(good({}, { trust: 'full' }).args).toEqual(['--dangerously-skip-permissions']);
    expect(good(REPO, { trust: 'full', trustedFolder: CWD }).args).toEqual(['--dangerously-skip-permissions']);
  });
});

describe('a folder the user has agreed to', () => {
  it('its hooks, servers and helpers are back, but nothing that answers or rewrites a call', () => {
    const { settings, content } = good(REPO, { trustedFolder: CWD });
    expect(settings.hooks.SessionStart).toHaveLength(2);
    expect(JSON.stringify(settings)).toContain('./start');
    expect(JSON.stringify(settings)).not.toMatch(/\.\/allow|NODE_OPTIONS|"PATH"/);
    expect(settings).toMatchObject({
      apiKeyHelper: './key',
      statusLine: { command: './line' },
      disableAllHooks: false,
    });
    expect(settings.env).toEqual({ ANTHROPIC_MODEL: 'm', CLAUDE_CODE_SIMPLE: '0', CLAUDE_CODE_SHELL_PREFIX: '' });
    expect(JSON.parse(content('claude-servers.json')!)).toEqual({ mcpServers: REPO[`${CWD}/.mcp.json`]!.mcpServers });
  });

  it('what would start is what is shown, and a change of anything is another line', () => {
    expect(folderStarts({ folder: claudeFolder }, CWD, lookAt(REPO))).toEqual([
      '.claude/settings.json: hook SessionStart: ./start',
      '.claude/settings.json: apiKeyHelper: ./key',
      '.claude/settings.json: statusLine: ./line',
      '.claude/settings.json: env ANTHROPIC_MODEL=m',
      '.mcp.json: server theirs: ./server x {"env":{"A":"b"}}',
    ]);
    expect(folderStarts({ folder: claudeFolder }, CWD, lookAt({ [`${CWD}/.mcp.json`]: 'no JSON' }))).toEqual([]);
  });
});

describe('the user’s own', () => {
  const files = {
    [`${HOME}/settings.json`]: {
      model: 'opus',
      language: 'de',
      hooks: { Stop: hook('ring'), PreToolUse: hook('rewrite') },
      env: { ANTHROPIC_BASE_URL: 'http://x', NODE_OPTIONS: 'x', CLAUDE_CODE_SHELL_PREFIX: './x', FOO: 'bar' },
      apiKeyHelper: 'key',
      permissions: { allow: ['Bash'], deny: ['WebFetch'], defaultMode: 'bypassPermissions' },
      enabledPlugins: { x: true },
    },
    [`${HOME}/CLAUDE.md`]: 'Be brief.',
    [`${HOME}/rules/style.md`]: 'No tabs.',
    '/home/user/CLAUDE.md': 'From above.',
    '/home/user/.claude.json': {
      mcpServers: { mine: { command: 'm' }, off: { command: 'o' } },
      projects: {
        [CWD]: { mcpServers: { here: { command: 'h' } }, disabledMcpServers: ['off'], allowedTools: ['Bash'] },
      },
    },
  };

  it('looks, models, login, servers, harmless hooks and narrowing rules are back; the rest is named', () => {
    const { settings, content, notes } = good(files);
    expect(settings).toMatchObject({ model: 'opus', language: 'de', apiKeyHelper: 'key' });
    expect(settings.env).toEqual({
      ANTHROPIC_BASE_URL: 'http://x',
      CLAUDE_CODE_SIMPLE: '0',
      CLAUDE_CODE_SHELL_PREFIX: '',
    });
    expect(settings.permissions).toEqual({ disableBypassPermissionsMode: 'disable', deny: ['WebFetch'] });
    expect(JSON.stringify(settings.hooks.Stop)).toContain('ring');
    expect(JSON.stringify(settings)).not.toContain('rewrite');
    expect(JSON.parse(content('claude-servers.json')!).mcpServers).toEqual({
      mine: { command: 'm' },
      here: { command: 'h' },
    });
    expect(content('claude-instructions.md')).toMatch(/Be brief\.[\s\S]*No tabs\.[\s\S]*From above\./);
    for (const left of ['hooks PreToolUse', 'env NODE_OPTIONS', 'env FOO', 'permissions.allow', 'enabledPlugins'])
      expect(notes.join('\n')).toContain(left);
  });

  it('what is appended by hand goes into the same file', () => {
    const made = good(
      { ...files, '/home/user/project/x.md': 'X' },
      { args: ['--append-system-prompt', 'Sing.', '--verbose'] },
    );
    expect(made.content('claude-instructions.md')).toMatch(/Be brief\.[\s\S]*Sing\./);
    expect(made.args).not.toContain('--append-system-prompt');
    expect(made.args).toContain('--verbose');
  });
});

it('G4: Claude’s own variables pass only if they are known to leave the gate alone', () => {
  const env = {
    HOME: '/home/user',
    CLAUDE_CODE_SIMPLE: '1',
    CLAUDE_CODE_SHELL_PREFIX: './x',
    CLAUDE_CODE_SAFE_MODE: '1',
    CLAUDE_CODE_PLUGIN_DIRS: '/x',
    CLAUDE_CODE_EVEN_MORE_DANGEROUSLY_SKIP_PERMISSIONS: '1',
    CLAUDE_CODE_PERSONAL_HOOKS_OFF: '1',
    CLAUDE_CODE_DISABLE_HOOK_FORWARDING: '1',
    CLAUDE_CODE_OF_NEXT_YEAR: '1',
    CLAUDE_CODE_OAUTH_TOKEN: 't',
    CLAUDE_CODE_USE_BEDROCK: '1',
    CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN: '0',
    CLAUDE_CONFIG_DIR: '/home/user/.claude',
    NODE_OPTIONS: '--max-old-space-size=4096',
  };
  const { pinned, notes } = good({}, { env });
  const gone = Object.keys(pinned ?? {}).filter((name) => pinned![name] === undefined);
  expect(gone).toEqual(Object.keys(env).filter((_, at) => at >= 1 && at <= 8));
  expect(notes.join()).toContain('CLAUDE_CODE_PLUGIN_DIRS');
});

describe('settings an administrator put above everything', () => {
  it.each([
    ['/etc/claude-code/managed-settings.json', { allowManagedHooksOnly: true }],
    ['/etc/claude-code/managed-settings.d/10.json', { allowManagedHooksOnly: true }],
    ['/Library/Application Support/ClaudeCode/managed-settings.json', { disableAllHooks: true }],
    [`${HOME}/remote-settings.json`, { allowManagedHooksOnly: true }],
    ['/etc/claude-code/managed-settings.json', 'no JSON'],
    ['/etc/claude-code/managed-settings.json', new Error('EACCES')],
    ['/etc/claude-code/managed-settings.d/10.json', new Error('EACCES')],
  ])('%s %o: refused, because our hook would not be called', (file, content) => {
    expect(plan({ [file]: content })).toMatchObject({
      refused: 'ungated',
      reason: expect.stringContaining('our hook'),
    });
    expect(plan({ [file]: content }, { trust: 'full' })).not.toHaveProperty('refused');
  });

  it('others do not matter', () => {
    expect(plan({ '/etc/claude-code/managed-settings.json': { allowManagedHooksOnly: false } })).not.toHaveProperty(
      'refused',
    );
  });
});

it('arguments that could open the gate are refused under guarded, and may stay under full', () => {
  expect(plan({}, { args: ['--bare'] })).toMatchObject({ refused: 'args', reason: expect.stringContaining('--bare') });
  expect(plan({}, { args: ['--bare'], door: 'control' })).toMatchObject({ refused: 'args' });
  expect(plan({}, { args: ['--bare'], trust: 'full' })).not.toHaveProperty('refused');
});
