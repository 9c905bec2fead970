// The flows that this process has written to a store elsewhere and that should still be there, by their times to live:
// the store itself would have to be searched for them.

/** Flows that are over are forgotten at least once in so many writes. */
const SWEEP_EVERY = 1024;

export class LiveFlows {
  /** The time at which the last cell of a flow expires, in milliseconds of the clock. */
  readonly #until = new Map<string, number>();
  readonly #now: () => number;
  #writes = 0;

  /** `now`: milliseconds; any clock that does not go back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get count(): number {
    this.#sweep();
    return this.#until.size;
  }

  /** A cell of the flow lives for so many seconds from now. */
  written(flowId: string, seconds: number): void {
    if (++this.#writes % SWEEP_EVERY === 0) this.#sweep();
    const until = this.#now() + seconds * 1000;
    if (until > (this.#until.get(flowId) ?? 0)) this.#until.set(flowId, until);
  }

  /** All cells of the flow live for so many seconds from now; 0 and less: it is gone. */
  limited(flowId: string, seconds: number): void {
    if (seconds <= 0) this.#until.delete(flowId);
    else if (this.#until.has(flowId)) this.#until.set(flowId, this.#now() + seconds * 1000);
  }

  #sweep(): void {
    const now = this.#now();
    for (const [flowId, until] of this.#until) if (until <= now) this.#until.delete(flowId);
  }
}
