/**
 * Calls that change files, as files before and after. Only what the call itself says, and for a whole file what is there now:
 * read inside the session's folder alone, never through a link out of it. Undefined: it is shown as it is.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import type { ThingView } from '../../contract/page.js';

export type ShownChange = NonNullable<ThingView['files']>[number];

const MOST_BYTES = 1024 * 1024;

type EditInput = Record<string, unknown>;

/** Fields that say nothing of what is changed; any other makes it a call that is shown whole. */
const ASIDE = new Set(['description', 'explanation', 'instruction', 'replace_all', 'replaceAll']);

const text = (input: EditInput, ...names: string[]): string | undefined => {
  const found = names.map((name) => input[name]).find((value) => typeof value === 'string');
  return found as string | undefined;
};

const only = (input: EditInput, ...names: string[]): boolean =>
  Object.keys(input).every((name) => names.includes(name) || ASIDE.has(name));

const PATHS = ['file_path', 'filePath', 'path'];
const OLD = ['old_string', 'oldString', 'old_str'];
const NEW = ['new_string', 'newString', 'new_str'];

export function changedFiles(input: unknown, cwd: string): ShownChange[] | undefined {
  if (typeof input === 'string') return patched(input, cwd);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const fields = input as EditInput;
  const patch = text(fields, 'patch', 'input');
  if (patch !== undefined && only(fields, 'patch', 'input')) return patched(patch, cwd);
  const path = text(fields, ...PATHS);
  if (path === undefined) return undefined;
  if (Array.isArray(fields.edits) && only(fields, ...PATHS, 'edits')) {
    const all = fields.edits.map((one) => edit(one as EditInput, path));
    return all.every((one) => one !== undefined) ? all : undefined;
  }
  if (only(fields, ...PATHS, ...OLD, ...NEW)) {
    const one = edit(fields, path);
    return one && [one];
  }
  const content = text(fields, 'content', 'contents', 'file_text');
  if (content === undefined || !only(fields, ...PATHS, 'content', 'contents', 'file_text')) return undefined;
  const now = presentText(path, cwd);
  return [{ path, before: now.text, after: content, ...(now.isThere ? {} : { created: true }), ...unseenOf(now) }];
}

function edit(one: EditInput, path: string): ShownChange | undefined {
  const [before, after] = [text(one, ...OLD), text(one, ...NEW)];
  if (before === undefined || after === undefined) return undefined;
  const isAll = one.replace_all === true || one.replaceAll === true;
  return { path: isAll ? `${path} (everywhere in it)` : path, before, after, part: true };
}

interface Present {
  text: string;
  isThere: boolean;
  /** Why its text is not here: then an empty one says nothing. */
  unseen?: string;
}

const unseenOf = ({ unseen }: Present) => (unseen === undefined ? {} : { unseen });

/** What a file inside the folder holds; nothing of any other. */
function presentText(path: string, cwd: string): Present {
  const at = resolve(cwd, path);
  try {
    const real = realpathSync(at);
    const way = relative(realpathSync(cwd), real);
    if (way.startsWith('..') || isAbsolute(way)) return { text: '', isThere: true, unseen: 'it is outside the folder' };
    const fd = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) return { text: '', isThere: true, unseen: 'it is no plain file' };
      if (stat.size > MOST_BYTES) return { text: '', isThere: true, unseen: `it has ${stat.size} bytes` };
      return { text: readFileSync(fd, 'utf8'), isThere: true };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT'
      ? { text: '', isThere: false }
      : { text: '', isThere: true, unseen: `it cannot be read (${code})` };
  }
}

/** Codex's own format, read strictly: a line that is not understood, and all of it is shown as text. */
function patched(patch: string, cwd: string): ShownChange[] | undefined {
  const lines = patch.replace(/\n$/, '').split('\n');
  if (lines[0] !== '*** Begin Patch' || lines.at(-1) !== '*** End Patch') return undefined;
  const files: ShownChange[] = [];
  let kind = '';
  for (const line of lines.slice(1, -1)) {
    const head = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line);
    const file = files.at(-1);
    if (head) {
      kind = head[1]!;
      const now = kind === 'Delete' ? presentText(head[2]!, cwd) : undefined;
      const more = {
        ...(kind === 'Add' ? { created: true } : {}),
        ...(kind === 'Update' ? { part: true } : {}),
        ...(now ? unseenOf(now) : {}),
      };
      files.push({ path: head[2]!, before: now?.text ?? '', after: '', ...more });
      continue;
    }
    if (!file) return undefined;
    const moved = /^\*\*\* Move to: (.+)$/.exec(line);
    if (moved && kind === 'Update') file.path = `${file.path} → ${moved[1]}`;
    else if (kind === 'Add' && line.startsWith('+')) file.after += `${line.slice(1)}\n`;
    else if (kind === 'Update' && (/^@@/.test(line) || line === '*** End of File')) both(file, `${line}\n`);
    else if (kind === 'Update' && (line.startsWith(' ') || line === '')) both(file, `${line.slice(1)}\n`);
    else if (kind === 'Update' && line.startsWith('-')) file.before += `${line.slice(1)}\n`;
    else if (kind === 'Update' && line.startsWith('+')) file.after += `${line.slice(1)}\n`;
    else return undefined;
  }
  return files.length > 0 ? files : undefined;
}

function both(file: ShownChange, line: string): void {
  file.before += line;
  file.after += line;
}
