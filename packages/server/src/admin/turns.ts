// Order among concurrent changes: changes of one imposter take turns, changes of different imposters run side by side,
// and a change of the whole set runs alone. Requests are served in the order in which they came.

interface Turn {
  readonly settled: Promise<unknown>;
  over: boolean;
}

/** Keys that are remembered at most before those whose turns are over are forgotten. */
const mostKeys = 1000;

export class Turns {
  /** The last turn of each key. */
  readonly #last = new Map<string, Turn>();
  #alone: Promise<unknown> = Promise.resolve();

  /** Runs `change` after everything earlier of the same key, and after every earlier change that ran alone. */
  of<T>(key: string, change: () => Promise<T>): Promise<T> {
    return this.#enqueue(key, this.#last.get(key)?.settled ?? this.#alone, change);
  }

  /** Runs `change` after everything earlier; everything later waits for it. */
  alone<T>(change: () => Promise<T>): Promise<T> {
    const before = [this.#alone, ...[...this.#last.values()].map(({ settled }) => settled)];
    this.#last.clear();
    const turn = Promise.all(before).then(change);
    this.#alone = turn.catch(() => undefined);
    return turn;
  }

  /** `before` never rejects. */
  #enqueue<T>(key: string, before: Promise<unknown>, change: () => Promise<T>): Promise<T> {
    const turn = before.then(change);
    const over = (): void => {
      mine.over = true;
    };
    const mine: Turn = { settled: turn.then(over, over), over: false };
    this.#last.set(key, mine);
    if (this.#last.size > mostKeys) this.#forget();
    return turn;
  }

  #forget(): void {
    for (const [key, { over }] of this.#last) if (over) this.#last.delete(key);
  }
}
