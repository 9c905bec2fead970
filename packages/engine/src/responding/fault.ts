import type { ResponseJson } from '../model/types.js';
import type { CompiledResponse, Outcome } from './types.js';

/** `fault`: handed to the protocol as it stands; behaviors beside it do not run. */
export function compileFault(response: ResponseJson): CompiledResponse {
  const outcome: Outcome = { kind: 'fault', fault: String(response.fault) };
  return { respond: () => outcome };
}
