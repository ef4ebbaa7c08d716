/**
 * Rule strings as Claude Code users know them, read into data: `Bash(npm test:*)`, `Edit(src/**)`, `Read`,
 * `WebFetch(domain:example.com)`, `mcp__srv__*`. Matching is elsewhere. A rule that cannot be read says where it stops
 * making sense, because `config check` points at the character.
 */
import { canonicalTool } from './tool-names.js';

/** One word of a command rule: text with holes (`*`), or as many words as there are (`words`, at least one). */
export type RuleWord = { kind: 'text'; parts: string[] } | { kind: 'words' };

export type RuleSpec =
  /** `rest`: any further words may follow. `glued`: the last word's `*` runs on over word ends (`ls*`). */
  | {
      kind: 'command';
      words: RuleWord[];
      rest: boolean;
      glued: boolean;
      /** Its redirections are exactly these (`> out.txt`); as grants have them. */
      redirects?: { op: string; target: string }[];
      /** What comes in is exactly this here-document, by the name that `inputs.ts` gives it (`<<3f…`). */
      input?: string;
    }
  | { kind: 'path'; pattern: string }
  | { kind: 'domain'; host: string; subdomains: boolean };

export interface Rule {
  text: string;
  /** The tool's name as rules use it; may contain `*`. */
  tool: string;
  /** Absent: every use of the tool. */
  spec?: RuleSpec;
}

export interface RuleError {
  error: string;
  /** Index of the character in the rule's text. */
  at: number;
}

/** Longer is no rule a person wrote, and matching time grows with it. */
export const LONGEST_RULE = 4096;

const PATH_TOOLS = new Set(['Read', 'Edit', 'Glob', 'Grep', 'LS']);

export function isRuleError(rule: Rule | RuleError): rule is RuleError {
  return 'error' in rule;
}

/** Contract: never throws. */
export function parseRule(text: string): Rule | RuleError {
  if (text.length > LONGEST_RULE) return { error: `longer than ${LONGEST_RULE} characters`, at: LONGEST_RULE };
  const name = /^[A-Za-z0-9_.:/*-]*/.exec(text)![0];
  if (text.trim() === '') return { error: 'empty: expected a tool, such as Bash(npm test:*)', at: 0 };
  if (name === '') return { error: 'expected the name of a tool', at: 0 };
  const tool = canonicalTool(name);
  if (name.length === text.length) return { text, tool };
  if (text[name.length] !== '(') return { error: 'expected ( or the end after the name of the tool', at: name.length };
  const inside = { at: name.length + 1, text: text.slice(name.length + 1, -1) };
  if (!text.endsWith(')')) {
    const close = text.lastIndexOf(')');
    if (close > name.length) return { error: 'nothing may follow the closing )', at: close + 1 };
    return { error: 'the closing ) is missing', at: text.length };
  }
  if (inside.text.trim() === '') return { error: `empty: write ${name} for every use of it`, at: inside.at };
  if (inside.text.trim() === '*') return { text, tool };
  const spec = readSpec(tool, inside);
  return 'error' in spec ? spec : { text, tool, spec };
}

interface ParenText {
  text: string;
  at: number;
}

function readSpec(tool: string, inside: ParenText): RuleSpec | RuleError {
  if (tool === 'Bash') return readCommand(inside);
  if (PATH_TOOLS.has(tool)) return readPath(inside);
  if (tool === 'WebFetch') return readDomain(inside);
  return { error: `rules for ${tool} take nothing in brackets: write ${tool}`, at: inside.at - 1 };
}

function readDomain({ text, at }: ParenText): RuleSpec | RuleError {
  const prefix = 'domain:';
  if (!text.startsWith(prefix)) return { error: 'expected domain:HOST', at };
  const named = text.slice(prefix.length).trim().toLowerCase();
  const subdomains = named.startsWith('*.');
  const host = (subdomains ? named.slice(2) : named).replace(/\.$/, '');
  if (!/^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u.test(host)) {
    return { error: 'expected a host name, such as example.com or *.example.com', at: at + prefix.length };
  }
  const ascii = hostOf(`http://${host}/`) ?? host;
  return { kind: 'domain', host: ascii, subdomains };
}

/** The host of an address, as browsers read it; undefined for what is no http address. */
export function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? hostname.replace(/\.$/, '').toLowerCase() : undefined;
}

