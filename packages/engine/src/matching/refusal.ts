// One false leaf of a predicate, in words and as data: debug mode, the dry run of requests, near misses and the lint say
// the same. A leaf is one field, or one key of headers, query or form, under one operator; a body, a predicate with a
// selector and an `inject` count as one each.

import type { RequestView } from '../request-view.js';
import { compileLeaf } from './leaf.js';
import { isObject, type Members, memberOf, textOf } from './members.js';
import { normaliseOperand, normaliseRequest, openedText } from './normalise.js';
import { type LeafOperator, type Parameters, parametersOf } from './parameters.js';
import { parseXml } from './xml.js';

/** Keys in the order in which they are shown; absent ones are left out. */
export interface Refusal {
  /** Position of the top-level predicate in the stub's array. */
  predicateIndex: number;
  /** Place inside the stub, e.g. `predicates[0].and[1].equals.headers.x-tier`. */
  path: string;
  operator: string;
  /** Stands under a `not`. */
  negated?: true;
  /** `path`, `query.page`, `headers.x-tier`, `body.user.id`, … */
  field?: string;
  selector?: string;
  expected?: unknown;
  /** As received, or what the selector found; texts cut to 500 characters. */
  actual?: unknown;
  /** What was really compared, where folding or `except` changed a side. */
  compared?: { expected: unknown; actual: unknown };
  hint?: string;
  /** One sentence for people. */
  explanation: string;
  /** Of a false `or`: why each child is false. */
  alternatives?: Refusal[];
}

/** One leaf of a predicate. */
export interface LeafPart {
  readonly operator: LeafOperator;
  /** The field as written. */
  readonly field: string;
  /** The key below it, as written. */
  readonly key: string | undefined;
  readonly expected: unknown;
  /** A predicate of this leaf alone. */
  readonly predicate: Members;
  /** Below the predicate: `equals.headers.x-tier`. */
  readonly path: string;
}

const keyed = new Set(['headers', 'query', 'form']);

/** The leaves of a predicate with a comparing operator. */
export function leavesOf(predicate: Members, operator: LeafOperator): LeafPart[] {
  const operand = predicate[operator];
  const leaf = (field: string, key: string | undefined, expected: unknown): LeafPart => {
    const part = key === undefined ? { [field]: expected } : { [field]: { [key]: expected } };
    const path = key === undefined ? `${operator}.${field}` : `${operator}.${field}.${key}`;
    return { operator, field, key, expected, predicate: { ...predicate, [operator]: part }, path };
  };
  if (!isObject(operand) || Array.isArray(operand)) {
    return [{ operator, field: '', key: undefined, expected: operand, predicate, path: operator }];
  }
  const { foldKeys } = parametersOf(predicate, operator, false);
  const fields = countingKeys(operand as Members, foldKeys);
  if (predicate.jsonpath || predicate.xpath) {
    return fields.length === 1
      ? [leaf(fields[0], undefined, memberOf(operand, fields[0]))]
      : [{ operator, field: fields.join(), key: undefined, expected: operand, predicate, path: operator }];
  }
  return fields.flatMap((field) => {
    const part = memberOf(operand, field);
    const split = operator !== 'deepEquals' && keyed.has(field.toLowerCase()) && isObject(part) && !Array.isArray(part);
    const keys = split ? countingKeys(part as Members, foldKeys) : [];
    if (keys.length === 0) return [leaf(field, undefined, part)];
    return keys.map((key) => leaf(field, key, memberOf(part, key)));
  });
}

/** Of keys that fold together the last one counts. */
function countingKeys(operand: Members, foldKeys: boolean): string[] {
  const keys = Object.keys(operand);
  if (!foldKeys) return keys;
  const folded = keys.map((key) => key.toLowerCase());
  return keys.filter((_, at) => folded.lastIndexOf(folded[at]) === at);
}

interface Place {
  readonly predicateIndex: number;
  readonly path: string;
  readonly negated: boolean;
  readonly base64: boolean;
}

/** Why a leaf is false (or, under `not`, true). */
export function refusalOf(
  part: LeafPart,
  view: RequestView,
  { predicateIndex, path, negated, base64 }: Place,
): Refusal {
  const { operator, predicate } = part;
  const parameters = parametersOf(predicate, operator, base64);
  const { field, expected } = negated
    ? { field: fieldName(part), expected: part.expected }
    : deciding(part, parameters, view);
  const raw = actualOf(part, field, parameters, view);
  const selector = parameters.mode.selector === undefined ? undefined : selectorText(predicate);
  const actual = selector === undefined ? raw : normaliseRequest(raw, parameters, view);
  const compared = comparedOf(operator, expected, raw, parameters, view, selector !== undefined);
  const hint = hintOf(part, expected, actual, raw, parameters, view);
  return {
    predicateIndex,
    path: `${path}.${part.path}`,
    operator,
    ...(negated ? { negated: true as const } : {}),
    ...(field === '' ? {} : { field }),
    ...(selector === undefined ? {} : { selector }),
    expected,
    ...(actual === undefined ? {} : { actual: cut(actual) }),
    ...(compared === undefined ? {} : { compared }),
    ...(hint === undefined ? {} : { hint }),
    explanation: sentence(operator, negated, field, selector, expected, actual),
  };
}

function fieldName({ field, key }: LeafPart): string {
  return key === undefined ? field : `${field}.${key}`;
}

