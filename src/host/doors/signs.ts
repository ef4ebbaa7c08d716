/** Small judgements of the tui door about what it sees and hears. */
import type { ScreenReading } from '../../adapters/index.js';
import type { AgentState } from '../../contract/index.js';

export const canTake = (state: AgentState): boolean => state === 'ready' || state === 'idle';

/** Another dialog stands there, or the agent does something else. A half-painted frame says neither. */
export function isGone(key: string, { dialog, state }: ScreenReading): boolean {
  if (dialog) return dialog.key !== key;
  return state !== undefined && state !== 'asking-permission' && state !== 'asking-question';
}

/** Agents trim, re-wrap and cut what they echo: compare the letters, not the spaces or what cannot be seen. */
export const squeeze = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, '').slice(0, 2000);

export const endLine = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
