/**
 * Which files a patch in Codex's own format touches. Codex is lenient about blanks around its headers, so every line that
 * could be one counts; and a patch with a line that is neither header nor content is not understood.
 */

export interface PatchRead {
  paths: string[];
  /** Why it cannot be relied on that these are all. */
  problem?: string;
}

const BEGIN = '*** begin patch';
const KNOWN = /^\*{3}\s*(begin patch|end patch|end of file|environment id:.*)$/i;
const HEADER = /^\*{3}\s*(?:add|update|delete|create|move|rename|copy)[a-z ]*:(.*)$/i;

export const isPatch = (text: string): boolean => text.toLowerCase().includes(BEGIN);

/** Linear in the text: each line is looked at once. */
export function readPatch(text: string): PatchRead {
  const paths: string[] = [];
  let problem: string | undefined;
  let inside = false;
  for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    const bare = line.trim();
    if (bare.startsWith('***')) {
      const path = HEADER.exec(bare)?.[1]?.trim();
      if (path) paths.push(path);
      else if (!KNOWN.test(bare)) problem ??= 'a line of its patch is no header that is known';
      if (bare.toLowerCase() === BEGIN) inside = true;
    } else if (inside && line !== '' && !/^[-+ @]/.test(line)) problem ??= 'a line of its patch is not understood';
  }
  return problem === undefined ? { paths } : { paths, problem };
}
