/**
 * Where one writes to the agent. The text is kept as it is typed; what is sent goes into the outbox and from there exactly once
 * to the session. Enter sends where there is a keyboard; on a phone the button does.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChatUsage } from '../model/chat-types.js';
import type { Composing } from '../model/composing.js';
import { draft } from '../model/drafts.js';
import { post } from '../model/outbox.js';
import { now, type SessionRow } from '../model/store.js';
import { span } from '../model/words.js';
import { Icon } from './icons.js';

const LARGEST_PX = 200;
const hasKeyboard = (): boolean => matchMedia('(hover: hover) and (pointer: fine)').matches;

const thousands = (n: number): string =>
  n < 1000 ? String(n) : n < 1e6 ? `${(n / 1000).toFixed(n < 1e4 ? 1 : 0)}k` : `${(n / 1e6).toFixed(1)}M`;

/** What it took so far. */
export function Spent({ usage, row }: { usage: ChatUsage; row: SessionRow }) {
  const tokens = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  const cost = usage.costUsd ?? row.cost_usd;
  const end = row.ended_at === undefined ? now.value : Date.parse(row.ended_at);
  const lasted = span(end - Date.parse(row.started_at));
  const facts = [
    tokens > 0 ? `${thousands(tokens)} tokens` : '',
    cost === undefined ? '' : `$${cost.toFixed(2)}`,
    row.ended_at === undefined ? `began ${lasted} ago` : `took ${lasted}`,
  ];
  return <p class="spent faint">{facts.filter(Boolean).join(' · ')}</p>;
}

interface ComposerProps {
  session: string;
  composing: Composing;
}

export function Composer({ session, composing }: ComposerProps) {
  const { what, hint, verb, barred } = composing;
  const text = draft(`message:${session}`);
  const field = useRef<HTMLTextAreaElement>(null);
  const [wrong, setWrong] = useState('');
  const isEmpty = text.value.trim() === '' && what !== 'continue';

  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = '';
    // An empty field is as high as one line, whatever its hint says; one line of text is not a pixel higher or lower.
    if (text.value !== '' && area.scrollHeight > area.clientHeight + 1)
      area.style.height = `${Math.min(LARGEST_PX, area.scrollHeight + 2)}px`;
  }, [text.value]);

  const send = async (): Promise<void> => {
    const words = text.peek();
    if (isEmpty || barred) return;
    text.value = '';
    if (await post({ session, what, text: what === 'continue' ? words.trim() : words })) return setWrong('');
    text.value = words;
    setWrong('Too many messages wait for the connection already.');
  };

  const keyed = (event: KeyboardEvent): void => {
    // While a word is being composed Enter belongs to it.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    if (!hasKeyboard() && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    void send();
  };

  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable], .xterm');
      if (event.key !== 'c' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={field}
        class="field"
        rows={1}
        value={text.value}
        placeholder={barred ?? hint}
        aria-label={what === 'guide' ? 'guidance for the next iteration' : 'message to the agent'}
        enterkeyhint="enter"
        disabled={barred !== undefined}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={keyed}
      />
      <button
        type="submit"
        class="button primary"
        data-do="send"
        aria-label={verb}
        disabled={isEmpty || barred !== undefined}
      >
        <Icon name={verb === 'When connected' ? 'later' : 'send'} />
        <span class={what === 'continue' ? 'word always' : 'word'}>{verb}</span>
      </button>
      {wrong ? <p class="bad small">{wrong}</p> : null}
    </form>
  );
}
