// Which type a response has: one of Mountebank's four keys, or none where its fields are spelled flat or `_rift` is all.

import { has, isObject } from './shapes.js';
import type { JsonObject } from './types.js';

const responseTypes = ['is', 'proxy', 'inject', 'fault'] as const;

/** Fields of an `is` that may stand in the response itself. */
export const flatKeys = ['statusCode', 'headers', 'body', '_mode'] as const;

/** The types a response has, falsy ones not counted, in order of Rift's priority. */
export function typesOf(response: JsonObject): (typeof responseTypes)[number][] {
  return responseTypes.filter((type) => Boolean(response[type]));
}

/** A response that spells an `is` without its key, or has only `_rift`. */
export function isImplicit(response: JsonObject): boolean {
  return isObject(response._rift) || flatKeys.some((key) => has(response, key));
}
