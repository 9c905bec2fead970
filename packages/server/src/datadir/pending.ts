// Writes that were begun for one imposter, so that an answer can wait for them.

export class PendingWrites {
  readonly #writes = new Set<Promise<void>>();

  add(write: Promise<void>): void {
    if (this.#writes.has(write)) return;
    this.#writes.add(write);
    const done = () => {
      this.#writes.delete(write);
    };
    write.then(done, done);
  }

  /** Resolves when all writes so far are done; rejects as the first that fails. */
  async settled(): Promise<void> {
    if (this.#writes.size > 0) await Promise.all(this.#writes);
  }

  /** Resolves when all writes so far are over, whatever became of them. */
  async over(): Promise<void> {
    await Promise.allSettled(this.#writes);
  }
}
