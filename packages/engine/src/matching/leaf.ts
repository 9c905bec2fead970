// A predicate with one of the seven comparing operators. Its operand is normalised once, when the predicate is
// compiled; each named field becomes one check. The general check follows the rules as they are written; the fast ones
// are for frequent shapes on http requests and must agree with it (leaf.test.ts).

import { RiftError } from '../errors.js';
import type { RequestView } from '../request-view.js';
import { ByteText } from './binary.js';
import { bodyCheck, deepBodyCheck } from './body-check.js';
import { textsOnly, unorderedText } from './canonical.js';
import { type FastHttpView, foldedMethod, isFastHttpView } from './fast-http-view.js';
import { isObject, type Members, setMember, textOf } from './members.js';
import { normaliseOperand, normaliseRequest, requestField, wholeValue } from './normalise.js';
import { type ScalarOperator, scalarOperator } from './operators.js';
import type { LeafOperator, Parameters } from './parameters.js';
import { checkPattern, mayWait, Waiting } from './regex.js';
import { type Comparison, memberSatisfies } from './satisfies.js';

/** Throws Waiting where a worker has to find out about a regular expression. */
export type LeafTest = (view: RequestView) => boolean;
type Test = (view: RequestView) => boolean | Promise<boolean>;

/** A leaf ready to run. */
export interface Leaf {
  readonly test: Test;
  /** The normalised operand by field. */
  readonly fields: Members;
  /** One check a field, in the operand's order; `test` is all of them. */
  readonly checks: readonly LeafTest[];
  /** Whether some request makes it fail with an error. */
  readonly canFail: boolean;
  /** Whether `except` may have to wait for a worker: then the index cannot read what it leaves. */
  readonly stripsSlowly: boolean;
}

/**
 * Compiles `{ [operator]: operand }`. The tests throw a RiftError where Mountebank answers 500.
 * `general`: without the fast checks (for tests).
 */
export function compileLeaf(operator: LeafOperator, operand: unknown, parameters: Parameters, general = false): Leaf {
  const failure = parameters.problem ?? strippingProblem(parameters);
  if (failure !== undefined) return failingLeaf(failure);
  let fields: Members;
  try {
    fields = keyed(normaliseOperand(operator === 'deepEquals' ? textsOnly(operand) : operand, parameters));
  } catch (error) {
    if (!(error instanceof Waiting)) throw error;
    return failingLeaf(new RiftError('bad data', '"except" is too slow a regular expression for the operand'));
  }
  const checks = Object.keys(fields).map((key) => {
    if (operator === 'deepEquals') {
      const plain = deepCheck(key, fields[key], parameters);
      return (general ? undefined : fastDeepCheck(key, fields[key], parameters, plain)) ?? plain;
    }
    const scalar = scalarOperator(operator, parameters.flags);
    const plain = generalCheck(key, fields, operator === 'exists', scalar, parameters);
    return (general ? undefined : fastCheck(operator, key, fields[key], scalar, parameters, plain)) ?? plain;
  });
  const stripsSlowly = parameters.mode.except !== undefined && mayWait(...parameters.mode.except, true);
  const slow = stripsSlowly || (operator === 'matches' && somePattern(fields, (source) => isSlow(source, parameters)));
  const failsOnPattern = operator === 'matches' && somePattern(fields, (source) => isMalformed(source, parameters));
  const failsOnSelector = parameters.xpath?.canFail === true;
  const checked = allOf(checks);
  // A selector that can fail is applied to every text of the request, so it fails whichever field is asked for.
  const test: LeafTest = failsOnSelector
    ? (view) => {
        normaliseRequest(view.toJSON(), parameters, view);
        return checked(view);
      }
    : checked;
  const canFail = failsOnPattern || failsOnSelector;
  return { test: slow ? waitingTest(test) : test, fields, checks, canFail, stripsSlowly };
}

function failingLeaf(failure: RiftError): Leaf {
  const test = () => {
    throw failure;
  };
  return { test, fields: {}, checks: [test], canFail: true, stripsSlowly: false };
}

/** Starts again whenever what had to be waited for is there. */
function waitingTest(test: LeafTest): Test {
  const again: Test = (view) => {
    try {
      return test(view);
    } catch (error) {
      if (error instanceof Waiting) return error.done.then(() => again(view));
      throw error;
    }
  };
  return again;
}

function allOf(checks: readonly LeafTest[]): LeafTest {
  if (checks.length === 1) return checks[0];
  if (checks.length === 2) {
    const [first, second] = checks;
    return (view) => first(view) && second(view);
  }
  return (view) => {
    for (let at = 0; at < checks.length; at++) if (!checks[at](view)) return false;
    return true;
  };
}

function strippingProblem({ strip }: Parameters): RiftError | undefined {
  try {
    strip?.('');
    return undefined;
  } catch (error) {
    if (error instanceof RiftError) return error;
    throw error;
  }
}

