// The built-in functions of the subset, by name. A function that has no form for its arguments is as good as unknown.

import { RhaiError } from './errors.js';
import { binary, checkedInt, checkedItems, contains, functionNotFound } from './operators.js';
import {
  Char,
  Closure,
  checkedText,
  debugText,
  equal,
  isNumber,
  maxInt,
  minInt,
  Range,
  sortedKeys,
  textOf,
  typeName,
  type Value,
} from './values.js';

/** What a function may need of the run that calls it. */
export interface Caller {
  call(closure: Closure, args: readonly Value[]): Value;
  /** A copy, where the value is an array or a map. */
  copy(value: Value): Value;
  /** Counts work that is not an operation of its own. */
  work(amount: number): void;
  log(text: string): void;
}

/** Undefined: no form for these arguments. A text that is changed in place comes back as `Changed`. */
type Builtin = (args: readonly Value[], caller: Caller) => Value | Changed | typeof none;

export const none = Symbol('no form for these arguments');

/** A text cannot be changed, so the caller stores the new one where the old one was. */
export class Changed {
  constructor(readonly value: string) {}
}

/** Positions in texts count code points; only texts with surrogate pairs need to be taken apart for that. */
function characters(text: string): string | string[] {
  return /[\ud800-\udbff]/.test(text) ? [...text] : text;
}

function textOrChar(value: Value): string | undefined {
  return typeof value === 'string' ? value : value instanceof Char ? value.text : undefined;
}

/** Where a position given from the front or, negative, from the back is; -1 when it lies before the start. */
function position(index: bigint, length: number): number {
  const at = index < 0n ? BigInt(length) + index : index;
  return at < 0n ? -1 : at > BigInt(length) ? length : Number(at);
}

export function characterAt(text: string, index: bigint): Char {
  const chars = characters(text);
  const at = index < 0n ? BigInt(chars.length) + index : index;
  if (at < 0n || at >= BigInt(chars.length)) {
    throw new RhaiError(
      'ErrorStringBounds',
      `String index ${index} out of bounds: only ${chars.length} characters in string`,
    );
  }
  return new Char(chars[Number(at)]!);
}

function indexOf(text: string, part: string, start: bigint): bigint {
  const chars = characters(text);
  const from = Math.max(0, position(start, chars.length));
  if (typeof chars === 'string') return BigInt(chars.indexOf(part, from));
  const rest = chars.slice(from).join('');
  const found = rest.indexOf(part);
  return found < 0 ? -1n : BigInt(from + [...rest.slice(0, found)].length);
}

function subString(text: string, start: bigint, length: bigint | undefined): string {
  const chars = characters(text);
  const from = Math.max(0, position(start, chars.length));
  const count = length === undefined ? chars.length : length < 0n ? 0 : Number(length > maxInt ? maxInt : length);
  const part = chars.slice(from, from + count);
  return typeof part === 'string' ? part : part.join('');
}

function parseInteger(text: string, radix: bigint): bigint {
  const failure = () => new RhaiError('ErrorArithmetic', `Error parsing integer number '${text}'`);
  if (radix < 2n || radix > 36n) throw new RhaiError('ErrorArithmetic', `Invalid radix: '${radix}'`);
  const trimmed = text.trim().toLowerCase();
  const digits = /^[+-]/.test(trimmed) ? trimmed.slice(1) : trimmed;
  if (digits === '' || digits.length > 128) throw failure();
  let value = 0n;
  for (const digit of digits) {
    const one = /[0-9a-z]/.test(digit) ? BigInt(Number.parseInt(digit, 36)) : radix;
    if (one >= radix) throw failure();
    value = value * radix + one;
  }
  if (trimmed[0] === '-') value = -value;
  if (value < minInt || value > maxInt) throw failure();
  return value;
}

function parseFloatText(text: string): number {
  const trimmed = text.trim();
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(trimmed)) {
    throw new RhaiError('ErrorArithmetic', `Error parsing floating-point number '${text}'`);
  }
  return Number(trimmed);
}

