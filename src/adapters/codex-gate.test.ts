/** What codex is given under guarded, from what its user and the repository have written down. */
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionId } from '../contract/index.js';
import type { LaunchAsk, Look } from './adapter.js';
import { codexArgs } from './codex-args.js';
import { type CodexGate, codexGate } from './codex-gate.js';
import { projectDocs } from './project-docs.js';
import { openingIn } from './protocols/codex-config.js';

/** A disk of these files; a value that begins with -> is a link. */
function disk(files: Record<string, string>): Look {
  const real = (path: string): string | undefined => {
    const link = /^-> (.*)$/.exec(files[path] ?? '')?.[1];
    if (link !== undefined) return real(link);
    return path in files || Object.keys(files).some((file) => file.startsWith(`${path}/`)) ? path : undefined;
  };
  return {
    real,
    text: (file) => {
      const path = real(file);
      if (path !== undefined && !(path in files)) throw new Error(`${file} is not a file`);
      return path === undefined ? undefined : files[path];
    },
    names: (folder) => [
      ...new Set(
        Object.keys(files).flatMap((file) =>
          file.startsWith(`${folder}/`) ? [file.slice(folder.length + 1).split('/')[0]!] : [],
        ),
      ),
    ],
  };
}

const ask = (files: Record<string, string>, given: Partial<LaunchAsk> = {}): LaunchAsk => ({
  ...{
    door: 'control',
    mode: 'autonomous',
    trust: 'guarded',
    promptFile: '',
    cwd: '/r/sub',
    args: [],
    dir: '/private',
  },
  ...{ session: 'k7f2m9qd' as SessionId, custom: { args: [], prompt_mode: 'arg' }, env: { HOME: '/h' } },
  look: disk({ '/r/sub/x': '', ...files }),
  ...given,
});
const gate = (files: Record<string, string>, given: Partial<LaunchAsk> = {}): CodexGate => {
  const made = codexGate(ask(files, given));
  if ('refused' in made) throw new Error(made.reason);
  return made;
};
const setting = ({ args }: CodexGate, key: string) => args.find((arg) => arg.startsWith(`${key}=`));

describe('codex’s gate', () => {
  it('no folder from here up is trusted, by any of its names, nor the main worktree of this one', () => {
    const made = gate({ '/r/.git': 'gitdir: /main/.git/worktrees/r\n', '/main/.git/HEAD': '' });
    for (const folder of ['/r/sub', '/r', '/', '/main']) {
      expect(setting(made, 'projects')).toContain(`${JSON.stringify(folder)}={trust_level="untrusted"}`);
    }
    const linked = gate({ '/l': '-> /r/sub' }, { cwd: '/l' });
    expect(setting(linked, 'projects')).toContain('"/r"={trust_level="untrusted"}');
  });

  it('every MCP server asks, and every tool that has a word of its own', () => {
    const config = '[mcp_servers."a b"]\ncommand = "x"\n[mcp_servers.c.tools."d.e"]\napproval_mode = "approve"\n';
    expect(setting(gate({ '/h/.codex/config.toml': config }), 'mcp_servers')).toBe(
      'mcp_servers={"a b"={default_tools_approval_mode="prompt"},' +
        '"c"={default_tools_approval_mode="prompt",tools={"d.e"={approval_mode="prompt"}}}}',
    );
    expect(setting(gate({}), 'mcp_servers')).toBeUndefined();
  });

  it('its home is ours, without rules; its instructions are the user’s and the repository’s', () => {
    const made = gate({
      '/r/.git/HEAD': '',
      '/r/AGENTS.md': 'root',
      '/r/sub/AGENTS.md': 'sub',
      '/h/.codex/AGENTS.md': 'mine',
    });
    expect(made.pinned).toEqual({ CODEX_HOME: '/private/codex-home' });
    expect(made.mirrors).toMatchObject([{ of: '/h/.codex', without: ['rules', 'AGENTS.override.md', 'AGENTS.md'] }]);
    expect(made.files).toMatchObject([{ path: '/private/codex-home/AGENTS.md' }]);
    expect(made.files[0]!.content).toMatch(/mine[\s\S]*root[\s\S]*sub/);
    expect(gate({}, { env: { HOME: '/h', CODEX_HOME: '/c' } }).mirrors).toMatchObject([{ of: '/c' }]);
  });

  it('a login in the keyring is bound to its home: used as it is without rules, refused with some', () => {
    const config = { '/h/.codex/config.toml': 'cli_auth_credentials_store = "keyring"\n' };
    expect(gate(config)).toMatchObject({ env: {}, mirrors: [] });
    expect(codexGate(ask({ ...config, '/h/.codex/rules/default.rules': '' }))).toMatchObject({ refused: 'ungated' });
  });

  it('a config that we do not understand is codex’s to judge, and is named', () => {
    expect(gate({ '/h/.codex/config.toml': 'a = 1\n[mcp_servers.x\n' }).notes.join()).toContain('line 2');
  });
});

