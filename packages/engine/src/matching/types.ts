import type { Condition } from '@rift-ts/classifier';
import type { Logger } from '../logger.js';
import type { RequestView } from '../request-view.js';
import type { ScriptHost } from '../scripting/types.js';

/** Bound once when the predicates of an imposter are compiled. */
export interface PredicateContext {
  /** `base64` for tcp imposters in binary mode: texts are bytes in base64. */
  readonly encoding: 'utf8' | 'base64';
  /** Where `inject` predicates run; undefined only in dry runs and tests. */
  readonly scripts: ScriptHost | undefined;
  readonly logger: Logger;
}

/** One predicate of a stub, ready to run. */
export interface CompiledPredicate {
  /**
   * Whether the request satisfies it. A promise only when a script has to decide. Throws a RiftError where
   * Mountebank answers 500 (malformed regular expression or XPath reached at run time).
   */
  test(view: RequestView): boolean | Promise<boolean>;
  /**
   * A necessary condition for `test` to give true **or to throw** on a request: what the index may use.
   * A stub whose predicate throws must be reached, because Mountebank answers 500 there.
   */
  readonly condition: Condition;
  /** Whether `test` may throw or reject: predicates behind it then do not always decide whether a stub is reached. */
  readonly canFail: boolean;
}
