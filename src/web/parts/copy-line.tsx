/** A line to take elsewhere, with a button that copies it; where a browser does not let us, it is selected for the person. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { OutsideText } from './outside-text.js';

export function CopyLine({ line, name }: { line: string; name: string }) {
  const said = useSignal<'copied' | 'select' | undefined>(undefined);
  const code = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(line);
      said.value = 'copied';
    } catch {
      // Not on a secure address, or not permitted.
      if (code.current) getSelection()?.selectAllChildren(code.current);
      said.value = 'select';
    }
  };
  return (
    <div class="copy-line">
      <code ref={code} data-line={name}>
        <OutsideText text={line} lines />
      </code>
      <button class="button small" type="button" data-do={`copy-${name}`} onClick={() => void copy()}>
        {said.value === 'copied' ? 'Copied' : 'Copy'}
      </button>
      <span class="unseen" aria-live="polite">
        {said.value === 'copied' ? 'Copied' : said.value === 'select' ? 'Selected: copy it with the keyboard' : ''}
      </span>
    </div>
  );
}
