/**
 * Skills, agents and commands of the user and of the project, as a plugin of ours: Claude loads them from settings folders
 * that our gate shuts out. They are instructions, so they stay; what their heads could bring along besides (hooks, servers,
 * allowed tools, permission modes) does not. Each head is written anew, key by key, so that no trick of YAML gets through.
 */
import { join } from 'node:path';
import type { LaunchAsk, Mirror } from './adapter.js';
import { namesIn, textIn } from './if-readable.js';

export interface Plugin {
  dir: string;
  files: { path: string; content: string }[];
  mirrors: Mirror[];
}

/** What only describes, or narrows. */
const HARMLESS = new Set([
  ...[
    'name',
    'description',
    'argument-hint',
    'arguments',
    'when_to_use',
    'version',
    'license',
    'model',
    'effort',
    'color',
  ],
  ...[
    'disable-model-invocation',
    'user-invocable',
    'context',
    'agent',
    'paths',
    'tools',
    'disallowedTools',
    'maxTurns',
  ],
]);
/** Written anew, or what could make a plugin of its own out of a skill's folder. */
const SKILL_OWN = [
  'SKILL.md',
  '.claude-plugin',
  'plugin.json',
  '.mcp.json',
  '.lsp.json',
  'hooks',
  'hooks.json',
  'settings.json',
];
const MOST_FILES = 300;
const DEEPEST = 4;
const LINE_BREAK = /\r\n|[\r\n\u0085\u2028\u2029]/;

/** Undefined where `from` has none of them. */
export function pluginOf(
  { look, dir }: Pick<LaunchAsk, 'look' | 'dir'>,
  plugin: { name: string; from: string },
): Plugin | undefined {
  const to = join(dir, 'claude-plugins', plugin.name);
  const files: Plugin['files'] = [];
  const mirrors: Mirror[] = [];
  const add = (path: string, text: string | undefined) => {
    if (text !== undefined && files.length < MOST_FILES) files.push({ path, content: cleaned(text) });
  };
  for (const name of namesIn(look, join(plugin.from, 'skills'))) {
    const of = join(plugin.from, 'skills', name);
    const text = textIn(look, join(of, 'SKILL.md'));
    if (text === undefined) continue;
    mirrors.push({ dir: join(to, 'skills', name), of, without: SKILL_OWN, folders: [], files: [] });
    add(join(to, 'skills', name, 'SKILL.md'), text);
  }
  const walk = (below: string, depth: number): void => {
    for (const name of namesIn(look, join(plugin.from, below))) {
      if (name.endsWith('.md')) add(join(to, below, name), textIn(look, join(plugin.from, below, name)));
      else if (depth < DEEPEST && !name.includes('.')) walk(join(below, name), depth + 1);
    }
  };
  for (const folder of ['commands', 'agents']) walk(folder, 0);
  if (files.length === 0) return undefined;
  const about = { name: plugin.name, version: '0.0.0', description: `From ${plugin.from}.` };
  files.push({ path: join(to, '.claude-plugin', 'plugin.json'), content: `${JSON.stringify(about)}\n` });
  return { dir: to, files, mirrors };
}

/** The text with a head that holds harmless keys only. */
export function cleaned(text: string): string {
  const lines = text.replace(/^\uFEFF/, '').split(LINE_BREAK);
  if (lines[0]?.trimEnd() !== '---') return `---\n---\n${lines.join('\n')}`;
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (end < 0) return '---\n---\n';
  const head: string[] = [];
  let open: { key: string; value: string[] } | undefined;
  const close = () => {
    if (open && HARMLESS.has(open.key)) head.push(`${open.key}: ${written(open.value)}`);
    open = undefined;
  };
  for (const line of lines.slice(1, end)) {
    const key = /^([A-Za-z][\w-]*):(?:\s+(.*))?$/.exec(line);
    if (key) {
      close();
      open = { key: key[1]!, value: [key[2] ?? ''] };
    } else if (/^( |- )/.test(line) || line === '') open?.value.push(line.trim());
    else close();
  }
  close();
  return ['---', ...head, '---', ...lines.slice(end + 1)].join('\n');
}

/** One line, as JSON has strings: nothing in it can become another key. */
function written([first = '', ...rest]: string[]): string {
  const marked = /^[|>][+-]?\d?$/.test(first.trim());
  const items = rest.filter((line) => line.startsWith('- ')).map((line) => unquoted(line.slice(2)));
  if (first.trim() === '' && items.length > 0) return JSON.stringify(items.join(', '));
  const value = marked ? rest.join(first.startsWith('|') ? '\n' : ' ').trim() : [first, ...rest].join(' ').trim();
  if (/^(true|false|\d+)$/.test(value)) return value;
  const list = /^\[(.*)\]$/.exec(value);
  return JSON.stringify(
    list
      ? list[1]!
          .split(',')
          .map((item) => unquoted(item.trim()))
          .join(', ')
      : unquoted(value),
  );
}

function unquoted(text: string): string {
  const quoted = /^(["'])(.*)\1$/s.exec(text);
  return quoted ? quoted[2]!.replaceAll(quoted[1] === '"' ? '\\"' : "''", quoted[1]!) : text;
}
