// Whether a value of the request satisfies an operand, for all operators but `deepEquals` and the logical ones: the
// rules of Mountebank, oddities included (docs/predicates.md, "Objects and arrays").

import type { RequestView } from '../request-view.js';
import { ByteText } from './binary.js';
import { isObject, type Members, memberOf } from './members.js';
import { openedText } from './normalise.js';
import type { ScalarOperator } from './operators.js';
import type { Parameters } from './parameters.js';

/** What a comparison needs besides its two sides. */
export interface Comparison {
  readonly operator: ScalarOperator;
  /** `exists` holds for any array when its operand is truthy. */
  readonly isExists: boolean;
  readonly parameters: Parameters;
  readonly view: RequestView;
}

/** `operand` is an object or array, or a text, which counts as its characters; numbers and booleans have no keys. */
function satisfies(operand: unknown, actual: unknown, comparison: Comparison): boolean {
  if (!actual || (actual instanceof ByteText && actual.isEmpty)) return false;
  const value = opened(actual, comparison);
  if (!isObject(operand)) {
    if (typeof operand !== 'string') return true;
    return Array.from({ length: operand.length }, (_, at) => operand[at]).every((character, at) =>
      memberSatisfies({ [at]: character }, String(at), value, comparison),
    );
  }
  return Object.keys(operand).every((key) => memberSatisfies(operand as Members, key, value, comparison));
}

/** Texts are parsed as JSON where an object operand meets them. */
function opened(actual: unknown, { parameters, view }: Comparison): unknown {
  const text = actual instanceof ByteText ? actual.toText() : actual;
  if (typeof text !== 'string') return text;
  const parsed = openedText(text, parameters, view);
  return parsed === undefined ? text : parsed;
}

/** Whether `operand[key]` is satisfied by `actual[key]`. */
export function memberSatisfies(operand: Members, key: string, actual: unknown, comparison: Comparison): boolean {
  const expected = operand[key];
  const value = memberOf(actual, key);
  if (Array.isArray(expected) && Array.isArray(value)) {
    return expected.every((wanted) => value.some((item) => elementSatisfies(wanted, item, comparison)));
  }
  if (!Array.isArray(expected) && Array.isArray(value)) {
    if (comparison.isExists && expected) return true;
    return value.some((item) => elementSatisfies(expected, item, comparison));
  }
  if (!Array.isArray(expected) && value === undefined && Array.isArray(actual)) {
    return actual.some((item) => satisfies(operand, item, comparison));
  }
  return elementSatisfies(expected, value, comparison);
}

function elementSatisfies(expected: unknown, value: unknown, comparison: Comparison): boolean {
  if (isObject(expected) && !(expected instanceof ByteText)) return satisfies(expected, value, comparison);
  return comparison.operator(expected, value === undefined ? '' : value);
}
