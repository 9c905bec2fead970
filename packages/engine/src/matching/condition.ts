// What the index may assume of a predicate: a necessary condition for it to hold or to fail with an error. Everything
// here errs on the side of "cannot be ruled out"; the comparison with the linear oracle keeps it honest.

import type { Condition, Key, Test } from '@rift-ts/classifier';
import { unorderedText } from './canonical.js';
import { elementKey, foundKey, keyOf, type Mode, memberKey, noText, plainNames } from './keys.js';
import { isObject, type Members, textOf } from './members.js';
import type { LeafOperator, Parameters } from './parameters.js';
import { finds, Waiting } from './regex.js';
import { sharedAttribute } from './xpath-attribute.js';

export const any: Condition = { kind: 'any' };

/** What a condition is made from: one leaf, its operand normalised to named fields. */
export interface LeafShape {
  readonly operator: LeafOperator;
  readonly fields: Members;
  readonly parameters: Parameters;
}

export function all(conditions: readonly Condition[]): Condition {
  if (conditions.some(({ kind }) => kind === 'never')) return { kind: 'never' };
  const useful = conditions.filter(({ kind }) => kind !== 'any');
  return useful.length === 0 ? any : useful.length === 1 ? useful[0] : { kind: 'all', of: useful };
}

export function some(conditions: readonly Condition[]): Condition {
  if (conditions.some(({ kind }) => kind === 'any')) return any;
  const useful = conditions.filter(({ kind }) => kind !== 'never');
  return useful.length === 0 ? { kind: 'never' } : useful.length === 1 ? useful[0] : { kind: 'some', of: useful };
}

export function leafCondition({ operator, fields, parameters }: LeafShape): Condition {
  if (parameters.base64) return any;
  return all(
    Object.keys(fields).map((field) =>
      operator === 'deepEquals'
        ? deepCondition(field, fields[field], parameters)
        : fieldCondition(operator, field, fields[field], parameters),
    ),
  );
}

/** `not {exists: {field: {name: true}}}`: nothing there, or an empty text. */
export function absenceCondition(shape: LeafShape): Condition {
  const { operator, fields, parameters } = shape;
  const names = Object.keys(fields);
  if (operator !== 'exists' || names.length !== 1 || parameters.base64) return any;
  const part = fields[names[0]];
  if (!isObject(part)) return part && part !== null ? scalarCondition('exists', names[0], [], false, parameters) : any;
  const keys = Object.keys(part);
  const wish = keys.length === 1 ? (part as Members)[keys[0]] : undefined;
  if (Array.isArray(part) || isObject(wish) || !wish) return any;
  return scalarCondition('exists', names[0], keys, false, parameters);
}

function fieldCondition(
  operator: Exclude<LeafOperator, 'deepEquals'>,
  field: string,
  operand: unknown,
  parameters: Parameters,
  path: readonly string[] = [],
): Condition {
  if (Array.isArray(operand)) return arrayCondition(operator, field, operand, parameters, path);
  if (!isObject(operand)) return scalarCondition(operator, field, path, operand, parameters);
  if (parameters.mode.selector !== undefined) return any;
  const members = all(
    Object.keys(operand).map((name) => {
      // Positions and lengths are members of arrays and of texts as well.
      if (name === 'length' || /^\d+$/.test(name) || name.includes('\0')) return any;
      return fieldCondition(operator, field, (operand as Members)[name], parameters, [...path, name]);
    }),
  );
  // An array exists, whatever an object asks of it. (The usual fields themselves are no arrays: Program sees to that.)
  if (operator !== 'exists' || members === any || (path.length === 0 && usualFields.has(field))) return members;
  return some([members, { kind: 'test', key: keyOf('irregular', parameters.mode, field), test: { op: 'present' } }]);
}

/**
 * An array asks for each of its elements somewhere in an array. Where there is none it is compared position by position
 * with whatever has positions: an object, JSON in a text, or a text, whose characters are too short for what is used here.
 */
function arrayCondition(
  operator: Exclude<LeafOperator, 'deepEquals'>,
  field: string,
  operand: readonly unknown[],
  parameters: Parameters,
  path: readonly string[],
): Condition {
  if (path.length === 0 || operator === 'matches' || operator === 'exists') return any;
  const { mode } = parameters;
  if (mode.selector !== undefined) return any;
  const key = memberKey(mode, field, path);
  // an object's text is `[object Object]`
  const structured: Condition[] = ['[', '{'].map((value) => ({ kind: 'test', key, test: { op: 'contains', value } }));
  return all(
    operand.map((wanted) => {
      if (isObject(wanted) || wanted === null || textOf(wanted).length < 2) return any;
      return some([{ kind: 'test', key, test: scalarTest(operator, wanted, parameters) }, ...structured]);
    }),
  );
}

