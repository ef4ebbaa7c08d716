/**
 * What is done under a key is done once: whoever lost the connection in the middle sends it again and gets the same answer. By
 * device, because keys are made there. What failed may be tried again.
 */
/** Of one device: whoever floods forgets its own. */
const MOST_KEYS = 500;
/** Those that did something last. */
const MOST_DEVICES = 200;

export class DoneOnce {
  readonly #devices = new Map<string, Map<string, Promise<unknown>>>();

  run<T>(of: { device: string; what: string; key: string }, act: () => Promise<T>): Promise<T> {
    const done = this.#of(of.device);
    const name = JSON.stringify([of.what, of.key]);
    const known = done.get(name);
    if (known) return known as Promise<T>;
    const doing = act();
    done.set(name, doing);
    doing.catch(() => done.delete(name));
    forgetFirst(done, MOST_KEYS);
    return doing;
  }

  #of(device: string): Map<string, Promise<unknown>> {
    const done = this.#devices.get(device) ?? new Map<string, Promise<unknown>>();
    this.#devices.delete(device);
    this.#devices.set(device, done);
    forgetFirst(this.#devices, MOST_DEVICES);
    return done;
  }
}

function forgetFirst<T>(all: Map<string, T>, most: number): void {
  if (all.size > most) all.delete(all.keys().next().value!);
}