function toInt(value: number): bigint {
  const whole = Math.trunc(value);
  if (!Number.isFinite(whole) || whole >= 2 ** 63 || whole < -(2 ** 63)) {
    throw new RhaiError('ErrorArithmetic', `Integer overflow: to_int(${textOf(value)})`);
  }
  return BigInt(whole);
}

function rounding(round: (value: number) => number): Builtin {
  return ([value]) => (typeof value === 'number' ? round(value) : typeof value === 'bigint' ? value : none);
}

function smaller(left: Value, right: Value, sign: '<' | '>'): Value | typeof none {
  const comparable =
    (isNumber(left) && isNumber(right)) ||
    (typeof left === 'string' && typeof right === 'string') ||
    (left instanceof Char && right instanceof Char);
  return comparable ? (binary(sign, left, right) ? left : right) : none;
}

/** Calls with the item, and with its index if the closure takes two. */
function each(caller: Caller, closure: Closure, item: Value, index: number): Value {
  const args = [caller.copy(item)];
  if (closure.parameters.length > 1) args.push(BigInt(index));
  return caller.call(closure, args);
}

function truth(value: Value): boolean {
  return value === true;
}

function order(a: Value, b: Value): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  const left = textOrChar(a);
  const right = textOrChar(b);
  if (left !== undefined && right !== undefined && typeName(a) === typeName(b)) {
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  throw functionNotFound('sort', [[a, b]]);
}

function mapHeader(map: Map<string, Value>, name: string): Value {
  const headers = map.get('headers');
  if (!(headers instanceof Map)) return undefined;
  const lower = name.toLowerCase();
  for (const [key, value] of headers) if (key.toLowerCase() === lower) return value;
  return undefined;
}

