/**
 * What the folder an agent works in would start with it, in lines for a person. The same lines are what the user's yes
 * is remembered by: a folder that brings anything more later is one nobody has agreed to.
 */
import type { Adapter, FolderFile, Look } from './adapter.js';

export function folderStarts({ folder: files = [] }: Pick<Adapter, 'folder'>, folder: string, look: Look): string[] {
  return files.flatMap((one) => linesOf(one, folder, look));
}

function linesOf({ file, starts }: FolderFile, folder: string, look: Look): string[] {
  try {
    const content = look.text(`${folder}/${file}`);
    return content === undefined ? [] : starts(content).map((line) => `${file}: ${line}`);
  } catch (error) {
    return [`${file}: it cannot be read (${(error as Error).message})`];
  }
}

/** Whether everything that would start now was there when the user agreed. */
export const isCovered = (starts: string[], seen: string[]): boolean => starts.every((line) => seen.includes(line));
