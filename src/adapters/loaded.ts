/**
 * A second face of this room for the host: the agents that its session runs and no others, which is most of the room. They
 * are loaded before the work begins, so that whoever starts one need not wait.
 */
import type { Adapter } from './adapter.js';

export { text as textDecoder } from './decoders/text.js';
export { folderStarts, isCovered } from './folder-starts.js';
export { withJsonEntry } from './json-entry.js';
export { look } from './look.js';
export { successOf } from './success.js';

const FILES: Record<string, () => Promise<Adapter>> = {
  claude: async () => (await import('./claude.js')).claude,
  kiro: async () => (await import('./kiro.js')).kiro,
  gemini: async () => (await import('./gemini.js')).gemini,
  codex: async () => (await import('./codex.js')).codex,
  amp: async () => (await import('./amp.js')).amp,
  custom: async () => (await import('./custom.js')).custom,
  practice: async () => (await import('./practice.js')).practice,
};

const loaded = new Map<string, Adapter>();

/** Names that nobody knows are left out: whoever asks for one is told so then. */
export async function loadAdapters(ids: Iterable<string>): Promise<void> {
  await Promise.all(
    [...new Set(ids)].map(async (id) => {
      const adapter = Object.hasOwn(FILES, id) ? await FILES[id]!() : undefined;
      if (adapter) loaded.set(id, adapter);
    }),
  );
}

export function loadedAdapter(id: string): Adapter | undefined {
  return loaded.get(id);
}
