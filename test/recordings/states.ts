/** The states a recording goes through, as the terminal readers see it: one word per change, in order. */
import { claudeTui } from '../../src/adapters/tuis/claude-tui.js';
import { codexTui } from '../../src/adapters/tuis/codex-tui.js';
import { geminiTui } from '../../src/adapters/tuis/gemini-tui.js';
import type { ScreenReading, Tui } from '../../src/adapters/adapter.js';
import type { ScreenShot } from '../../src/contract/index.js';
import { type Frame, play } from './play.js';

/** One folder of recordings: an agent, in the version it was first recorded with or in the one that is named. */
export type Agent = 'claude' | 'claude-2.1.325' | 'codex' | 'gemini';

export const tuiOf = (agent: Agent): Tui =>
  agent === 'codex' ? codexTui() : agent === 'gemini' ? geminiTui() : claudeTui({ configDir: '/home/x/.claude' });

export const word = ({ state, dialog }: ScreenReading): string =>
  dialog ? `${dialog.kind}:${dialog.inquiry.tool ?? ''}` : (state ?? '-');

export function statesOf(
  agent: Agent,
  name: string,
  step: 'chunk' | 'byte',
  see: (frame: Frame, reading: ScreenReading) => void = () => {},
): string[] {
  const tui = tuiOf(agent);
  const words: string[] = [];
  let osc: string | undefined;
  let read: { of: ScreenShot; reading: ScreenReading } | undefined;
  play(`./${agent}/${name}.cast.gz`, step, (frame) => {
    if (frame.osc !== osc && frame.osc !== undefined) tui.osc?.(7501, frame.osc);
    // Most bytes of a screen program change nothing on it: what was read stays.
    if (frame.osc !== osc || frame.shot !== read?.of) read = { of: frame.shot, reading: tui.read(frame.shot) };
    osc = frame.osc;
    const { reading } = read;
    const next = word(reading);
    if (next !== '-' && next !== words.at(-1)) words.push(next);
    see(frame, reading);
  });
  return words;
}
