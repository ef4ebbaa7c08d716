/**
 * Slash commands that we submitted, and the agent's own "are you sure?" about them: whoever sent `/model sonnet` has said
 * yes already. Only the agent's known confirm pages count, and only right after our own command; a command typed in the
 * agent's terminal is its typist's to confirm.
 */
import type { Answer, Clock } from '../../contract/index.js';
import type { Draft } from './door.js';

/** The page comes with the next frame; later it belongs to something else. */
const SOON_MS = 5_000;

/** Confirm pages by the name their reader gives them, and the command each belongs to. */
const CONFIRMS: Record<string, RegExp> = {
  'switch-model': /^\/model(?:\s|$)/,
  'change-effort': /^\/effort(?:\s|$)/,
};

export class OwnCommands {
  readonly #clock: Clock;
  #last: { text: string; at: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  sent(text: string): void {
    this.#last = { text: text.trim(), at: this.#clock.now() };
  }

  /** The answer that was given with the command, once. */
  answerTo(draft: Draft): { answer: Omit<Answer, 'inquiry'>; command: string } | undefined {
    const last = this.#last;
    const question = draft.questions?.[0];
    if (!last || !question || this.#clock.now() - last.at > SOON_MS) return undefined;
    if (!CONFIRMS[draft.tool ?? '']?.test(last.text)) return undefined;
    const yes = question.options.find(({ label }) => /^Yes\b/.test(label));
    if (!yes) return undefined;
    this.#last = undefined;
    const rule = { text: `\`${last.text}\` was sent, so its confirmation is a yes`, source: 'built-in' };
    const verdict = { kind: 'values' as const, values: { [question.id]: [yes.id] } };
    return { answer: { verdict, by: { kind: 'rule', rule } }, command: last.text };
  }
}
