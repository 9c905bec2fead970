// One operand value against one value of the request, both normalised (docs/predicates.md, "Operators").

import { ByteText, comparable } from './binary.js';
import { isObject, textOf } from './members.js';
import type { LeafOperator } from './parameters.js';
import { finder } from './regex.js';

/** Whether `operator` holds for two scalars; `actual` is `""` where the request has nothing. */
export type ScalarOperator = (expected: unknown, actual: unknown) => boolean;

function equals(expected: unknown, actual: unknown): boolean {
  if (expected === null || actual === null) return expected === actual;
  if (typeof expected === 'string' && typeof actual === 'string') return expected === actual;
  const [left, right] = texts(expected, actual);
  return left === right;
}

/** Numbers and booleans compare as texts, null and objects never match; an array inside an array is searched. */
function textual(
  compare: (actual: string, expected: string) => boolean,
  inArray: (at: number, size: number) => boolean,
) {
  return (expected: unknown, actual: unknown): boolean => {
    if (typeof actual === 'string' && typeof expected === 'string') return compare(actual, expected);
    if (actual === null) return false;
    if (Array.isArray(actual)) {
      return actual.some((item, at) => item === expected && inArray(at, actual.length));
    }
    if (isObject(actual) && !(actual instanceof ByteText)) return false;
    const [left, right] = texts(expected, actual);
    return compare(right, left);
  };
}

function exists(expected: unknown, actual: unknown): boolean {
  const present = actual instanceof ByteText ? !actual.isEmpty : actual !== '';
  const wanted = expected instanceof ByteText ? !expected.isEmpty : Boolean(expected);
  return present === wanted;
}

function texts(expected: unknown, actual: unknown): [string, string] {
  if (expected instanceof ByteText || actual instanceof ByteText) {
    return comparable(bytesOf(expected), bytesOf(actual));
  }
  return [textOf(expected), textOf(actual)];
}

function bytesOf(value: unknown): ByteText {
  if (value instanceof ByteText) return value;
  const latin = Buffer.from(textOf(value), 'utf8').toString('latin1');
  return new ByteText(latin, latin);
}

/** The scalar operator of every leaf operator but `deepEquals`. `flags` are those of the pattern of `matches`. */
export function scalarOperator(operator: Exclude<LeafOperator, 'deepEquals'>, flags: string): ScalarOperator {
  switch (operator) {
    case 'equals':
      return equals;
    case 'contains':
      return textual(
        (actual, expected) => actual.includes(expected),
        () => true,
      );
    case 'startsWith':
      return textual(
        (actual, expected) => actual.startsWith(expected),
        (at) => at === 0,
      );
    case 'endsWith':
      return textual(
        (actual, expected) => actual.endsWith(expected),
        (at, size) => at === size - 1,
      );
    case 'matches': {
      const finds = finder(flags);
      return (expected, actual) => finds(textOf(expected), textOf(actual));
    }
    case 'exists':
      return exists;
  }
}
