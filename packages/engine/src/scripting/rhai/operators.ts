// What Rhai's operators do with which types: whole numbers are checked, everything else has no operator.

import type { BinaryOperator } from './ast.js';
import { RhaiError } from './errors.js';
import {
  Char,
  checkedText,
  equal,
  isNumber,
  maxInt,
  maxItems,
  minInt,
  Range,
  textOf,
  typeName,
  type Value,
} from './values.js';

export function functionNotFound(name: string, args: readonly Value[]): RhaiError {
  return new RhaiError('ErrorFunctionNotFound', `Function not found: ${name} (${args.map(typeName).join(', ')})`);
}

function arithmetic(reason: string): RhaiError {
  return new RhaiError('ErrorArithmetic', reason);
}

/** The number itself if it fits into 64 bits. */
export function checkedInt(value: bigint, failure: () => string): bigint {
  if (value < minInt || value > maxInt) throw arithmetic(failure());
  return value;
}

const overflowNames: { readonly [operator: string]: string } = {
  '+': 'Addition',
  '-': 'Subtraction',
  '*': 'Multiplication',
  '**': 'Exponential',
  '/': 'Division',
};

function intOperation(operator: BinaryOperator, left: bigint, right: bigint): Value {
  const overflow = () => `${overflowNames[operator]} overflow: ${left} ${operator} ${right}`;
  switch (operator) {
    case '+':
      return checkedInt(left + right, overflow);
    case '-':
      return checkedInt(left - right, overflow);
    case '*':
      return checkedInt(left * right, overflow);
    case '/':
      if (right === 0n) throw arithmetic(`Division by zero: ${left} / 0`);
      return checkedInt(left / right, overflow);
    case '%':
      if (right === 0n) throw arithmetic(`Modulo division by zero: ${left} % 0`);
      return left % right;
    case '**':
      if (right < 0n) throw arithmetic(`Integer raised to a negative power: ${left} ** ${right}`);
      if (right > 63n && (left > 1n || left < -1n)) throw arithmetic(overflow());
      return checkedInt(right > 63n ? left ** (right & 1n || 2n) : left ** right, overflow);
    case '<<':
      return right < 0n ? shiftRight(left, -right) : shiftLeft(left, right);
    case '>>':
      return right < 0n ? shiftLeft(left, -right) : shiftRight(left, right);
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    case '..':
    case '..=':
      return new Range(left, right, operator === '..=');
    default:
      return comparison(operator, left, right);
  }
}

function shiftLeft(value: bigint, by: bigint): bigint {
  return by > 63n ? 0n : BigInt.asIntN(64, value << by);
}

function shiftRight(value: bigint, by: bigint): bigint {
  return value >> (by > 63n ? 63n : by);
}

function floatOperation(operator: BinaryOperator, left: number, right: number): Value {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '**':
      return left ** right;
    default:
      return comparison(operator, left, right);
  }
}

function comparison<T extends bigint | number | string>(operator: BinaryOperator, left: T, right: T): Value {
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      throw functionNotFound(operator, [left, right]);
  }
}

export function binary(operator: BinaryOperator, left: Value, right: Value): Value {
  if (operator === '==') return equal(left, right);
  if (operator === '!=') return !equal(left, right);
  if (typeof left === 'bigint' && typeof right === 'bigint') return intOperation(operator, left, right);
  if (isNumber(left) && isNumber(right)) return floatOperation(operator, Number(left), Number(right));
  switch (operator) {
    case '+':
      if (isText(left) || isText(right)) return checkedText(textOf(left) + textOf(right));
      if (Array.isArray(left) && Array.isArray(right)) return checkedItems([...left, ...right]);
      if (left instanceof Map && right instanceof Map) return new Map([...left, ...right]);
      break;
    case '<':
    case '<=':
    case '>':
    case '>=':
      if (typeof left === 'string' && typeof right === 'string') return comparison(operator, left, right);
      if (left instanceof Char && right instanceof Char) return comparison(operator, left.text, right.text);
      if (typeName(left) !== typeName(right)) return false;
      break;
    case '&':
    case '|':
    case '^':
      if (typeof left !== 'boolean' || typeof right !== 'boolean') break;
      return operator === '&' ? left && right : operator === '|' ? left || right : left !== right;
  }
  throw functionNotFound(operator, [left, right]);
}

function isText(value: Value): boolean {
  return typeof value === 'string' || value instanceof Char;
}

export function checkedItems(items: Value[]): Value[] {
  if (items.length > maxItems) throw new RhaiError('ErrorDataTooLarge', 'Size of array too large');
  return items;
}

export function unary(operator: '-' | '+' | '!', operand: Value): Value {
  if (operator === '!') return !bool(operand);
  if (typeof operand === 'bigint') {
    return operator === '-' ? checkedInt(-operand, () => `Negation overflow: -${operand}`) : operand;
  }
  if (typeof operand === 'number') return operator === '-' ? -operand : operand;
  throw functionNotFound(operator, [operand]);
}

/** `in`: member of an array, key of a map, part of a text, inside a range. */
export function contains(container: Value, value: Value): boolean {
  if (Array.isArray(container)) return container.some((item) => equal(item, value));
  if (container instanceof Map) {
    if (typeof value === 'string') return container.has(value);
  } else if (typeof container === 'string') {
    if (isText(value)) return container.includes(textOf(value));
  } else if (container instanceof Range) {
    if (typeof value === 'bigint') return container.includes(value);
  }
  throw functionNotFound('contains', [container, value]);
}

export function mismatch(value: Value, expected: string): RhaiError {
  return new RhaiError('ErrorMismatchDataType', `Data type incorrect: ${typeName(value)} (expecting ${expected})`);
}

export function bool(value: Value): boolean {
  if (typeof value !== 'boolean') throw mismatch(value, 'bool');
  return value;
}
