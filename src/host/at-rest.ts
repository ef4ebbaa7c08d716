/**
 * A host runs to its end with the code it began with, whatever happens to the files it came from: an upgrade would give it
 * modules of another build, an uninstall none. What is loaded only when it is wanted (`once`) is loaded when the start is
 * over and nobody waits. What costs much memory is not loaded but kept open. A house test knows every such place.
 */
import { systemClock } from '../contract/index.js';
import { loadTerminalRest } from '../terminal/index.js';
import { loadAnswering, loadRehearsal } from './commands.js';
import { giveBack } from './give-back.js';
import { loadMessages } from './host.js';
import { agentsOf } from './modes/create.js';
import type { SessionSpec } from './spec.js';

/** Its terminal program has a companion, which is spoken to over a web socket. */
const WITH_COMPANION = 'codex';

/** By then the room for a start's garbage is seen to be too large, and goes with the collection. */
const GIVE_BACK_MS = 10_000;

export async function comeToRest(spec: SessionSpec): Promise<void> {
  await loadRest(spec);
  systemClock.after(GIVE_BACK_MS, giveBack);
}

async function loadRest(spec: SessionSpec): Promise<void> {
  await loadTerminalRest();
  await (await import('./doors/quiet.js')).loadTerminalAsks();
  await (await loadMessages()).loadQueue();
  await loadAnswering();
  if (spec.exec) await (await import('./modes/exec.js')).loadAsking();
  if (spec.exec) return;
  if ((await agentsOf(spec)).includes(WITH_COMPANION)) await (await import('./doors/companion.js')).loadWebSocket();
  await (await import('./policy.js')).holdRules();
  await (await import('./consult/answers.js')).loadMemory();
  await loadRehearsal();
  const { loadConsultant, mayConsult } = await import('./consult/lazy.js');
  if (mayConsult(spec.config)) await (await loadConsultant()).loadWho(spec);
}
