// Order among concurrent changes: changes of one imposter take turns, changes of different imposters run side by side,
// and a change of the whole set runs alone. Requests are served in the order in which they came.

export class Turns {
  /** The last turn of each key, settled or not; a settled one is forgotten. */
  readonly #last = new Map<string, Promise<unknown>>();
  #alone: Promise<unknown> = Promise.resolve();

  /** Runs `change` after everything earlier of the same key, and after every earlier change that ran alone. */
  of<T>(key: string, change: () => Promise<T>): Promise<T> {
    return this.#enqueue(key, [this.#last.get(key) ?? this.#alone], change);
  }

  /** Runs `change` after everything earlier; everything later waits for it. */
  alone<T>(change: () => Promise<T>): Promise<T> {
    const before = [this.#alone, ...this.#last.values()];
    this.#last.clear();
    const turn = Promise.allSettled(before).then(change);
    this.#alone = turn.catch(() => undefined);
    return turn;
  }

  #enqueue<T>(key: string, before: readonly Promise<unknown>[], change: () => Promise<T>): Promise<T> {
    const turn = Promise.allSettled(before).then(change);
    const settled = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return turn;
  }
}
