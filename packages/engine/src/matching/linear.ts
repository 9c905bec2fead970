// The oracle of the index: stubs one after another, nothing skipped.

import type { RequestView } from '../request-view.js';
import type { MatchableStub } from './program.js';

/** The first stub that matches, by trying all in order; throws like `Program.match`. */
export async function linearMatch<S extends MatchableStub>(
  stubs: readonly S[],
  view: RequestView,
): Promise<S | undefined> {
  for (const stub of stubs) {
    if (stub.gate !== undefined && !stub.gate(view)) continue;
    let holds = true;
    for (const predicate of stub.predicates) {
      holds = await predicate.test(view);
      if (!holds) break;
    }
    if (holds) return stub;
  }
  return undefined;
}
