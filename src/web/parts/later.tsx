/** Screens that few visits open are loaded when they are; the worker keeps them, so that they open without a network too. */
import { signal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';

export function later<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => JSX.Element {
  const loaded = signal<ComponentType<P> | undefined>(undefined);
  const failed = signal(false);
  const begin = (): void => {
    failed.value = false;
    load().then(
      (view) => {
        loaded.value = view;
      },
      () => {
        failed.value = true;
      },
    );
  };
  return function Later(props: P) {
    useEffect(() => {
      if (loaded.value === undefined) begin();
    }, []);
    const View = loaded.value;
    if (View !== undefined) return <View {...props} />;
    if (!failed.value) return <div class="view" />;
    return (
      <div class="view calm">
        <p class="calm-title">This screen could not be loaded.</p>
        <p class="soft">The hub does not answer, and it was not opened here before.</p>
        <button type="button" class="button" onClick={begin}>
          Try again
        </button>
      </div>
    );
  };
}
