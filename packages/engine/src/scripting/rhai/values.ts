// Values of Rhai programs and their text, JSON and equality (The Rhai Book: values and types).

import type { Expression } from './ast.js';
import { RhaiError } from './errors.js';

/**
 * `()` is undefined, i64 a bigint, f64 a number, a map a Map. Arrays and maps are values in Rhai: whoever stores one
 * that is stored elsewhere already stores a copy (`copyOf`).
 */
export type Value =
  | undefined
  | boolean
  | bigint
  | number
  | string
  | Char
  | Value[]
  | Map<string, Value>
  | Range
  | Closure
  | HostValue;

/** One code point. */
export class Char {
  constructor(readonly text: string) {}
}

export class Range {
  constructor(
    readonly from: bigint,
    readonly to: bigint,
    readonly inclusive: boolean,
  ) {}

  includes(value: bigint): boolean {
    return value >= this.from && (value < this.to || (this.inclusive && value === this.to));
  }
}

export interface Variable {
  readonly name: string;
  value: Value;
  readonly constant: boolean;
}

export class Closure {
  constructor(
    readonly parameters: readonly string[],
    readonly body: Expression,
    /** Shared with the scope that made the closure. */
    readonly captured: readonly Variable[],
  ) {}
}

/** Something that whoever runs the program gives it. Its functions are found by name and types of the arguments. */
export class HostValue {
  /** `typeName` is what `type_of` says and what the value is as a text. */
  constructor(
    readonly typeName: string,
    readonly methods: { readonly [name: string]: (args: readonly Value[]) => Value },
    readonly data?: unknown,
  ) {}
}

/** Thrown by a method of a HostValue that has no form for these arguments. */
export class NoSuchForm extends Error {}

export function typeName(value: Value): string {
  switch (typeof value) {
    case 'undefined':
      return '()';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'i64';
    case 'number':
      return 'f64';
    case 'string':
      return 'string';
  }
  if (Array.isArray(value)) return 'array';
  if (value instanceof Map) return 'map';
  if (value instanceof Char) return 'char';
  if (value instanceof Range) return 'range';
  if (value instanceof Closure) return 'Fn';
  return value.typeName;
}

export const minInt = -(2n ** 63n);
export const maxInt = 2n ** 63n - 1n;

/** Characters a text and elements an array may have: a runaway program must not use up the memory. */
const maxText = 1 << 24;
export const maxItems = 1 << 20;

export function checkedText(text: string): string {
  if (text.length > maxText) throw new RhaiError('ErrorDataTooLarge', 'Length of string too large');
  return text;
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  if (text.includes('.')) return text.replace('e+', 'e');
  return text.includes('e') ? text.replace(/e\+?/, '.0e') : `${text}.0`;
}

export function sortedKeys(map: Map<string, Value>): string[] {
  return [...map.keys()].sort();
}

/** As `print` and `+` show a value. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  if (value instanceof Char) return value.text;
  return checkedText(debugText(value));
}

/** The same with texts in quotes, as inside arrays and maps. */
export function debugText(value: Value): string {
  switch (typeof value) {
    case 'undefined':
      return '()';
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return floatText(value);
    case 'object':
      break;
    default:
      return String(value);
  }
  if (Array.isArray(value)) return `[${value.map(debugText).join(', ')}]`;
  if (value instanceof Map) {
    const entries = sortedKeys(value).map((key) => `${JSON.stringify(key)}: ${debugText(value.get(key))}`);
    return `#{${entries.join(', ')}}`;
  }
  if (value instanceof Char) return `'${value.text}'`;
  if (value instanceof Range) return `${value.from}${value.inclusive ? '..=' : '..'}${value.to}`;
  if (value instanceof Closure) return 'Fn(anonymous)';
  return value.typeName;
}

/** Compact JSON, keys of maps in ascending order, integers with all digits. */
export function jsonOf(value: Value): string {
  switch (typeof value) {
    case 'undefined':
      return 'null';
    case 'number':
      return Number.isFinite(value) ? floatText(value) : 'null';
    case 'string':
      return JSON.stringify(value);
    case 'object':
      break;
    default:
      return String(value);
  }
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (value instanceof Map) {
    return `{${sortedKeys(value)
      .map((key) => `${JSON.stringify(key)}:${jsonOf(value.get(key))}`)
      .join(',')}}`;
  }
  return JSON.stringify(value instanceof Char ? value.text : textOf(value));
}

/** A number with a point or an exponent, or with more digits than a double keeps. */
const notPlainlyInteger = /\d[.eE]|\d{16}/;

/** The value of a JSON text: whole numbers are i64, others f64. Throws SyntaxError. */
export function fromJson(text: string): Value {
  const parsed: unknown = JSON.parse(text);
  if (!notPlainlyInteger.test(text)) return fromPlain(parsed);
  // Numbers become texts of their own kind, strings get a mark, so that the two stay apart
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    token[0] === '"' ? `"s${token.slice(1)}` : `"n${token}"`,
  );
  return fromMarked(JSON.parse(marked));
}

/** Data as JSON.parse makes it. */
function fromPlain(value: unknown): Value {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value === 'object') return new Map(Object.entries(value).map(([key, item]) => [key, fromPlain(item)]));
  return value as string | boolean;
}

function fromMarked(value: unknown): Value {
  if (typeof value === 'string') {
    const text = value.slice(1);
    if (value[0] === 's') return text;
    if (/[.eE]/.test(text)) return Number(text);
    const int = BigInt(text);
    return int >= minInt && int <= maxInt ? int : Number(text);
  }
  if (Array.isArray(value)) return value.map(fromMarked);
  if (typeof value !== 'object' || value === null) return value === null ? undefined : (value as boolean);
  return new Map(Object.entries(value).map(([key, item]) => [key.slice(1), fromMarked(item)]));
}

export function equal(left: Value, right: Value): boolean {
  if (left === right) return true;
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number compare by value
  if (typeof left === 'bigint' || typeof left === 'number') return isNumber(right) && left == right;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  if (left instanceof Char) return right instanceof Char && left.text === right.text;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) && left.length === right.length && left.every((item, index) => equal(item, right[index]))
    );
  }
  if (left instanceof Map) {
    if (!(right instanceof Map) || left.size !== right.size) return false;
    for (const [key, item] of left) if (!right.has(key) || !equal(item, right.get(key))) return false;
    return true;
  }
  if (left instanceof Range && right instanceof Range) {
    return left.from === right.from && left.to === right.to && left.inclusive === right.inclusive;
  }
  return false;
}

export function isNumber(value: Value): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

/** A copy where the value is an array or a map, all the way down; `count` is told of every element. */
export function copyOf(value: Value, count: (items: number) => void): Value {
  if (Array.isArray(value)) {
    count(value.length);
    return value.map((item) => (typeof item === 'object' ? copyOf(item, count) : item));
  }
  if (value instanceof Map) {
    count(value.size);
    const copy = new Map<string, Value>();
    for (const [key, item] of value) copy.set(key, typeof item === 'object' ? copyOf(item, count) : item);
    return copy;
  }
  return value;
}
