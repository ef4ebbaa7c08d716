/** A pause: who would start something waits for its end. */
export class Standstill {
  end: () => void = () => undefined;
  readonly over = new Promise<void>((resolve) => {
    this.end = resolve;
  });
}
