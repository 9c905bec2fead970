// The oracle of the index: stubs one after another, nothing skipped.

import type { RequestView } from '../request-view.js';
import type { MatchableStub, MatchTrace } from './program.js';

/** The first stub that matches, by trying all in order; throws like `Program.match`. */
export async function linearMatch<S extends MatchableStub>(
  stubs: readonly S[],
  view: RequestView,
  trace?: MatchTrace<S>,
): Promise<S | undefined> {
  for (const stub of stubs) {
    if (stub.gate !== undefined && !stub.gate(view)) {
      trace?.rejected(stub, -1, view);
      continue;
    }
    let at = 0;
    while (at < stub.predicates.length && (await stub.predicates[at].test(view))) at++;
    if (at === stub.predicates.length) return stub;
    trace?.rejected(stub, at, view);
  }
  return undefined;
}