const shared: { readonly [key: string]: Builtin } = {
  'type_of/1': ([value]) => typeName(value),
  'to_string/1': ([value]) => textOf(value),
  'print/1': ([value], caller) => caller.log(textOf(value)) as undefined,
  'debug/1': ([value], caller) => caller.log(debugText(value)) as undefined,

  'abs/1': ([value]) =>
    typeof value === 'bigint'
      ? checkedInt(value < 0n ? -value : value, () => `Integer overflow: abs(${value})`)
      : typeof value === 'number'
        ? Math.abs(value)
        : none,
  'sign/1': ([value]) => (isNumber(value) ? (value > 0 ? 1n : value < 0 ? -1n : 0n) : none),
  'min/2': ([left, right]) => smaller(left, right, '<'),
  'max/2': ([left, right]) => smaller(left, right, '>'),
  'to_int/1': ([value]) =>
    typeof value === 'bigint'
      ? value
      : typeof value === 'number'
        ? toInt(value)
        : value instanceof Char
          ? BigInt(value.text.codePointAt(0)!)
          : none,
  'to_float/1': ([value]) => (isNumber(value) ? Number(value) : none),
  'floor/1': rounding(Math.floor),
  'ceiling/1': rounding(Math.ceil),
  // Halves go away from zero
  'round/1': rounding((value) => Math.sign(value) * Math.round(Math.abs(value))),
  'is_nan/1': ([value]) => (isNumber(value) ? Number.isNaN(Number(value)) : none),
  'parse_int/1': ([text]) => (typeof text === 'string' ? parseInteger(text, 10n) : none),
  'parse_int/2': ([text, radix]) =>
    typeof text === 'string' && typeof radix === 'bigint' ? parseInteger(text, radix) : none,
  'parse_float/1': ([text]) => (typeof text === 'string' ? parseFloatText(text) : none),

  'len/1': ([value]) => length(value),
  'is_empty/1': ([value]) => {
    const count = value instanceof Range ? BigInt(Number(value.includes(value.from))) : length(value);
    return typeof count === 'bigint' ? count === 0n : none;
  },
  'contains/2': ([container, value], caller) => {
    if (Array.isArray(container)) caller.work(container.length);
    return contains(container, value);
  },
  'clear/1': ([value]) => {
    if (Array.isArray(value)) value.length = 0;
    else if (value instanceof Map) value.clear();
    else return typeof value === 'string' ? new Changed('') : none;
    return undefined;
  },

  'starts_with/2': ([text, part]) => both(text, part, (whole, start) => whole.startsWith(start)),
  'ends_with/2': ([text, part]) => both(text, part, (whole, end) => whole.endsWith(end)),
  'index_of/2': ([container, value], caller) => searched(container, value, 0n, caller),
  'index_of/3': ([container, value, start], caller) =>
    typeof start === 'bigint' ? searched(container, value, start, caller) : none,
  'sub_string/2': ([text, start]) =>
    typeof text === 'string' && typeof start === 'bigint' ? subString(text, start, undefined) : none,
  'sub_string/3': ([text, start, count]) =>
    typeof text === 'string' && typeof start === 'bigint' && typeof count === 'bigint'
      ? subString(text, start, count)
      : none,
  'to_upper/1': ([text]) => upperOrLower(text, (value) => value.toUpperCase()),
  'to_lower/1': ([text]) => upperOrLower(text, (value) => value.toLowerCase()),
  'trim/1': ([text]) => (typeof text === 'string' ? new Changed(text.trim()) : none),
  'replace/3': ([text, from, to]) => {
    const [part, other] = [textOrChar(from), textOrChar(to)];
    if (typeof text !== 'string' || part === undefined || other === undefined) return none;
    return new Changed(checkedText(text.replaceAll(part, () => other)));
  },
  'split/2': ([text, separator], caller) =>
    both(text, separator, (whole, part) => {
      const parts = part === '' ? [...whole] : whole.split(part);
      caller.work(parts.length);
      return checkedItems(parts);
    }),
  'chars/1': ([text], caller) => {
    if (typeof text !== 'string') return none;
    caller.work(text.length);
    return checkedItems([...text].map((char) => new Char(char)));
  },

  'push/2': ([array, item]) => {
    if (!Array.isArray(array)) return none;
    array.push(item);
    checkedItems(array);
    return undefined;
  },
  'pop/1': ([array]) => (Array.isArray(array) ? array.pop() : none),
  'shift/1': ([array]) => (Array.isArray(array) ? array.shift() : none),
  'insert/3': ([array, index, item]) => {
    if (!Array.isArray(array) || typeof index !== 'bigint') return none;
    array.splice(Math.max(0, position(index, array.length)), 0, item);
    checkedItems(array);
    return undefined;
  },
  'remove/2': ([container, key]) => {
    if (container instanceof Map && typeof key === 'string') {
      const value = container.get(key);
      container.delete(key);
      return value;
    }
    if (!Array.isArray(container) || typeof key !== 'bigint') return none;
    const at = position(key, container.length);
    return at < 0 ? undefined : container.splice(at, 1)[0];
  },
  'reverse/1': ([array]) => {
    if (!Array.isArray(array)) return none;
    array.reverse();
    return undefined;
  },
  'sort/1': ([array], caller) => {
    if (!Array.isArray(array)) return none;
    caller.work(array.length);
    array.splice(0, array.length, ...[...array].sort(order));
    return undefined;
  },
  'sort/2': ([array, by], caller) => {
    if (!Array.isArray(array) || !(by instanceof Closure)) return none;
    const sorted = [...array].sort((a, b) => {
      const result = caller.call(by, [caller.copy(a), caller.copy(b)]);
      return isNumber(result) ? Number(result) : 0;
    });
    array.splice(0, array.length, ...sorted);
    return undefined;
  },
  'map/2': ([array, by], caller) =>
    Array.isArray(array) && by instanceof Closure ? array.map((item, index) => each(caller, by, item, index)) : none,
  'filter/2': ([array, by], caller) =>
    Array.isArray(array) && by instanceof Closure
      ? array.filter((item, index) => truth(each(caller, by, item, index))).map((item) => caller.copy(item))
      : none,
  'some/2': ([array, by], caller) =>
    Array.isArray(array) && by instanceof Closure
      ? array.some((item, index) => truth(each(caller, by, item, index)))
      : none,
  'all/2': ([array, by], caller) =>
    Array.isArray(array) && by instanceof Closure
      ? array.every((item, index) => truth(each(caller, by, item, index)))
      : none,
  'reduce/2': ([array, by], caller) => reduced(array, by, undefined, caller),
  'reduce/3': ([array, by, initial], caller) => reduced(array, by, initial, caller),

  'keys/1': ([map]) => (map instanceof Map ? sortedKeys(map) : none),
  'values/1': ([map], caller) => (map instanceof Map ? sortedKeys(map).map((key) => caller.copy(map.get(key))) : none),
  'get/2': ([container, key], caller) => {
    if (container instanceof Map && typeof key === 'string') return caller.copy(container.get(key));
    if (!Array.isArray(container) || typeof key !== 'bigint') return none;
    const at = position(key, container.length);
    return at < 0 ? undefined : caller.copy(container[at]);
  },
  'set/3': ([container, key, value]) => {
    if (container instanceof Map && typeof key === 'string') container.set(key, value);
    else if (Array.isArray(container) && typeof key === 'bigint') {
      const at = position(key, container.length);
      if (at >= 0 && at < container.length) container[at] = value;
    } else return none;
    return undefined;
  },
  'mixin/2': ([map, other], caller) => {
    if (!(map instanceof Map && other instanceof Map)) return none;
    caller.work(other.size);
    for (const [key, value] of other) map.set(key, value);
    return undefined;
  },
  'header/2': ([map, name]) => (map instanceof Map && typeof name === 'string' ? mapHeader(map, name) : none),
};

