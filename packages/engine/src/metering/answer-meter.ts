// Answers of http imposters by method and status. Counted for every answer, so there is a number for each pair that can
// occur and counting is one addition: no text is built, nothing is looked up but the method, and that only when it is
// another one than before. The numbers may lie in memory that threads share; each thread has its own.

import { METHODS } from '@rift-ts/http';

/** A status is three digits. */
const STATUSES = 1000;
const rowOf = new Map(METHODS.map((method, index) => [method, index * STATUSES]));

export class AnswerMeter {
  /** Numbers a meter has. */
  static readonly cells = METHODS.length * STATUSES;

  readonly #cells: Float64Array;
  #method = METHODS[0];
  #row = 0;

  constructor(cells: Float64Array = new Float64Array(AnswerMeter.cells)) {
    this.#cells = cells;
  }

  /** `method`: one that the wire lets through; `status`: 100 to 999. */
  count(method: string, status: number): void {
    if (method !== this.#method) {
      this.#row = rowOf.get(method)!;
      this.#method = method;
    }
    this.#cells[this.#row + status]++;
  }

  /** The pairs that were counted. */
  *[Symbol.iterator](): Iterator<readonly [method: string, status: number, answers: number]> {
    for (const [method, row] of rowOf) {
      for (let status = 0; status < STATUSES; status++) {
        const answers = this.#cells[row + status];
        if (answers > 0) yield [method, status, answers];
      }
    }
  }
}
