/** A button for what cannot be taken back: the first press asks, the second does it. It keeps its place and size meanwhile. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const ASKED_MS = 4000;

interface TwiceProps {
  onClick: () => void;
  really: string;
  children: ComponentChildren;
  class?: string;
  'data-do': string;
  'aria-label'?: string;
}

export function Twice({ onClick, really, children, ...rest }: TwiceProps) {
  const [asks, setAsks] = useState(false);
  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(due.current), []);
  const press = (): void => {
    clearTimeout(due.current);
    if (asks) onClick();
    else due.current = setTimeout(() => setAsks(false), ASKED_MS);
    setAsks(!asks);
  };
  return (
    <button type="button" {...rest} data-asks={asks || undefined} onClick={press} onBlur={() => setAsks(false)}>
      <span class={asks ? 'away' : undefined}>{children}</span>
      <span class={asks ? undefined : 'away'} aria-live="polite">
        {really}
      </span>
    </button>
  );
}
