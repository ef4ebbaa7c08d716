/** Screens that few visits open are loaded when they are; the worker keeps them, so that they open without a network too. */
import { signal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { loadAnew } from '../model/newer.js';
import { connection } from '../model/store.js';

export function later<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => JSX.Element {
  const loaded = signal<ComponentType<P> | undefined>(undefined);
  const failed = signal(false);
  const begin = (): void => {
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
    const isLive = connection.value.state === 'live';
    useEffect(() => {
      if (loaded.value === undefined) begin();
    }, [isLive]);
    const View = loaded.value;
    if (View !== undefined) return <View {...props} />;
    if (!failed.value) return <div class="view" />;
    return (
      <div class="view calm">
        <p class="calm-title">This screen could not be loaded.</p>
        <p class="soft">
          {isLive ? 'The hub has a newer page.' : 'The hub does not answer, and it was not opened here before.'}
        </p>
        {isLive && (
          <button type="button" class="button" data-do="load-anew" onClick={loadAnew}>
            Load it
          </button>
        )}
      </div>
    );
  };
}