describe('a repository’s instructions', () => {
  const docs = (files: Record<string, string>) =>
    projectDocs({
      cwd: '/r/sub',
      names: ['A.md', 'B.md'],
      look: disk({ '/r/.git/HEAD': '', '/r/sub/x': '', ...files }),
    });

  it('from its root down, the first name of each folder', () => {
    expect(docs({ '/A.md': 'above', '/r/B.md': 'one', '/r/sub/A.md': 'two', '/r/sub/B.md': 'no' })).toEqual({
      text: '# /r/B.md\n\none\n\n# /r/sub/A.md\n\ntwo',
      files: ['/r/B.md', '/r/sub/A.md'],
    });
    expect(dirname('/r/sub')).toBe('/r');
  });

  it('a link inside is followed, one that leads out is not', () => {
    expect(docs({ '/r/A.md': '-> /r/C.md', '/r/C.md': 'inside' }).text).toContain('inside');
    expect(docs({ '/r/A.md': '-> /secret', '/secret': 'hunter2' })).toEqual({ text: '', files: [] });
  });

  it('not more than codex itself would read', () => {
    expect(docs({ '/r/A.md': 'x'.repeat(100_000), '/r/sub/A.md': 'lost' }).text.length).toBeLessThan(33_000);
  });
});

describe('the user’s own arguments', () => {
  it.each([
    [['-m', 'big'], { args: [], model: 'big' }],
    [['--model=big'], { args: [], model: 'big' }],
    [
      ['-c', 'model_reasoning_effort="high"', '--config=tui.theme="x"'],
      { args: ['-c', 'model_reasoning_effort="high"', '-c', 'tui.theme="x"'] },
    ],
    [[], { args: [] }],
  ])('%j are passed on', (args, expected) => {
    expect(codexArgs(args)).toEqual(expected);
  });

  it.each([
    [['-a', 'never']],
    [['--ask-for-approval=never']],
    [['-c', 'approval_policy=never']],
    [['-capproval_policy=never']],
    [['-c', 'features.hooks=true']],
    [['-c', 'projects."/r".trust_level="trusted"']],
    [['--search']],
    [['-c']],
    [['-c', 'model']],
    [['resume']],
    [['-p', 'mine']],
  ])('%j are refused', (args) => {
    expect(codexArgs(args)).toMatchObject({ refused: 'ungated' });
  });
});

describe('codex’s own word on its settings', () => {
  const config = (more: object) => ({
    config: { features: { hooks: false }, projects: { '/w': { trust_level: 'untrusted' } }, ...more },
  });
  const server = (about: object) => config({ mcp_servers: { s: about } });

  it.each([
    ['nothing to say', {}],
    ['a server that asks', { mcp_servers: { s: { default_tools_approval_mode: 'prompt', tools: { t: {} } } } }],
    ['one that is off', { mcp_servers: { s: { enabled: false } } }],
  ])('leaves no way past us: %s', (_what, more) => {
    expect(openingIn(config(more), '/w')).toBeUndefined();
  });

  it.each([
    ['no answer', undefined],
    ['hooks', config({ features: {} })],
    ['a trusted folder', config({ projects: { '/w': { trust_level: 'trusted' } } })],
    ['another folder', config({ projects: {} })],
    ['a server that does not ask', server({})],
    ['a server that is approved', server({ default_tools_approval_mode: 'approve' })],
    ['a tool that is', server({ default_tools_approval_mode: 'prompt', tools: { t: { approval_mode: 'approve' } } })],
  ])('leaves one: %s', (_what, result) => {
    expect(openingIn(result as never, '/w')).toEqual(expect.any(String));
  });
});