function somePattern(operand: unknown, holds: (source: string) => boolean): boolean {
  if (isObject(operand)) return Object.values(operand).some((part) => somePattern(part, holds));
  return holds(textOf(operand));
}

function isMalformed(source: string, { flags }: Parameters): boolean {
  try {
    checkPattern(source, flags);
    return false;
  } catch {
    return true;
  }
}

function isSlow(source: string, parameters: Parameters): boolean {
  return !isMalformed(source, parameters) && mayWait(source, parameters.flags, false);
}

/** An operand as named fields: a text or an array has its positions as names, other scalars have none. */
function keyed(operand: unknown): Members {
  if (isObject(operand) && !Array.isArray(operand) && !(operand instanceof ByteText)) return operand as Members;
  const fields: Members = {};
  const positions = operand instanceof ByteText ? operand.toText() : operand;
  if (typeof positions === 'string' || Array.isArray(positions)) {
    for (let at = 0; at < positions.length; at++) fields[at] = positions[at];
  }
  return fields;
}

function generalCheck(
  key: string,
  fields: Members,
  isExists: boolean,
  operator: ScalarOperator,
  parameters: Parameters,
): LeafTest {
  return (view) => {
    const comparison: Comparison = { operator, isExists, parameters, view };
    const actual: Members = {};
    const value = requestField(view, key, parameters);
    if (value !== undefined) setMember(actual, key, value);
    return memberSatisfies(fields, key, actual, comparison);
  };
}

function deepCheck(key: string, expected: unknown, parameters: Parameters): LeafTest {
  if (isObject(expected) && !(expected instanceof ByteText)) {
    const text = unorderedText(expected);
    return (view) => wholeValue(view, key, parameters) === text;
  }
  const equals = scalarOperator('equals', '');
  return (view) => {
    const value = requestField(view, key, parameters);
    if (value === undefined || (isObject(value) && !(value instanceof ByteText))) return false;
    // A JSON text opened for a selector may leave a number, which is no text.
    return (parameters.jsonpath === undefined || typeof value === 'string') && equals(expected, value);
  };
}

/** On texts that are always there `deepEquals` is `equals`. */
function fastDeepCheck(
  key: string,
  expected: unknown,
  parameters: Parameters,
  general: LeafTest,
): LeafTest | undefined {
  if (isObject(expected)) return key === 'body' ? deepBodyCheck(expected, parameters, general) : undefined;
  if (key !== 'path' && key !== 'method') return undefined;
  return fastCheck('equals', key, expected, scalarOperator('equals', ''), parameters, general);
}

type Lookup = (view: FastHttpView, name: string) => string | readonly string[] | undefined;
const lookups: { readonly [field: string]: Lookup } = {
  headers: (view, name) => view.foldedHeader(name),
  query: (view, name) => view.foldedQuery(name),
  form: (view, name) => view.foldedForm(name),
};

/** A check without normalising whole fields, for scalars on texts, headers and query parameters. */
function fastCheck(
  operator: LeafOperator,
  key: string,
  expected: unknown,
  scalar: ScalarOperator,
  parameters: Parameters,
  general: LeafTest,
): LeafTest | undefined {
  const { foldValues, foldKeys, mode } = parameters;
  if (parameters.base64 || mode.except !== undefined || mode.selector !== undefined || !foldKeys) return undefined;
  if (!isObject(expected)) {
    if (key === 'path' && foldValues) {
      if (operator === 'equals' && typeof expected === 'string') {
        return (view) => (isFastHttpView(view) ? view.foldedPath === expected : general(view));
      }
      return (view) => (isFastHttpView(view) ? scalar(expected, view.foldedPath) : general(view));
    }
    if (key === 'path') return (view) => (isFastHttpView(view) ? scalar(expected, view.path) : general(view));
    if (key === 'method' && foldValues) {
      return (view) => (isFastHttpView(view) ? scalar(expected, foldedMethod(view.method)) : general(view));
    }
    return undefined;
  }
  if (key === 'body') return operator === 'exists' ? undefined : bodyCheck(expected, scalar, parameters, general);
  const lookup = Object.hasOwn(lookups, key) ? lookups[key] : undefined;
  if (lookup === undefined || Array.isArray(expected)) return undefined;
  const names = Object.keys(expected);
  const wanted = names.map((name) => (expected as Members)[name]);
  if (names.length === 0 || wanted.some(isObject)) return undefined;
  const isExists = operator === 'exists';
  const holds = (view: FastHttpView, at: number): boolean => {
    const value = lookup(view, names[at]);
    if (value === undefined) return scalar(wanted[at], '');
    if (typeof value === 'string') return scalar(wanted[at], foldValues ? value.toLowerCase() : value);
    if (isExists && wanted[at]) return true;
    return value.some((text) => scalar(wanted[at], foldValues ? text.toLowerCase() : text));
  };
  return (view) => {
    if (!isFastHttpView(view) || (key === 'form' && !view.hasForm)) return general(view);
    for (let at = 0; at < names.length; at++) if (!holds(view, at)) return false;
    return true;
  };
}
