// Small questions about JSON values that every check of this folder asks.

import type { JsonObject } from './types.js';

/** A JSON object: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function has(object: object, key: string): boolean {
  return Object.hasOwn(object, key);
}

/** Text that JavaScript reads as one finite number; blank text is none. */
export function isNumericText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
}
