/**
 * A line of its own for what goes into a terminal: phone keyboards and a terminal's hidden field do not get on. What is typed or
 * pasted here is sent whole: one paste, one Enter, through the same door as any message.
 */
import { useRef } from 'preact/hooks';
import type { Composing } from '../model/composing.js';
import { draft } from '../model/drafts.js';
import { post } from '../model/outbox.js';

export function CommandLine({ session, composing }: { session: string; composing: Composing }) {
  const text = draft(`line:${session}`);
  const field = useRef<HTMLTextAreaElement>(null);
  const barred = composing.barred;
  const send = async (): Promise<void> => {
    const words = text.peek();
    if (words.trim() === '' || barred) return;
    text.value = '';
    if (!(await post({ session, what: 'message', text: words }))) text.value = words;
  };
  return (
    <form
      class="command-line"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={field}
        class="field mono"
        rows={Math.min(4, text.value.split('\n').length)}
        value={text.value}
        placeholder={barred ?? 'type or paste, sent whole'}
        aria-label="command line"
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        enterkeyhint="send"
        disabled={barred !== undefined}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          // The Enter that ends a composition belongs to it.
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
          event.preventDefault();
          void send();
        }}
      />
      <button type="submit" class="button" data-do="line" disabled={text.value.trim() === '' || barred !== undefined}>
        Send
      </button>
    </form>
  );
}
