/** The keys of the page: in Settings, and over everything on `?`. */
import { useEffect, useRef } from 'preact/hooks';
import { KEYS, keysShown } from '../model/keys.js';

export function KeysTable() {
  return (
    <dl class="keys small">
      {KEYS.map(([keys, what]) => (
        <div key={keys}>
          <dt>
            {keys.split(' ').map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd class="soft">{what}</dd>
        </div>
      ))}
    </dl>
  );
}

export function KeysDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (keysShown.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [keysShown.value]);
  const hide = (): void => {
    keysShown.value = false;
  };
  return (
    <dialog ref={dialog} class="dialog" aria-label="Keys" onClose={hide}>
      {keysShown.value && (
        <>
          <h2 class="view-title">Keys</h2>
          <KeysTable />
          <p class="faint small">None of them works in a field or a terminal.</p>
          <button type="button" class="button" onClick={hide}>
            Close
          </button>
        </>
      )}
    </dialog>
  );
}
