/**
 * What is done under a key is done once: whoever lost the connection in the middle sends it again and gets the same answer. By
 * device, because keys are made there. What failed may be tried again.
 */
const MOST_KEYS = 2_000;

export class DoneOnce {
  readonly #done = new Map<string, Promise<unknown>>();

  run<T>(of: { device: string; what: string; key: string }, act: () => Promise<T>): Promise<T> {
    const name = JSON.stringify([of.device, of.what, of.key]);
    const known = this.#done.get(name);
    if (known) return known as Promise<T>;
    const doing = act();
    this.#done.set(name, doing);
    doing.catch(() => this.#done.delete(name));
    if (this.#done.size > MOST_KEYS) this.#done.delete(this.#done.keys().next().value!);
    return doing;
  }
}