/** Built-in functions that may change their first argument. */
const mutators = new Set('clear trim replace push pop shift insert remove reverse sort set mixin'.split(' '));

export function mutates(name: string): boolean {
  return mutators.has(name);
}

const builtins = new Map(Object.entries(shared));

export function builtin(name: string, arity: number): Builtin | undefined {
  return builtins.get(`${name}/${arity}`);
}

function length(value: Value): bigint | typeof none {
  if (typeof value === 'string') return BigInt(characters(value).length);
  if (Array.isArray(value)) return BigInt(value.length);
  return value instanceof Map ? BigInt(value.size) : none;
}

/** Values that have a property `len` without being a map. */
export function lengthProperty(value: Value): bigint | undefined {
  if (value instanceof Map) return undefined;
  const count = length(value);
  return count === none ? undefined : count;
}

function both<T extends Value>(text: Value, part: Value, run: (text: string, part: string) => T): T | typeof none {
  const other = textOrChar(part);
  return typeof text === 'string' && other !== undefined ? run(text, other) : none;
}

function upperOrLower(value: Value, change: (text: string) => string): Value | typeof none {
  if (typeof value === 'string') return change(value);
  if (!(value instanceof Char)) return none;
  const changed = change(value.text);
  return [...changed].length === 1 ? new Char(changed) : value;
}

function searched(container: Value, value: Value, start: bigint, caller: Caller): Value | typeof none {
  const part = textOrChar(value);
  if (typeof container === 'string' && part !== undefined) return indexOf(container, part, start);
  if (!Array.isArray(container)) return none;
  caller.work(container.length);
  const from = Math.max(0, position(start, container.length));
  for (let at = from; at < container.length; at++) {
    const item = container[at];
    const found = value instanceof Closure ? truth(each(caller, value, item, at)) : equal(item, value);
    if (found) return BigInt(at);
  }
  return -1n;
}

function reduced(array: Value, by: Value, initial: Value, caller: Caller): Value | typeof none {
  if (!Array.isArray(array) || !(by instanceof Closure)) return none;
  let result = initial;
  for (const [index, item] of [...array].entries()) {
    const args = [result, caller.copy(item)];
    if (by.parameters.length > 2) args.push(BigInt(index));
    result = caller.call(by, args);
  }
  return result;
}
