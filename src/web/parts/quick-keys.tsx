/** The row of keys under a terminal, for who has no keyboard. */
import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { QUICK_KEYS, type QuickKey, type Sticky, type StickyName, tapped } from '../model/quick-keys.js';

interface QuickKeysProps {
  sticky: Signal<Sticky>;
  disabled: boolean;
  onKey: (key: QuickKey) => void;
  onKeyboard: () => void;
}

/** A sign has a name; a word is called as it is written, for who says aloud what to press. */
const spoken = ({ name, label }: QuickKey): string => (name.startsWith(label) ? label : name);

export function QuickKeys({ sticky, disabled, onKey, onKeyboard }: QuickKeysProps) {
  const last = useRef<Record<StickyName, number>>({ ctrl: 0, alt: 0 });
  const press = (key: QuickKey): void => {
    if (!key.sticky) {
      onKey(key);
      return;
    }
    const since = Date.now() - last.current[key.sticky];
    last.current[key.sticky] = Date.now();
    sticky.value = { ...sticky.value, [key.sticky]: tapped(sticky.value[key.sticky], since) };
  };
  return (
    // Without the keys none of the buttons takes focus: then the row itself does, or nobody could scroll it by keyboard.
    <div class="quick-keys" role="toolbar" aria-label="keys" tabIndex={disabled ? 0 : undefined}>
      {QUICK_KEYS.map((key) => {
        const state = key.sticky ? sticky.value[key.sticky] : undefined;
        return (
          <button
            key={key.name}
            type="button"
            class="key"
            aria-label={state === 'locked' ? `${key.name}, locked` : spoken(key)}
            aria-pressed={state === undefined ? undefined : state !== 'off'}
            data-key={key.name}
            data-sticky={state}
            disabled={disabled}
            // The keyboard stays as it is: a tap here takes no focus.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => press(key)}
          >
            {key.label}
          </button>
        );
      })}
      <button
        type="button"
        class="key"
        aria-label="Keyboard"
        data-key="Keyboard"
        disabled={disabled}
        onClick={onKeyboard}
      >
        ⌨
      </button>
    </div>
  );
}
