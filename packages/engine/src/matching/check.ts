// The dry run of a stub's predicates when it is created: every predicate is evaluated against the protocol's dummy
// request, scripts counting as true, so that what could never work is refused with a reason.

import { RiftError } from '../errors.js';
import { silentLogger } from '../logger.js';
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
    if (encoding === 'utf8' && cannotFail(predicate)) continue;
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

const harmless = new Set(['equals', 'deepEquals', 'contains', 'startsWith', 'endsWith', 'exists']);
const switches = new Set(['caseSensitive', 'keyCaseSensitive']);

/**
 * Whether a predicate is of a shape that no request makes fail, the shape of nearly all: one comparing operator, no
 * parameter that has to compile, scalars to compare with. Saves compiling it for the dry run.
 */
function cannotFail(predicate: unknown): boolean {
  if (typeof predicate !== 'object' || predicate === null) return false;
  let operators = 0;
  for (const [key, value] of Object.entries(predicate)) {
    if (switches.has(key)) continue;
    if (!harmless.has(key) || !comparesScalars(value, 3)) return false;
    operators += 1;
  }
  return operators === 1;
}

function comparesScalars(operand: unknown, depth: number): boolean {
  if (typeof operand !== 'object' || operand === null || Array.isArray(operand)) return false;
  return Object.values(operand).every(
    (value) =>
      typeof value === 'string' ||
      typeof value === 'number' ||
      typeof value === 'boolean' ||
      (depth > 0 && comparesScalars(value, depth - 1)),
  );
}
