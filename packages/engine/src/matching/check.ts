// The dry run of a stub's predicates when it is created: every predicate is evaluated against the protocol's dummy
// request, scripts counting as true, so that what could never work is refused with a reason.

import { RiftError } from '../errors.js';
import { silentLogger } from '../logger.js';
import { isPlainPredicate } from '../model/plain-stub.js';
import type { RequestJson } from '../model/types.js';
import type { RequestView } from '../request-view.js';
import { compilePredicate } from './compile.js';
import { plainView } from './plain-view.js';

/**
 * The first error of the predicates of one stub, or undefined. All predicates are evaluated, not only those up to the
 * first that is false; inside a predicate evaluation stops as usual.
 * The error's `answer.path` is the place, e.g. `predicates[2].and[0].matches`.
 */
export function checkPredicates(
  predicates: unknown,
  dummy: RequestJson,
  encoding: 'utf8' | 'base64',
): RiftError | undefined {
  if (!Array.isArray(predicates)) {
    return new RiftError('bad data', "'predicates' must be an array", {}, { path: 'predicates' });
  }
  let view: RequestView | undefined;
  for (const [index, predicate] of predicates.entries()) {
    // not worth compiling for the dry run
    if (encoding === 'utf8' && isPlainPredicate(predicate)) continue;
    const path = `predicates[${index}]`;
    try {
      view ??= plainView(dummy);
      const context = { encoding, scripts: undefined, logger: silentLogger };
      const holds = compilePredicate(predicate, context, path).test(view);
      // A slow pattern: its verdict on the dummy request does not matter.
      if (typeof holds !== 'boolean') holds.catch(() => {});
    } catch (error) {
      if (error instanceof RiftError) return error;
      throw error;
    }
  }
  return undefined;
}
