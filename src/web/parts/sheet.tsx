/** A small dialog over the page: from the bottom on a phone, in the middle elsewhere. Esc, a tap beside it and Cancel close it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { shieldClick, useShield } from './shield.js';
import { Swallowed } from './swallowed.js';

export interface SheetProps {
  title: string;
  /** For tests and styles. */
  name: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Sheet({ title, name, onClose, children }: SheetProps) {
  const ref = useRef<HTMLDialogElement>(null);
  // What opened it may lie under the same finger.
  useShield(ref, name);
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class="sheet"
      data-sheet={name}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClickCapture={shieldClick}
      onClick={(event) => event.target === event.currentTarget && onClose()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="sheet-body">
        <h3>{title}</h3>
        {children}
        <Swallowed of={ref} />
      </div>
    </dialog>
  );
}
