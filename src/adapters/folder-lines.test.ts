/** What a repository brings along for codex and gemini: nothing of it may be missing from the lines a person reads. */
import { describe, expect, it } from 'vitest';
import type { LaunchAsk, Look } from './adapter.js';
import { codexFolder, folderServers } from './codex-folder.js';
import { folderStarts } from './folder-starts.js';
import { geminiFolder } from './gemini-folder.js';
import { serversFor } from './gemini-servers.js';

const disk = (files: Record<string, string>): Look => ({
  text: (file) => files[file],
  names: (folder) =>
    Object.keys(files).flatMap((file) => (file.startsWith(`${folder}/`) ? [file.slice(folder.length + 1)] : [])),
  real: (path) => path,
});
const codexLines = (config: string) =>
  folderStarts({ folder: codexFolder }, '/r', disk({ '/r/.codex/config.toml': config }));
const geminiLines = (files: Record<string, string>) => folderStarts({ folder: geminiFolder }, '/r', disk(files));

describe('G9: codex', () => {
  it('names servers, every hook of a list, and whatever else is not a model or its manner', () => {
    const config = `model = "x"
notify = ["sh", "-c", "evil"]
[mcp_servers.a]
command = "node"
args = ["x y", 'z']
env = { TOKEN = "t" }
[[hooks.Stop]]
command = "one"
[[hooks.Stop]]
command = "two"
[shell_environment_policy.set]
BASH_ENV = "./evil"
`;
    expect(codexLines(config)).toEqual([
      '.codex/config.toml: server a: node x y z {"env"={"TOKEN"="t"}}',
      '.codex/config.toml: notify = ["sh","-c","evil"]',
      '.codex/config.toml: hook Stop: [{"command"="one"},{"command"="two"}]',
      '.codex/config.toml: shell_environment_policy = {"set"={"BASH_ENV"="./evil"}}',
    ]);
    expect(codexLines('model = "x"\n')).toEqual([]);
  });

  it('a file that is not understood is a line, and a change of it another', () => {
    const [one, two] = [codexLines('a = '), codexLines('b = ')];
    expect(one).toEqual([expect.stringContaining('it was not understood')]);
    expect(two).not.toEqual(one);
  });

  it.each([
    ['mcp_servers = "x"', 1],
    ['mcp_servers.a = "x"', 1],
    ['[[mcp_servers]]\ncommand = "x"', 1],
  ])('odd servers are a line too: %j', (config, lines) => {
    expect(codexLines(config)).toHaveLength(lines);
    expect(folderServers(config, () => false)).toEqual([]);
  });

  it('passes servers on by known fields, made to ask, and never under a name of the user’s', () => {
    const config = `[mcp_servers.a]
command = "x\\u0022, default_tools_approval_mode=\\u0022approve"
args = ["]", "}"]
startup_timeout_sec = 5
default_tools_approval_mode = "approve"
[mcp_servers.a.tools.t]
approval_mode = "approve"
[mcp_servers.mine]
command = "y"
`;
    expect(folderServers(config, (name) => name === 'mine')).toEqual([
      '"a"={command="x\\", default_tools_approval_mode=\\"approve",args=["]","}"],startup_timeout_sec=5,default_tools_approval_mode="prompt"}',
    ]);
  });

  it('rules are lines, each file of them', () => {
    const files = { '/r/.codex/rules/a.rules': 'prefix_rule(\n  pattern=["rm"])\n', '/r/.codex/rules/readme': 'no' };
    expect(folderStarts({ folder: codexFolder }, '/r', disk(files))).toEqual([
      '.codex/rules/a.rules: rules: prefix_rule( pattern=["rm"])',
    ]);
  });
});

describe('G9: gemini', () => {
  it('names servers, hooks and every other setting but looks; of variables the names alone', () => {
    const settings = {
      ui: { theme: 'x' },
      mcpServers: { a: { command: 'node', args: ['x'], trust: true } },
      hooks: { BeforeTool: [{ hooks: [{ command: 'evil' }] }] },
      tools: { callCommand: 'evil' },
    };
    expect(
      geminiLines({ '/r/.gemini/settings.json': JSON.stringify(settings), '/r/.env': 'export A=1\nB = 2\n#C=3\n' }),
    ).toEqual([
      '.gemini/settings.json: server a: node x {"trust":true}',
      '.gemini/settings.json: hook BeforeTool: [{"hooks":[{"command":"evil"}]}]',
      '.gemini/settings.json: tools: {"callCommand":"evil"}',
      expect.stringMatching(/^\.env: environment A, B \(content [0-9a-f]{16}\)$/),
    ]);
    expect(geminiLines({ '/r/.gemini/settings.json': '// words\n{}' })).toEqual([
      expect.stringContaining('it was not understood'),
    ]);
  });

  it('gives servers back under names nobody can know, without their trust; what ACP cannot carry is named', () => {
    const repo = {
      a_b: { command: './x', args: ['$NAME', '$GONE'], env: { T: '$NAME' }, trust: true },
      odd: { command: 'x', cwd: '/' },
    };
    const user = { web: { httpUrl: 'http://h', headers: { A: 'b' } } };
    const look = disk({
      '/r/.gemini/settings.json': JSON.stringify({ mcpServers: repo }),
      '/h/.gemini/settings.json': JSON.stringify({ mcpServers: user }),
    });
    const ask = { env: { HOME: '/h', NAME: 'v' }, look } as unknown as LaunchAsk;
    const { servers, names, left } = serversFor(ask, '/r');
    expect(servers).toEqual([
      { name: names[0], command: './x', args: ['v', '$GONE'], env: [{ name: 'T', value: 'v' }] },
      { name: names[1], type: 'http', url: 'http://h', headers: [{ name: 'A', value: 'b' }] },
    ]);
    expect(names).toEqual([expect.stringMatching(/^a-b-[0-9a-f-]{13}$/), expect.stringMatching(/^web-[0-9a-f-]{13}$/)]);
    expect(left).toEqual(['odd']);
    // No name at all would let every server in.
    expect(serversFor({ ...ask, look: disk({}) }, '/r').names).toHaveLength(1);
  });
});
