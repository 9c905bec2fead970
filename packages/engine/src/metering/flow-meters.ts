// Operations on flow state by what was asked and whether it worked.

const OPERATIONS = ['get', 'set', 'exists', 'delete', 'increment', 'cas', 'ttl', 'clear'] as const;

export type FlowOperation = (typeof OPERATIONS)[number];
type FlowResult = 'success' | 'error';

export class FlowMeters {
  readonly #counts: Readonly<Record<FlowResult, Record<FlowOperation, number>>> = { success: none(), error: none() };

  count(operation: FlowOperation, result: FlowResult): void {
    this.#counts[result][operation]++;
  }

  /** What was counted at least once. */
  *[Symbol.iterator](): Iterator<readonly [labels: readonly [FlowOperation, FlowResult], count: number]> {
    for (const operation of OPERATIONS) {
      for (const result of ['success', 'error'] as const) {
        const count = this.#counts[result][operation];
        if (count > 0) yield [[operation, result], count];
      }
    }
  }
}

function none(): Record<FlowOperation, number> {
  return { get: 0, set: 0, exists: 0, delete: 0, increment: 0, cas: 0, ttl: 0, clear: 0 };
}
