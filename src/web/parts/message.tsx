/** What people and the agent say: prompts with their ticks, words, thoughts. */
import type { ChatPrompt, ChatText, ChatThinking } from '../model/chat-types.js';
import { now } from '../model/store.js';
import { seenText } from '../model/visible.js';
import { clock } from '../model/words.js';
import { LongText } from './long-text.js';
import { Markdown } from './markdown.js';

export type Tick = ChatPrompt['tick'] | 'sending' | 'refused';

/** Sent, taken by the host, written down by the agent: each claim only when it is known. */
const TICKS: Record<Tick, { sign: string; says: string }> = {
  sending: { sign: '◷', says: 'not sent yet' },
  refused: { sign: '✗', says: 'refused' },
  accepted: { sign: '✓', says: 'taken by the host' },
  recorded: { sign: '✓✓', says: 'in the agent’s record' },
  dropped: { sign: '✗', says: 'dropped' },
};

export function TickSign({ tick, says }: { tick: Tick; says?: string | undefined }) {
  const words = says ?? TICKS[tick].says;
  return (
    <span class={`tick ${tick}`} role="img" aria-label={words} title={words} data-tick={tick}>
      {TICKS[tick].sign}
    </span>
  );
}

const LONG = 4000;

export function Prompt({ item }: { item: ChatPrompt }) {
  const { guidance } = item;
  const where =
    guidance && (guidance.iteration === undefined ? 'for the next iteration' : `in iteration ${guidance.iteration}`);
  return (
    <div class="prompt" data-tick={item.tick}>
      {item.text.length > LONG ? (
        <LongText text={item.text} cut={item.cut === true} label="message" />
      ) : (
        <p class="said">{seenText(item.text, { lines: true })}</p>
      )}
      <p class="meta">
        {item.by ? `${seenText(item.by)} · ` : ''}
        {where ? `guidance ${where} · ` : ''}
        <time dateTime={item.at}>{clock(item.at, now.peek())}</time> <TickSign tick={item.tick} says={item.why} />
      </p>
      {item.why ? <p class="meta bad">{seenText(item.why)}</p> : null}
    </div>
  );
}

export const Words = ({ item }: { item: ChatText }) => <Markdown text={item.text} />;

export const Thought = ({ item }: { item: ChatThinking }) => (
  <details class="thought">
    <summary>thought about it</summary>
    <LongText text={item.text} label="thoughts" />
  </details>
);
