// The stub that nearly everybody writes: it compares with plain values and answers with plain responses. Nothing can be
// wrong with such a stub, nothing of it has to be rewritten, resolved or run, and compiling it has no effect that could
// be noticed. One pass finds out, so that of many stubs only the others go through every check by itself
// (plain-stub.test.ts: the checks agree).

import { isObject } from './shapes.js';
import type { JsonObject, StubJson } from './types.js';

/** Far below what is refused as nested too deeply. */
const deepest = 20;
/** How deep the operand of a predicate may go: a member of a field of a field. */
const deepestOperand = 4;

/** Whether everything in a value is nested no deeper than `levels`. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (!isShallow(value[at], levels - 1)) return false;
    return true;
  }
  for (const key in value) if (!isShallow((value as JsonObject)[key], levels - 1)) return false;
  return true;
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function comparesScalars(operand: unknown, levels: number): boolean {
  if (!isObject(operand)) return false;
  for (const key in operand) {
    const value = operand[key];
    if (!isScalar(value) && (levels === 1 || !comparesScalars(value, levels - 1))) return false;
  }
  return true;
}

/**
 * Whether a predicate is of a shape that no request makes fail, the shape of nearly all: one comparing operator, no
 * parameter that has to compile, scalars to compare with.
 */
export function isPlainPredicate(predicate: unknown): boolean {
  if (!isObject(predicate)) return false;
  let operators = 0;
  for (const key in predicate) {
    switch (key) {
      case 'caseSensitive':
      case 'keyCaseSensitive':
        if (!isScalar(predicate[key])) return false;
        break;
      case 'equals':
      case 'deepEquals':
      case 'contains':
      case 'startsWith':
      case 'endsWith':
      case 'exists':
        if (!comparesScalars(predicate[key], deepestOperand)) return false;
        operators++;
        break;
      default:
        return false;
    }
  }
  return operators === 1;
}

function isPlainHeaders(headers: unknown): boolean {
  if (!isObject(headers)) return false;
  for (const name in headers) if (!isScalar(headers[name])) return false;
  return true;
}

function isPlainResponse(response: unknown): boolean {
  if (!isObject(response)) return false;
  for (const key in response) if (key !== 'is') return false;
  const { is } = response;
  if (!isObject(is)) return false;
  for (const key in is) {
    const value = is[key];
    if (key === 'statusCode') {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 100 || value > 999) return false;
    } else if (key === 'headers') {
      if (!isPlainHeaders(value)) return false;
    } else if (!isShallow(value, deepest)) return false;
  }
  return true;
}

/** Whether a stub has predicates that are plain, plain responses, perhaps an id, and nothing else. */
export function isPlainStub(stub: unknown): stub is StubJson {
  if (!isObject(stub)) return false;
  for (const key in stub) {
    if (key === 'predicates') {
      const { predicates } = stub;
      if (!Array.isArray(predicates)) return false;
      for (let at = 0; at < predicates.length; at++) if (!isPlainPredicate(predicates[at])) return false;
    } else if (key === 'id') {
      if (typeof stub.id !== 'string') return false;
    } else if (key !== 'responses') return false;
  }
  const { responses } = stub;
  if (!Array.isArray(responses) || responses.length === 0) return false;
  for (let at = 0; at < responses.length; at++) if (!isPlainResponse(responses[at])) return false;
  return true;
}
