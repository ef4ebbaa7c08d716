/**
 * Things in order for one reader with `for await`. Nothing is dropped and little is kept: while much waits, whoever gives
 * is told to hold, and to go on when the reader has caught up. A reader that leaves its loop closes the source.
 */
export interface Source {
  /** Much waits: give no more for now. What is on its way still comes, and is kept. */
  hold(): void;
  release(): void;
  /** The reader has left, or everything was read. Called once. */
  close(): void;
}

export interface Given<T> extends AsyncIterableIterator<T> {
  next(): Promise<IteratorResult<T, undefined>>;
  return(): Promise<IteratorResult<T, undefined>>;
  [Symbol.asyncIterator](): Given<T>;
}

interface WaitingReader<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: Error): void;
}

export class Stream<T> implements Given<T> {
  readonly #source: Source;
  readonly #mostCost: number;
  #items: { item: T; cost: number }[] = [];
  #cost = 0;
  #isHeld = false;
  #isClosed = false;
  #end: { error?: Error } | undefined;
  #readers: WaitingReader<T>[] = [];

  constructor(source: Source, mostCost: number) {
    this.#source = source;
    this.#mostCost = mostCost;
  }

  push(item: T, cost = 1): void {
    if (this.#end) return;
    const reader = this.#readers.shift();
    if (reader) {
      reader.resolve({ value: item, done: false });
      return;
    }
    this.#items.push({ item, cost });
    this.#cost += cost;
    if (this.#isHeld || this.#cost < this.#mostCost) return;
    this.#isHeld = true;
    this.#source.hold();
  }

  /** No more will come; what waits is still read. With an error, the reader gets it last. May be called twice. */
  end(error?: Error): void {
    if (this.#end) return;
    this.#end = error ? { error } : {};
    this.#close();
    for (const reader of this.#readers.splice(0)) this.#last(reader);
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const first = this.#items.shift();
    if (first) {
      this.#cost -= first.cost;
      if (this.#isHeld && !this.#isClosed && this.#cost <= this.#mostCost / 2) {
        this.#isHeld = false;
        this.#source.release();
      }
      return Promise.resolve({ value: first.item, done: false });
    }
    return new Promise((resolve, reject) => {
      const reader = { resolve, reject };
      if (this.#end) this.#last(reader);
      else this.#readers.push(reader);
    });
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.#items = [];
    this.#cost = 0;
    this.#end ??= {};
    this.#close();
    for (const reader of this.#readers.splice(0)) this.#last(reader);
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** An error is told once; whoever reads on after it is simply at the end. */
  #last(reader: WaitingReader<T>): void {
    const { error } = this.#end!;
    this.#end = {};
    if (error) reader.reject(error);
    else reader.resolve({ value: undefined, done: true });
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#source.close();
  }
}
