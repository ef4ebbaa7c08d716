/** Fields of forms: a label over a field, and a choice of few as rows one can tap. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export function Labelled({ words, children }: { words: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is the child
    <label class="labelled">
      <span class="label">{words}</span>
      {children}
    </label>
  );
}

export interface ChoiceProps {
  words: string;
  value: string;
  /** Value, words, and what it means. */
  options: readonly (readonly [value: string, words: string, note?: string])[];
  onChoose(value: string): void;
  /** Beside each other where they fit. */
  compact?: boolean;
}

export function Choice({ words, value, options, onChoose, compact = false }: ChoiceProps) {
  const name = useId();
  return (
    <fieldset class="pick" data-compact={compact}>
      <legend class="label">{words}</legend>
      <div class="picks">
        {options.map(([id, label, note]) => (
          <label key={id} class="pick-row" data-value={id}>
            <input type="radio" name={name} checked={value === id} onChange={() => onChoose(id)} />
            <span>
              {label}
              {note !== undefined && note !== '' && <span class="soft small"> {note}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