/** Fields of http requests; of these `body` is a text and the others are objects. */
const usualFields = new Set(['query', 'headers', 'form', 'body']);

const textualOperators = new Set<LeafOperator>(['contains', 'startsWith', 'endsWith']);

function scalarCondition(
  operator: Exclude<LeafOperator, 'deepEquals'>,
  field: string,
  path: readonly string[],
  operand: unknown,
  parameters: Parameters,
): Condition {
  // found nowhere but inside an inner array, whose null has no text
  if (operand === null && textualOperators.has(operator)) return any;
  const { mode } = parameters;
  const key = path.length > 0 ? memberKey(mode, field, path) : valueKey(mode, field);
  const element = path.length === 0 ? elementCondition(operator, field, operand, mode) : any;
  const shared = path.length === 0 ? sharedSelection(operator, field, operand, mode) : any;
  // One key for all such selectors: asking for each selector's own would cost as much as trying the stubs.
  if (shared !== any) return shared;
  const test = scalarTest(operator, operand, parameters);
  if (!acceptsMissing(operator, operand, parameters)) return all([element, { kind: 'test', key, test }]);
  const missing: Condition[] = [
    { kind: 'test', key, test },
    { kind: 'test', key, test: { op: 'absent' } },
  ];
  if (path.length > 0) missing.push({ kind: 'test', key: keyOf('irregular', mode, field), test: { op: 'present' } });
  return some(missing);
}

function valueKey(mode: Mode, field: string): Key {
  const { selector } = mode;
  if (selector?.kind === 'jsonpath' && field === 'body') {
    const names = plainNames(selector.selector);
    if (names !== undefined) return foundKey(mode, selector, names);
  }
  return keyOf(mode.selector === undefined ? 'value' : 'selected', mode, field);
}

function scalarTest(operator: Exclude<LeafOperator, 'deepEquals'>, operand: unknown, parameters: Parameters): Test {
  if (operator === 'matches') return { op: 'matches', source: textOf(operand), flags: parameters.flags };
  if (operator === 'exists') return operand ? { op: 'present' } : { op: 'equals', value: '' };
  return { op: operator, value: textOf(operand) };
}

/** Whether the operand holds for a missing value, which counts as the empty text. */
function acceptsMissing(operator: LeafOperator, operand: unknown, parameters: Parameters): boolean {
  if (operator === 'exists') return !operand;
  if (operator === 'equals') return operand === '';
  if (operator !== 'matches') return textOf(operand) === '';
  try {
    return finds(textOf(operand), parameters.flags, '');
  } catch (error) {
    if (error instanceof Waiting) return true;
    throw error;
  }
}

/** A selector that tells nodes apart by an attribute: selectors that differ in its value only share one key. */
function sharedSelection(operator: LeafOperator, field: string, operand: unknown, mode: Mode): Condition {
  if (mode.selector?.kind !== 'xpath' || acceptsNothing(operator, operand)) return any;
  const shared = sharedAttribute(mode.selector.selector);
  if (shared === undefined) return any;
  const selector = { ...mode.selector, selector: shared.selector };
  const key = keyOf('attribute', { ...mode, selector }, field);
  return some([
    { kind: 'test', key, test: { op: 'equals', value: shared.value } },
    { kind: 'test', key, test: { op: 'equals', value: noText } },
  ]);
}

/** A selector that ends on elements of a name finds nothing where no tag has it. */
function elementCondition(operator: LeafOperator, field: string, operand: unknown, mode: Mode): Condition {
  if (mode.selector?.kind !== 'xpath' || field !== 'body' || mode.except !== undefined) return any;
  if (acceptsNothing(operator, operand)) return any;
  const name = /^(?:\/\/?[A-Za-z_][\w.-]*)*\/\/?([A-Za-z_][\w.-]*)$/.exec(mode.selector.selector)?.[1];
  return name === undefined ? any : { kind: 'test', key: elementKey(mode, name), test: { op: 'present' } };
}

/** Whether an operand can hold although nothing was selected. */
function acceptsNothing(operator: LeafOperator, operand: unknown): boolean {
  return operator === 'exists' ? !operand : operator === 'matches' || textOf(operand) === '';
}

function deepCondition(field: string, operand: unknown, parameters: Parameters): Condition {
  const { mode } = parameters;
  if (!isObject(operand)) {
    return { kind: 'test', key: valueKey(mode, field), test: { op: 'equals', value: textOf(operand) } };
  }
  if (mode.selector !== undefined) {
    if (!Array.isArray(operand) || operand.some(isObject)) return any;
    const key = valueKey(mode, field);
    return all(operand.map((item) => ({ kind: 'test', key, test: { op: 'equals', value: textOf(item) } })));
  }
  const test: Test = { op: 'equals', value: unorderedText(operand) };
  return { kind: 'test', key: keyOf('whole', mode, field), test };
}
