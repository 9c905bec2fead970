import type { PredicateJson, RequestJson, ResponseData } from '../model/types.js';

/**
 * Runs the user's JavaScript of one imposter, in a worker of its own: never on a data thread.
 * Every method rejects with a RiftError whose code, message, `source` and `data` are the ones of
 * the data plane (docs/scripting.md), or with ScriptTimeout. The host keeps the imposter's script state
 * (`imposterState`, `injectState`) over all calls, replaced workers included.
 */
export interface ScriptHost {
  /** Predicate `inject`. */
  predicate(source: string, request: RequestJson): Promise<boolean>;
  /** Response `inject`; resolves with what the function returned or called back with. */
  response(source: string, request: RequestJson): Promise<ResponseData>;
  /** `decorate`; resolves with the response as changed or returned. */
  decorate(source: string, request: RequestJson, response: ResponseData): Promise<ResponseData>;
  /** JavaScript `wait`; milliseconds, 0 when the result is none. */
  wait(source: string): Promise<number>;
  /** `predicateGenerators[].inject`. */
  generator(source: string, request: RequestJson): Promise<PredicateJson[]>;
  /** tcp `endOfRequestResolver.inject`; an exception counts as false (logged). */
  endOfRequest(source: string, data: string | Buffer): Promise<boolean>;
  /**
   * A host that starts from a copy of the state and says nothing: what its functions do to the state is lost when it is
   * closed. One time limit counts for all of it, waiting included.
   */
  trial(): ScriptHost;
  /** Ends the worker; pending calls reject. */
  close(): Promise<void>;
}
