/** What of folders was shown to whom, as it was then: only that can be said yes to. In memory: after a restart it is shown again. */
const MOST_SHOWN = 500;

export class ShownParts {
  readonly #shown = new Set<string>();

  add(device: { id: string }, file: string, lines: string[]): void {
    this.#shown.add(nameOf(device, file, lines));
    if (this.#shown.size > MOST_SHOWN) this.#shown.delete(this.#shown.keys().next().value!);
  }

  has(device: { id: string }, file: string, lines: string[]): boolean {
    return this.#shown.has(nameOf(device, file, lines));
  }
}

const nameOf = ({ id }: { id: string }, file: string, lines: string[]): string => JSON.stringify([id, file, lines]);
