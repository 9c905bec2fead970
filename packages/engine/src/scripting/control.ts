// Shared memory between a script host and one of its worker threads. A thread that runs a loop without end answers no
// message, so what the host needs to know about it stands here: which call it runs, and whether it is alive at all.

const CURRENT = 0;
const LAST_BEGUN = 1;
const BEATS = 2;

/** Value of CURRENT when the host has given the thread up: it finishes what it began and begins nothing more. */
const GIVEN_UP = -1;

export class Control {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(12)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  /** Worker: starts a call, unless the host has given the thread up (then the call runs elsewhere). */
  begin(id: number): boolean {
    const before = Atomics.load(this.#words, CURRENT);
    // Only the host writes GIVEN_UP, and only through compareExchange: if it gets in between, this one fails
    if (before === GIVEN_UP || Atomics.compareExchange(this.#words, CURRENT, before, id) !== before) return false;
    Atomics.store(this.#words, LAST_BEGUN, id);
    this.beat();
    return true;
  }

  /** Worker: code of that call (0: of none) runs from now on. */
  resume(id: number): void {
    const before = Atomics.load(this.#words, CURRENT);
    if (before !== GIVEN_UP && before !== id) Atomics.compareExchange(this.#words, CURRENT, before, id);
  }

  /** Worker: the event loop turns. */
  beat(): void {
    Atomics.add(this.#words, BEATS, 1);
  }

  beats(): number {
    return Atomics.load(this.#words, BEATS);
  }

  /** The call whose code ran last, 0 when none. */
  current(): number {
    return Atomics.load(this.#words, CURRENT);
  }

  /** Host: calls up to this number have been begun. */
  lastBegun(): number {
    return Atomics.load(this.#words, LAST_BEGUN);
  }

  /** Gives the thread up while it runs `current`; false when it has gone on meanwhile. */
  giveUp(current: number): boolean {
    return Atomics.compareExchange(this.#words, CURRENT, current, GIVEN_UP) === current;
  }
}
