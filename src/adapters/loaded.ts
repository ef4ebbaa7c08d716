/**
 * A second face of this room for the host: the agents that its session runs and no others, which is most of the room. They
 * are loaded before the work begins, so that whoever starts one need not wait.
 */
import type { Adapter } from './adapter.js';
import type { ConsultAsk, Consultation } from './consultation.js';
import type { BUILT_IN } from './module-shape.js';

export { limitIn } from './decoders/limits.js';
export { text as textDecoder } from './decoders/text.js';
export { type Failure, failureOf } from './failures.js';
export { folderStarts, isCovered } from './folder-starts.js';
export { withJsonEntry } from './json-entry.js';
export { look } from './look.js';
export { successOf } from './success.js';

const FILES: Record<(typeof BUILT_IN)[number], () => Promise<Adapter>> = {
  claude: async () => (await import('./claude.js')).claude,
  kiro: async () => (await import('./kiro.js')).kiro,
  gemini: async () => (await import('./gemini.js')).gemini,
  codex: async () => (await import('./codex.js')).codex,
  amp: async () => (await import('./amp.js')).amp,
  custom: async () => (await import('./custom.js')).custom,
  practice: async () => (await import('./practice.js')).practice,
};

const loaded = new Map<string, Adapter>();

/** Names that nobody knows are left out: whoever asks for one is told so then. `modules`: those of the user's own, by id. */
export async function loadAdapters(ids: Iterable<string>, modules: (id: string) => string | undefined): Promise<void> {
  await Promise.all(
    [...new Set(ids)].map(async (id) => {
      const adapter = isBuiltIn(id) ? await FILES[id]() : await own(id, modules(id));
      if (adapter) loaded.set(id, adapter);
    }),
  );
}

const isBuiltIn = (id: string): id is keyof typeof FILES => Object.hasOwn(FILES, id);

async function own(id: string, file: string | undefined): Promise<Adapter | undefined> {
  return file === undefined ? undefined : (await import('./module.js')).bringAdapter(file, id);
}

export function loadedAdapter(id: string): Adapter | undefined {
  return loaded.get(id);
}

/** Wanted by the few sessions that consult somebody. */
const CONSULTATIONS: Partial<Record<string, () => Promise<Consultation>>> = {
  claude: async () => (await import('./claude-consult.js')).claudeConsultation,
  codex: async () => (await import('./codex-consult.js')).codexConsultation,
  gemini: async () => (await import('./gemini-consult.js')).geminiConsultation,
  custom: async () => (await import('./plain-consult.js')).customConsultation,
  practice: async () => (await import('./plain-consult.js')).practiceConsultation,
};

/** How it is consulted; a text says why it is not. */
export async function loadConsultation(adapter: Adapter): Promise<Consultation | string> {
  const load = isBuiltIn(adapter.id) ? CONSULTATIONS[adapter.id] : undefined;
  await import('./find-loaded.js');
  return (await load?.()) ?? adapter.consultation ?? `${adapter.label} ${NO_WAY}`;
}

const NO_WAY = 'cannot be consulted: there is no known way to start it without its tools';

/** Where an agent is that the session itself does not run. */
export const findAgent: typeof import('./find-loaded.js').findLoaded = async (...args) =>
  (await import('./find-loaded.js')).findLoaded(...args);

/** Why an agent has no login, where that can be seen without starting it. */
export async function loginMissing(id: string, asked: Pick<ConsultAsk, 'env' | 'look'>): Promise<string | undefined> {
  if (id !== 'codex' && id !== 'gemini') return undefined;
  const { codexLogin, geminiLogin } = await import('./consult-login.js');
  return id === 'codex' ? codexLogin(asked) : geminiLogin(asked);
}
