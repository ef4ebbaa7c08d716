/**
 * From a command line to its simple commands, by the real grammar (tree-sitter-bash as wasm). The one place in policy
 * that touches a file: the grammar, loaded once and only when a command has to be judged. Reading the tree is
 * `shell-tree.ts`.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { Language, Node, Parser } from 'web-tree-sitter';
import { once } from '../contract/index.js';
import { type ShellSpan, spansOf } from './shell-spans.js';
import { readTree } from './shell-tree.js';
import type { ParsedShell, Shell } from './shell-words.js';

/** Characters. Longer commands are scripts that nobody reads in a dialog either; they are asked about. */
export const LONGEST_COMMAND = 64 * 1024;
/** Milliseconds. Ordinary commands take a tenth of one; the grammar is quadratic on some nonsense (`a=(a=(…`). */
const PARSE_MS = 250;
/** Beyond this the grammar spends seconds in one step that cannot be stopped, and may run out of memory. */
const MOST_PIPES = 1000;

const resolve = (name: string): string => createRequire(import.meta.url).resolve(name);

/** Where the grammar is: beside this file once built; in the grammar's own package when run from source. */
function grammarPath(): string {
  const built = fileURLToPath(new URL('./tree-sitter-bash.wasm', import.meta.url));
  return existsSync(built) ? built : resolve('tree-sitter-bash/tree-sitter-bash.wasm');
}

interface Files {
  engine: number;
  grammar: number;
}

const openFiles = (grammar = grammarPath()): Files => ({
  engine: openSync(resolve('web-tree-sitter/web-tree-sitter.wasm'), 'r'),
  grammar: openSync(grammar, 'r'),
});

const loadParser = once(() => import('web-tree-sitter'));

/** An open file stays what it was, also when another one gets its name or it is removed. */
let held: Files | undefined;

/** For who may need a shell only after these files were replaced: keeps them at hand, without the memory they would take. */
export async function holdShell(): Promise<void> {
  await loadParser();
  held ??= openFiles();
}

function readWhole(fd: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fstatSync(fd).size);
  for (let at = 0; at < bytes.length; ) {
    const length = readSync(fd, bytes, at, bytes.length - at, at);
    if (length === 0) throw new Error('a file ends before its end');
    at += length;
  }
  return bytes;
}

interface Wasm {
  compile(bytes: Uint8Array): Promise<object>;
  Instance: new (module: object, imports: object) => object;
}

/** Node has it, its types do not. */
const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: Wasm };

/** Also for people: which parts are what. Total, like reading; what cannot be read is one plain span. */
export interface ShownShell extends Shell {
  spans(text: string): ShellSpan[];
}

let loading: Promise<ShownShell> | undefined;

/** Loads the grammar once per process. Rejects when it cannot be read; the caller then has no shell and nothing is allowed. */
export function loadShell(wasmPath?: string, now: () => number = () => performance.now()): Promise<ShownShell> {
  if (wasmPath !== undefined) return load(wasmPath, now);
  loading ??= load(undefined, now).catch((cause) => {
    // Not kept: a file that was missing for a moment may be there at the next command.
    loading = undefined;
    throw cause;
  });
  return loading;
}

async function load(wasmPath: string | undefined, now: () => number): Promise<ShownShell> {
  // The grammar's functions are huge: V8 would spend seconds on making them faster, and a process cannot end before that is
  // done. Measured on a busy machine: a host stayed 4 to 20 s after its last word, and without it one.
  setFlagsFromString('--liftoff-only');
  const { Language, Parser } = await loadParser();
  const files = wasmPath === undefined ? (held ?? openFiles()) : openFiles(wasmPath);
  try {
    const engine = await wasm.compile(readWhole(files.engine));
    const instantiateWasm = (imports: object, done: (made: object, of: object) => void) =>
      done(new wasm.Instance(engine, imports), engine);
    await Parser.init({ instantiateWasm });
    return shellOf(Parser, await Language.load(readWhole(files.grammar)), now);
  } finally {
    if (files !== held) for (const fd of Object.values(files)) closeSync(fd);
  }
}

function shellOf(Maker: typeof Parser, language: Language, now: () => number): ShownShell {
  const parser = new Maker();
  parser.setLanguage(language);
  const read: Shell = (text) => {
    try {
      return parse(parser, text, now);
    } catch {
      // The wasm gave up, for want of memory: it stays broken for this process, and nothing is allowed by a rule.
      return { problem: 'the grammar failed on it', commands: [] };
    }
  };
  const spans = (text: string): ShellSpan[] => {
    try {
      return withTree(parser, text, now, (root) => spansOf(root, text)) ?? [{ text, is: 'plain' }];
    } catch {
      return [{ text, is: 'plain' }];
    }
  };
  return Object.assign(read, { spans });
}

/** Undefined for what is too long or too complicated to be read. */
function withTree<T>(parser: Parser, text: string, now: () => number, use: (root: Node) => T): T | undefined {
  if (text.length > LONGEST_COMMAND || text.split('|').length > MOST_PIPES) return undefined;
  const end = now() + PARSE_MS;
  const tree = parser.parse(text, null, {
    // The type says void, the parser stops on true.
    progressCallback: () => (now() > end) as unknown as undefined,
  });
  if (!tree) {
    parser.reset();
    return undefined;
  }
  try {
    return use(tree.rootNode);
  } finally {
    tree.delete();
  }
}

/**
 * Bash takes these as ordinary characters or as the end of a word depending on shell, version and locale (NUL and CR,
 * other controls, the spaces of Unicode, invisible format characters, text direction): nobody can say what would run.
 */
const AMBIGUOUS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]|(?! )\p{Zs}|\p{Cf}|\p{Cs}/u;

/** A joiner between two pictures, and the letters of a flag's region behind a black flag, belong to one emoji. */
const JOINED_EMOJI =
  /\p{Extended_Pictographic}[\u{FE0F}\u{1F3FB}-\u{1F3FF}]*(?:\u200d\p{Extended_Pictographic}[\u{FE0F}\u{1F3FB}-\u{1F3FF}]*)+|\u{1F3F4}[\u{E0020}-\u{E007E}]+\u{E007F}/gu;

function parse(parser: Parser, text: string, now: () => number): ParsedShell {
  if (text.length > LONGEST_COMMAND) return { problem: `longer than ${LONGEST_COMMAND} characters`, commands: [] };
  const read = withTree(parser, text, now, (root) => readTree(root, text));
  if (!read) return { problem: 'too complicated to be read', commands: [] };
  // Blanked out, so that what follows keeps its place.
  const odd = AMBIGUOUS.exec(text.replace(JOINED_EMOJI, (emoji) => 'x'.repeat(emoji.length)));
  if (!odd || read.problem) return read;
  const code = text.codePointAt(odd.index)!.toString(16).toUpperCase().padStart(4, '0');
  return { problem: `it contains the character U+${code}`, commands: read.commands };
}
