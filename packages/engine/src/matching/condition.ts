// What the index may assume of a predicate: a necessary condition for it to hold or to fail with an error. Everything
// here errs on the side of "cannot be ruled out"; the comparison with the linear oracle keeps it honest.

import type { Condition, Key, Test } from '@rift-ts/classifier';
import { unorderedText } from './canonical.js';
import { documentKey, elementKey, keyOf, type Mode, memberKey, noText, objectText, plainNames } from './keys.js';
import { isObject, type Members, textOf } from './members.js';
import type { LeafOperator, Parameters } from './parameters.js';
import { finds, Waiting } from './regex.js';
import { leastWidth } from './regex-width.js';
import { jsonNeeds, xmlNeeds } from './selector-needs.js';

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

/** A request of one flow (`space`), by the header that names flows; without the header the flow is the imposter's port. */
export function flowCondition(header: string | undefined, flow: string): Condition {
  const mayBePort = /^\d+$/.test(flow);
  if (header === undefined) return mayBePort ? any : { kind: 'never' };
  const key = keyOf('flow', plainMode, header);
  const named: Condition = { kind: 'test', key, test: { op: 'equals', value: flow } };
  return mayBePort ? some([named, { kind: 'test', key, test: { op: 'absent' } }]) : named;
}

const plainMode: Mode = { foldKeys: false, foldValues: false };

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
  if (operator === 'exists' || (path.length === 0 && field !== 'body')) return any;
  const { mode } = parameters;
  if (mode.selector !== undefined) return any;
  const key = path.length === 0 ? keyOf('items', mode, field) : memberKey(mode, field, path);
  // an object's text is `[object Object]`; the items of JSON in a text are opened already
  const structured: Condition[] =
    path.length === 0 ? [] : ['[', '{'].map((value) => ({ kind: 'test', key, test: { op: 'contains', value } }));
  return all(
    operand.map((wanted, at) => {
      if (Array.isArray(wanted)) return any;
      if (isObject(wanted)) {
        // any element's members are the array's; an object may have members named by positions instead
        const position: Condition = {
          kind: 'test',
          key: memberKey(mode, field, [...path, String(at)]),
          test: { op: 'present' },
        };
        return some([fieldCondition(operator, field, wanted, parameters, path), position]);
      }
      if (wanted === null || fitsCharacters(operator, wanted)) return any;
      return some([{ kind: 'test', key, test: scalarTest(operator, wanted, parameters) }, ...structured]);
    }),
  );
}

/** Whether an operand can hold for the empty text or for a single character. */
function fitsCharacters(operator: LeafOperator, operand: unknown): boolean {
  return (operator === 'matches' ? leastWidth(textOf(operand)) : textOf(operand).length) < 2;
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
  const test = scalarTest(operator, operand, parameters);
  if (!acceptsMissing(operator, operand, parameters)) {
    const needs =
      path.length === 0
        ? selectionNeeds(field, mode, [test], operator !== 'exists' && fitsCharacters(operator, operand))
        : any;
    return all([needs, { kind: 'test', key, test }]);
  }
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
    if (names !== undefined) return documentKey('found', mode, selector, names);
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

/**
 * What a selector needs to find anything, and something that passes the tests, where that can be told without asking the
 * selector itself: selectors that differ are not worth asking one by one. `short`: whether a single character may pass.
 */
function selectionNeeds(field: string, mode: Mode, tests: readonly Test[], short: boolean): Condition {
  const { selector } = mode;
  if (selector?.kind === 'xpath') return xmlCondition(field, mode, tests);
  if (selector === undefined || field !== 'body' || plainNames(selector.selector) !== undefined) return any;
  const needs = jsonNeeds(selector.selector);
  if (needs === undefined) return any;
  const keyOfName = (name: string) => documentKey('named', mode, selector, name);
  const conditions: Condition[] = needs.names.map((name) => ({
    kind: 'test',
    key: keyOfName(name),
    test: { op: 'present' },
  }));
  for (const [name, value] of needs.values) {
    conditions.push({ kind: 'test', key: keyOfName(name), test: { op: 'equals', value } });
  }
  if (needs.last !== undefined && !(needs.last.elements && short)) {
    const key = keyOfName(needs.last.name);
    // what stands for the elements of an object has other names
    const object: Condition[] = needs.last.elements
      ? [{ kind: 'test', key, test: { op: 'equals', value: objectText } }]
      : [];
    for (const test of tests) conditions.push(some([{ kind: 'test', key, test }, ...object]));
  }
  return all(conditions);
}

function xmlCondition(field: string, mode: Mode, tests: readonly Test[]): Condition {
  const { selector } = mode;
  const needs = selector?.kind === 'xpath' ? xmlNeeds(selector.selector) : undefined;
  if (selector === undefined || needs === undefined) return any;
  const among = (wider: string, test: Test): Condition => {
    const key = keyOf('attribute', { ...mode, selector: { ...selector, selector: wider } }, field);
    return some([
      { kind: 'test', key, test },
      { kind: 'test', key, test: { op: 'equals', value: noText } },
    ]);
  };
  const conditions = needs.attributes.map(([wider, value]) => among(wider, { op: 'equals', value }));
  if (needs.wider !== undefined) {
    const { wider } = needs;
    for (const test of tests) conditions.push(among(wider, test));
  }
  if (field === 'body' && mode.except === undefined) {
    for (const name of needs.names) {
      conditions.push({ kind: 'test', key: elementKey(mode, name), test: { op: 'present' } });
    }
  }
  return all(conditions);
}

function deepCondition(field: string, operand: unknown, parameters: Parameters): Condition {
  const { mode } = parameters;
  if (!isObject(operand)) {
    const test: Test = { op: 'equals', value: textOf(operand) };
    const needs = selectionNeeds(field, mode, [test], textOf(operand).length < 2);
    return all([needs, { kind: 'test', key: valueKey(mode, field), test }]);
  }
  if (mode.selector !== undefined) {
    if (!Array.isArray(operand) || operand.some(isObject)) return selectionNeeds(field, mode, [], true);
    const key = valueKey(mode, field);
    const tests = operand.map((item): Test => ({ op: 'equals', value: textOf(item) }));
    const needs = selectionNeeds(
      field,
      mode,
      tests,
      operand.some((item) => textOf(item).length < 2),
    );
    return all([needs, ...tests.map((test): Condition => ({ kind: 'test', key, test }))]);
  }
  const test: Test = { op: 'equals', value: unorderedText(operand) };
  return { kind: 'test', key: keyOf('whole', mode, field), test };
}