function readPath({ text, at }: ParenText): RuleSpec | RuleError {
  if (text.startsWith('!')) return { error: 'a path cannot be negated: write it under deny', at };
  const control = /[\0-\x1f]/.exec(text);
  if (control) return { error: 'a path has no control characters', at: at + control.index };
  if (/^~[^/]/.test(text)) return { error: 'only ~/ is understood, not the home of another user', at };
  const climb = /(^|\/)\.\.(\/|$)/.exec(text);
  if (climb) return { error: 'a path in a rule has no ..: write // and the absolute path', at: at + climb.index };
  const open = /(?<!\\)\[(?![^\]]+\])/.exec(text);
  if (open) return { error: 'the closing ] is missing', at: at + open.index };
  return { kind: 'path', pattern: text.trim() };
}

/** Unquoted, these mean more than one command or more than words. */
const OPERATORS = new Set([...';&|<>()`$\n\r']);

function readCommand(inside: ParenText): RuleSpec | RuleError {
  let text = inside.text;
  let rest = false;
  if (text.endsWith(':*')) {
    rest = true;
    text = text.slice(0, -2);
    if (/\s$/.test(text)) return { error: 'no space before :*', at: inside.at + text.length - 1 };
  }
  const words: RuleWord[] = [];
  const redirects: { op: string; target: string }[] = [];
  let input: string | undefined;
  let index = 0;
  while (index < text.length) {
    if (/\s/.test(text[index]!) && text[index] !== '\n') {
      index += 1;
      continue;
    }
    const named = /^<<([0-9a-f]{32})(?=\s|$)/.exec(text.slice(index, index + 40));
    if (named && !rest) {
      input = named[1]!;
      index += named[0].length;
      continue;
    }
    const op = /^(&>>|&>|>>|>\||>|<)[ \t]+(?=[^\s<>&|])/.exec(text.slice(index, index + 40));
    if (op && !rest) {
      const read = readWord(text, index + op[0].length);
      if ('error' in read) return { error: read.error, at: inside.at + read.at };
      if (read.word.kind !== 'text' || read.word.parts.length > 1) {
        return { error: 'a redirection names one file', at: inside.at + index };
      }
      redirects.push({ op: op[1]!, target: read.word.parts[0]! });
      index = read.end;
      continue;
    }
    if (redirects.length > 0 || input !== undefined)
      return { error: 'redirections stand behind the words', at: inside.at + index };
    const read = readWord(text, index);
    if ('error' in read) return { error: read.error, at: inside.at + read.at };
    words.push(read.word);
    index = read.end;
  }
  const last = words.at(-1);
  let glued = false;
  if (!rest && last?.kind === 'words') {
    words.pop();
    rest = true;
  } else if (!rest && last?.kind === 'text' && last.parts.length > 1 && last.parts.at(-1) === '') {
    glued = true;
  }
  if (words.length === 0) return { error: 'expected a command', at: inside.at };
  if ((redirects.length > 0 || input !== undefined) && (rest || glued)) {
    return { error: 'a rule with a redirection names the whole command', at: inside.at };
  }
  return {
    kind: 'command',
    words,
    rest,
    glued,
    ...(redirects.length > 0 ? { redirects } : {}),
    ...(input === undefined ? {} : { input }),
  };
}

interface WordRead {
  word: RuleWord;
  end: number;
}

function readWord(text: string, start: number): WordRead | RuleError {
  const parts = [''];
  let quoted = false;
  let index = start;
  const add = (more: string) => {
    parts[parts.length - 1] += more;
  };
  while (index < text.length) {
    const char = text[index]!;
    if (char === "'" || char === '"') {
      const end = text.indexOf(char, index + 1);
      if (end < 0) return { error: `the closing ${char} is missing`, at: index };
      const inner = text.slice(index + 1, end);
      if (char === '"' && /[$`\\]/.test(inner)) return { error: 'use single quotes around $, ` and \\', at: index };
      add(inner);
      quoted = true;
      index = end + 1;
    } else if (char === '\\') {
      if (index + 1 >= text.length) return { error: 'nothing follows the backslash', at: index };
      add(text[index + 1]!);
      quoted = true;
      index += 2;
    } else if (OPERATORS.has(char)) {
      return { error: `a rule is one command: write one rule for each, without ${JSON.stringify(char)}`, at: index };
    } else if (/\s/.test(char)) {
      break;
    } else {
      if (char === '*') parts.push('');
      else add(char);
      index += 1;
    }
  }
  const lone = !quoted && parts.length === 2 && parts[0] === '' && parts[1] === '';
  return { word: lone ? { kind: 'words' } : { kind: 'text', parts }, end: index };
}
