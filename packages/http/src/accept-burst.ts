// libuv accepts one connection of a listener in a turn of the event loop. When many clients connect at once, those that were
// accepted first send requests, which make every turn after that longer: of 256 connections the last was accepted 150 ms later.
// So a connection that comes a turn after another one is not read before a turn passes in which none comes: all are accepted
// first, in short turns, then all are served.
import type { Transport } from './transport.js';

/**
 * How long a burst of so many connections may last, in milliseconds: as long as they come fast. Where turns are long because of
 * others, nothing is gained by waiting.
 */
const longestMs = (connections: number): number => Math.min(10 + connections * 0.1, 100);

export class AcceptBurst {
  /** Not read yet, in order of arrival. */
  #waiting: Transport[] = [];
  #lasts = false;
  /** Whether a connection came in this turn. */
  #accepted = false;
  #begun = 0;

  constructor(private readonly longest = longestMs) {}

  /** Reads from a connection that has just been accepted: at once, or after those that came with it. */
  start(transport: Transport): void {
    this.#accepted = true;
    if (this.#lasts) {
      this.#waiting.push(transport);
      return;
    }
    this.#lasts = true;
    this.#begun = performance.now();
    setImmediate(this.#turn);
    transport.resume();
  }

  /** A turn has read all that was there to read. */
  readonly #turn = (): void => {
    if (this.#accepted && performance.now() - this.#begun < this.longest(this.#waiting.length)) {
      this.#accepted = false;
      setImmediate(this.#turn);
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#lasts = false;
    for (const transport of waiting) transport.resume();
  };
}
