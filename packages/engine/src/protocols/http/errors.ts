// What a client of an imposter sees when its request could not be answered: Mountebank's 500 with the error as JSON,
// or Rift's statuses and types in profile `rift`. Never a stack trace.

import { type Marker, RiftError } from '../../errors.js';
import type { Profile } from '../../model/types.js';

export interface ErrorAnswer {
  readonly statusCode: number;
  /** Compact JSON. */
  readonly body: string;
  readonly markers: readonly Marker[];
  /** Sent in the name of an imposter that is off. */
  readonly disabled: boolean;
}

export function errorAnswer(error: unknown, profile: Profile): ErrorAnswer {
  const { status, markers = [], asText, riftOnly } = error instanceof RiftError ? error.answer : {};
  const statusCode = status ?? (profile === 'rift' ? riftStatus(error) : 500);
  const element =
    profile === 'rift' || riftOnly ? riftError(error, statusCode) : asText ? messageOf(error) : mountebankError(error);
  const disabled = error instanceof RiftError && error.code === 'imposter disabled';
  return { statusCode, body: JSON.stringify({ errors: [element] }), markers, disabled };
}

function messageOf(error: unknown): string {
  // The engine's word for a JSON or XML body of tens of thousands of levels says nothing to a client
  if (error instanceof RangeError && /call stack|recursion/.test(error.message)) {
    return 'the body is nested too deeply for the predicates of this imposter';
  }
  return error instanceof Error ? error.message : String(error);
}

/** The error's own fields, message and name, in Mountebank's order; unlike there, always with a code. */
function mountebankError(error: unknown): object {
  if (error instanceof RiftError) return { ...error.toJSON(), name: error.name };
  if (!(error instanceof Error)) return { code: 'bad data', message: messageOf(error), name: 'Error' };
  return { code: 'bad data', ...error, message: messageOf(error), name: error.name };
}

const INJECTION_CODES = new Set([
  'invalid injection',
  'invalid predicate injection',
  'injection timeout',
  'predicate injection timeout',
]);

function riftStatus(error: unknown): number {
  if (!(error instanceof RiftError)) return 500;
  if (error.code === 'invalid injection' || error.code === 'invalid predicate injection') return 400;
  return error.code === 'invalid proxy' ? 502 : 500;
}

/** What the wire says of a head that cannot be sent. */
const UNSENDABLE = /^ERR_(?:HTTP_INVALID_STATUS_CODE|INVALID_HTTP_TOKEN|INVALID_CHAR)$/;

/** Clients of profile `rift` branch on `type`; `code` is the status, or the type again at the injection doors. */
function riftError(error: unknown, statusCode: number): object {
  const code = error instanceof RiftError ? error.code : undefined;
  const type = code ?? (statusCode === 504 ? 'timeout' : 'internal error');
  if (error instanceof Error && 'code' in error && UNSENDABLE.test(String(error.code))) {
    return { code: String(statusCode), type, message: 'Response build error', details: error.message };
  }
  const object = { code: INJECTION_CODES.has(type) ? type : String(statusCode), type, message: messageOf(error) };
  if (!(error instanceof RiftError) || error.extras.feature === undefined) return object;
  const { feature, detail } = error.extras;
  return { ...object, feature, detail };
}
