// Stubs that somebody else keeps and chooses (custom repositories): their predicates and responses come as JSON with
// each request and are compiled once for each text.

import type { CompiledPredicate } from '../matching/types.js';
import type { PredicateJson, ResponseJson, StubJson } from '../model/types.js';
import type { RequestView } from '../request-view.js';
import type { RingEntry, Stub } from './stub.js';

/** Texts whose compilation is kept, of predicates and of responses each. */
const MOST_TEXTS = 10_000;

export class ChosenStubs {
  readonly #compileStub: (stub: StubJson) => Stub;
  readonly #compilePredicate: (predicate: PredicateJson) => CompiledPredicate;
  readonly #predicates = new Map<string, readonly CompiledPredicate[]>();
  readonly #responses = new Map<string, RingEntry>();

  constructor(
    compileStub: (stub: StubJson) => Stub,
    compilePredicate: (predicate: PredicateJson) => CompiledPredicate,
  ) {
    this.#compileStub = compileStub;
    this.#compilePredicate = compilePredicate;
  }

  /** Whether all predicates hold; throws or rejects with the RiftError of one that cannot be evaluated. */
  holds(predicates: readonly PredicateJson[], view: RequestView): boolean | Promise<boolean> {
    const compiled = kept(this.#predicates, JSON.stringify(predicates), () => predicates.map(this.#compilePredicate));
    for (const [at, predicate] of compiled.entries()) {
      const holds = predicate.test(view);
      if (holds === false) return false;
      if (holds !== true) return restHolds(holds, compiled.slice(at + 1), view);
    }
    return true;
  }

  /**
   * The response of a choice, compiled. When the stub at its position has it, the entry is that of the stub: proxies
   * record beside it.
   */
  entry({ at, response }: { at: number; response: ResponseJson }, stubs: readonly Stub[]): RingEntry {
    const text = JSON.stringify(response);
    const own = stubs[at]?.ring.entries.find(({ json }) => JSON.stringify(json) === text);
    return own ?? kept(this.#responses, text, () => this.#compileStub({ responses: [response] }).ring.entries[0]!);
  }
}

async function restHolds(
  verdict: Promise<boolean>,
  rest: readonly CompiledPredicate[],
  view: RequestView,
): Promise<boolean> {
  if (!(await verdict)) return false;
  for (const predicate of rest) if (!(await predicate.test(view))) return false;
  return true;
}

function kept<T>(map: Map<string, T>, text: string, make: () => T): T {
  let value = map.get(text);
  if (value === undefined) {
    value = make();
    if (map.size >= MOST_TEXTS) map.clear();
    map.set(text, value);
  }
  return value;
}
