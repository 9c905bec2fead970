// The operators of predicates and how a predicate's operator is found.

import { isObject } from './members.js';

/** The names of operators. */
export const operators: ReadonlySet<string> = new Set([
  'equals',
  'deepEquals',
  'contains',
  'startsWith',
  'endsWith',
  'matches',
  'exists',
  'not',
  'or',
  'and',
  'inject',
]);

/** The operator of a predicate: the first in key order counts. */
export function operatorOf(predicate: unknown): string | undefined {
  if (!isObject(predicate) || Array.isArray(predicate)) return undefined;
  return Object.keys(predicate).find((key) => operators.has(key));
}
