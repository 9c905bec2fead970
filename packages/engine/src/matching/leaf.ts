// A predicate with one of the seven comparing operators, evaluated by the rules as they are written. Fast paths for
// frequent shapes stand beside it (fast-leaf.ts) and must agree with it.

import type { RequestView } from '../request-view.js';
import { ByteText } from './binary.js';
import { textsOnly, unorderedText } from './canonical.js';
import { memoised, parseJson } from './json-text.js';
import { isObject, type Members, setMember } from './members.js';
import { comparableJson, normaliseOperand, normaliseRequest } from './normalise.js';
import { scalarOperator } from './operators.js';
import type { LeafOperator, Parameters } from './parameters.js';
import { type Comparison, memberSatisfies } from './satisfies.js';

export type LeafTest = (view: RequestView) => boolean;

/** The general evaluation of `{ [operator]: operand }`. Throws a RiftError where Mountebank answers 500. */
export function generalLeaf(operator: LeafOperator, operand: unknown, parameters: Parameters): LeafTest {
  return operator === 'deepEquals' ? deepEqualsLeaf(operand, parameters) : comparingLeaf(operator, operand, parameters);
}

function comparingLeaf(
  operator: Exclude<LeafOperator, 'deepEquals'>,
  operand: unknown,
  parameters: Parameters,
): LeafTest {
  const scalar = scalarOperator(operator, parameters.flags);
  let expected: unknown;
  return (view) => {
    provoke(parameters, view);
    expected ??= keyed(normaliseOperand(operand, parameters));
    const comparison: Comparison = { operator: scalar, isExists: operator === 'exists', parameters, view };
    const fields = expected as Members;
    return Object.keys(fields).every((key) => {
      const actual: Members = {};
      const value = requestField(view, key, parameters);
      if (value !== undefined) setMember(actual, key, value);
      return memberSatisfies(fields, key, actual, comparison);
    });
  };
}

function deepEqualsLeaf(operand: unknown, parameters: Parameters): LeafTest {
  let expected: { key: string; value: unknown; text: string }[] | undefined;
  return (view) => {
    provoke(parameters, view);
    if (expected === undefined) {
      const fields = keyed(normaliseOperand(textsOnly(operand), parameters));
      expected = Object.keys(fields).map((key) => ({ key, value: fields[key], text: unorderedText(fields[key]) }));
    }
    return expected.every(({ key, value, text }) => {
      let actual = requestField(view, key, parameters);
      if (isObject(value) && !(value instanceof ByteText)) {
        const raw = actual instanceof ByteText ? actual.toText() : actual;
        if (typeof raw === 'string') {
          const json = memoised(view, 'json', raw, () => parseJson(raw));
          if (json !== undefined) actual = comparableJson(textsOnly(json), parameters);
        }
      }
      if (actual === undefined) return false;
      if (value instanceof ByteText && actual instanceof ByteText) return scalarOperator('equals', '')(value, actual);
      return unorderedText(parameters.xpath === undefined ? actual : textsOnly(actual)) === text;
    });
  };
}

/** Errors that do not depend on which fields the operand names. */
function provoke(parameters: Parameters, view: RequestView): void {
  if (parameters.problem !== undefined) throw parameters.problem;
  parameters.strip?.('');
  // A selector that can fail is applied to every text of the request, so it fails whichever field is asked for.
  if (parameters.xpath?.canFail) normaliseRequest(view.toJSON(), parameters, view);
}

/** An operand as named fields: a text or an array has its positions as names, other scalars have none. */
function keyed(operand: unknown): Members {
  if (isObject(operand) && !Array.isArray(operand)) return operand as Members;
  const fields: Members = {};
  if (typeof operand === 'string' || Array.isArray(operand)) {
    for (let at = 0; at < operand.length; at++) fields[at] = operand[at];
  }
  return fields;
}

/** The request's field of a normalised name, normalised; when two names fold together the later one wins. */
function requestField(view: RequestView, key: string, parameters: Parameters): unknown {
  let found: string | undefined;
  for (const name of view.fieldNames()) if ((parameters.foldKeys ? name.toLowerCase() : name) === key) found = name;
  if (found === undefined) return undefined;
  const value = view.field(found);
  return normaliseRequest(parameters.selectTexts && isObject(value) ? textsOnly(value) : value, parameters, view);
}