/** The first place that differs: for an object operand on a body it is below the body. */
function deciding(part: LeafPart, parameters: Parameters, view: RequestView): { field: string; expected: unknown } {
  const { operator, field, expected } = part;
  const whole = { field: fieldName(part), expected };
  if (operator === 'deepEquals' || part.key !== undefined || !isObject(expected) || Array.isArray(expected))
    return whole;
  if (parameters.mode.selector !== undefined) return whole;
  const search = (operand: unknown, path: readonly string[]): { field: string; expected: unknown } | undefined => {
    if (isObject(operand) && !Array.isArray(operand) && Object.keys(operand).length > 0) {
      for (const key of Object.keys(operand)) {
        const found = search(memberOf(operand, key), [...path, key]);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    const nested = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), operand);
    const holds = compileLeaf(operator, { [field]: nested }, parameters).test(view);
    return holds === false ? { field: [field, ...path].join('.'), expected: operand } : undefined;
  };
  return search(expected, []) ?? whole;
}

/** The value in the request as received: the field, its member, or the member of the JSON in it. */
function actualOf(part: LeafPart, field: string, parameters: Parameters, view: RequestView): unknown {
  const { foldKeys } = parameters;
  const fold = (name: string) => (foldKeys ? name.toLowerCase() : name);
  const last = (names: readonly string[], wanted: string) => names.findLast((name) => fold(name) === fold(wanted));
  const name = last(view.fieldNames(), part.field);
  let value = name === undefined ? undefined : view.field(name);
  const below = field === part.field ? [] : field.slice(part.field.length + 1).split('.');
  for (const key of part.key === undefined ? below : [part.key]) {
    if (typeof value === 'string')
      value = openedText(value, { ...parameters, foldKeys: false, foldValues: false, strip: undefined }, view);
    const member = isObject(value) ? last(Object.keys(value), key) : undefined;
    value = member === undefined ? undefined : memberOf(value, member);
  }
  return value;
}

function selectorText(predicate: Members): string {
  return String(memberOf(predicate.jsonpath ?? predicate.xpath, 'selector'));
}

function comparedOf(
  operator: LeafOperator,
  expected: unknown,
  raw: unknown,
  parameters: Parameters,
  view: RequestView,
  selected: boolean,
): { expected: unknown; actual: unknown } | undefined {
  if (operator === 'exists' || parameters.base64 || selected || raw === undefined) return undefined;
  const left = normaliseOperand(expected, parameters);
  const right = normaliseRequest(raw, parameters, view);
  const unchanged = JSON.stringify(left) === JSON.stringify(expected) && JSON.stringify(right) === JSON.stringify(raw);
  return unchanged ? undefined : { expected: left, actual: cut(right) };
}

function hintOf(
  part: LeafPart,
  expected: unknown,
  actual: unknown,
  raw: unknown,
  parameters: Parameters,
  view: RequestView,
): string | undefined {
  const { selector } = parameters.mode;
  if (raw === undefined) return part.operator === 'exists' ? undefined : 'field is absent';
  if (selector?.kind === 'xpath' && actual === undefined) {
    const text = textOf(raw);
    const isXml = /^\s*</.test(text) && parseXml(text, false).reports.length === 0;
    return isXml ? 'selector found nothing' : 'body is not XML';
  }
  const opens = selector?.kind === 'jsonpath' || isObject(part.expected);
  if (opens && typeof raw === 'string' && openedText(raw, parameters, view) === undefined) return 'body is not JSON';
  if (selector !== undefined && actual === undefined) return 'selector found nothing';
  if (expected === null ? actual === 'null' : actual === null && expected === 'null') return 'null and text differ';
  if (isObject(expected) || (isObject(actual) && !Array.isArray(actual))) return undefined;
  const left = textOf(expected);
  const right = textOf(actual);
  if (left !== right && parameters.mode.foldValues === false && left.toLowerCase() === right.toLowerCase()) {
    return 'differs only in case';
  }
  if (left !== right && left.trim() === right.trim()) return 'differs only in surrounding blanks';
  return Array.isArray(actual) ? 'repeated value' : undefined;
}

const longest = 500;

function cut(value: unknown): unknown {
  return typeof value === 'string' && value.length > longest ? `${value.slice(0, longest)}…` : value;
}

const verbs: { readonly [operator: string]: string } = {
  equals: 'equal',
  deepEquals: 'equal in full',
  contains: 'contain',
  startsWith: 'start with',
  endsWith: 'end with',
  matches: 'match',
};

function sentence(
  operator: LeafOperator,
  negated: boolean,
  field: string,
  selector: string | undefined,
  expected: unknown,
  actual: unknown,
): string {
  const what = `${fieldInWords(field)}${selector === undefined ? '' : ` at ${selector}`}`;
  const but = actual === undefined ? 'but it was absent' : `but it was ${JSON.stringify(cut(actual))}`;
  if (operator === 'exists' && !isObject(expected)) {
    return `expected ${what} ${Boolean(expected) !== negated ? 'to be there' : 'not to be there'}, ${but}`;
  }
  const verb = operator === 'exists' ? 'have or lack as asked' : verbs[operator];
  return `expected ${what} ${negated ? 'not to' : 'to'} ${verb} ${JSON.stringify(expected)}, ${but}`;
}

function fieldInWords(field: string): string {
  const [first, ...rest] = field.split('.');
  const name = rest.join('.');
  if (name === '') return first === '' ? 'the request' : first;
  switch (first.toLowerCase()) {
    case 'headers':
      return `header ${name}`;
    case 'query':
      return `query parameter ${name}`;
    case 'form':
      return `form field ${name}`;
    default:
      return field;
  }
}
