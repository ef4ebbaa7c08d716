/**
 * What the folder an agent works in would start with it, in lines for a person. The same lines are what the user's yes
 * is remembered by: a folder that brings anything more later is one nobody has agreed to.
 */
import { createHash } from 'node:crypto';
import type { Adapter, FolderFile, Look } from './adapter.js';

export function folderStarts({ folder: files = [] }: Pick<Adapter, 'folder'>, folder: string, look: Look): string[] {
  return files.flatMap((one) => linesOf(one, folder, look));
}

function linesOf({ file, each, starts }: FolderFile, folder: string, look: Look): string[] {
  try {
    const files =
      each === undefined ? [file] : look.names(`${folder}/${file}`).flatMap((name) => named(file, name, each));
    return files.flatMap((one) => linesOfFile(one, starts, { folder, look }));
  } catch (error) {
    return [`${file}: it cannot be read (${(error as Error).message})`];
  }
}

const named = (folder: string, name: string, ending: string): string[] =>
  name.endsWith(ending) ? [`${folder}/${name}`] : [];

function linesOfFile(file: string, starts: FolderFile['starts'], at: { folder: string; look: Look }): string[] {
  try {
    const content = at.look.text(`${at.folder}/${file}`);
    return content === undefined ? [] : starts(content).map((line) => `${file}: ${line}`);
  } catch (error) {
    return [`${file}: it cannot be read (${(error as Error).message})`];
  }
}

/** For what is too long, too secret or too strange to stand in a line: a change of it is another line all the same. */
export const digest = (content: string): string =>
  `content ${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;

/** On one line. */
export const flat = (content: string): string => content.trim().replace(/\s+/g, ' ');

/** Whether everything that would start now was there when the user agreed. */
export const isCovered = (starts: string[], seen: string[]): boolean => starts.every((line) => seen.includes(line));
