// The imposter file format as it is after reading: plain JSON in Mountebank's shapes plus Rift's keys.
// Unknown keys are kept wherever Mountebank keeps them, so every object type is open.

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** Decides the bytes on the wire, error objects and defaults; see docs/profiles.md. */
export type Profile = 'mountebank' | 'rift';

/** One predicate: an operator key, optional parameter keys, anything else kept and ignored. */
export type PredicateJson = JsonObject;

/** One response: exactly one of `is`, `proxy`, `inject`, `fault` (or `_rift.script`), `behaviors`, `repeat`, other keys. */
export type ResponseJson = JsonObject;

export interface StubJson extends JsonObject {
  responses: ResponseJson[];
}

/** A creation request that passed validation, old spellings already rewritten. */
export interface ImposterJson extends JsonObject {
  protocol: string;
  stubs: StubJson[];
}

/** A request as predicates, scripts, `requests` and shell commands see it (without `timestamp`). */
export type RequestJson = { [field: string]: unknown };

/** A response on its way through behaviors to the protocol: Mountebank's response object of the protocol. */
export type ResponseData = { [field: string]: unknown };
