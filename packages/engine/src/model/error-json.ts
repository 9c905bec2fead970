// The error envelope of the admin API (docs/admin-api.md): Mountebank's objects in profile `mountebank`, the original
// Rift's in profile `rift`.

import type { RiftError } from '../errors.js';
import type { Profile } from './types.js';

const statusOfCode: { [code: string]: number } = {
  unauthorized: 401,
  'insufficient access': 403,
  'no such resource': 404,
  'corrupted database': 500,
};

/** Codes that stay words in profile `rift` as well. */
const wordCodes = new Set([
  'invalid injection',
  'invalid predicate injection',
  'injection timeout',
  'predicate injection timeout',
  'unauthorized',
]);

/** The words of `type` that profile `rift` knows; Mountebank's other codes become one of them by their status. */
const typeWords = new Set([
  ...wordCodes,
  'bad data',
  'insufficient access',
  'no such resource',
  'backend unavailable',
  'script error',
  'script timeout',
  'behavior error',
  'imposter disabled',
  'request too large',
  'upstream failure',
  'unavailable',
  'timeout',
  'internal error',
]);

function typeOf(code: string, status: number): string {
  if (typeWords.has(code) || (code === 'resource conflict' && status === 409)) return code;
  if (status >= 500) return 'internal error';
  return status === 400 || status === 422 ? 'bad data' : 'client error';
}

/** The HTTP status that an error answers with; 400 unless its code or the error itself says otherwise. */
export function errorStatus(error: RiftError): number {
  return error.answer.status ?? (Object.hasOwn(statusOfCode, error.code) ? statusOfCode[error.code]! : 400);
}

/** One element of `errors`: `code`, `type` (by profile), `message`, `source`, `data`, `details`, `inner`, `path`. */
export function errorObject(error: RiftError, profile: Profile): Record<string, unknown> {
  const { code, message, extras, answer } = error;
  if (profile === 'mountebank' && !answer.riftOnly) return { code, message, ...extras };
  const status = errorStatus(error);
  const object: Record<string, unknown> = {
    code: wordCodes.has(code) ? code : String(status),
    type: typeOf(code, status),
    message,
    ...extras,
  };
  if (profile === 'rift' && answer.path !== undefined && answer.path !== '') object.path = answer.path;
  return object;
}

/** The whole answer body; the first error decides the status (`errorStatus`). */
export function errorBody(errors: readonly RiftError[], profile: Profile): { errors: Record<string, unknown>[] } {
  return { errors: errors.map((error) => errorObject(error, profile)) };
}
