// The ordered stubs of an imposter, made searchable: the index rules out what cannot match, the predicates of what is
// left decide in order. Immutable; an edit makes a new one.

import { type Condition, RuleIndex } from '@rift-ts/classifier';
import type { RequestView } from '../request-view.js';
import { passedStub } from '../young-garbage.js';
import { httpAccess } from './access.js';
import { allUntilFailure } from './compile.js';
import { all } from './condition.js';
import { isFastHttpView } from './fast-http-view.js';
import { linearMatch } from './linear.js';
import { isObject } from './members.js';
import type { CompiledPredicate } from './types.js';

/** What matching needs of a stub. */
export interface MatchableStub {
  readonly predicates: readonly CompiledPredicate[];
  /** What is necessary for all predicates to hold or for one to fail; undefined: what their conditions say. */
  readonly condition?: Condition;
  /** Whether the stub takes part at all (space, scenario state); asked before its predicates. */
  gate?(view: RequestView): boolean;
  /** Necessary for the gate to be open, when something is known of it. */
  readonly gateCondition?: Condition;
}

/** Told of every stub that was looked at and does not match, in order. */
export interface MatchTrace<S> {
  /** `at`: position of the predicate that does not hold; -1: the gate was closed. */
  rejected(stub: S, at: number, view: RequestView): void;
}

/** A stub on its way to a verdict that only a script can give. */
interface Suspended<S> {
  readonly stub: S;
  readonly at: number;
  readonly verdict: Promise<boolean>;
}

/** Shorter lists are indexed within milliseconds, when they are first searched. */
const PREPARED_FROM = 2000;

export class Program<S extends MatchableStub> {
  readonly #index: RuleIndex<RequestView, S>;
  #suspended: Suspended<S> | undefined;
  #trace: MatchTrace<S> | undefined;

  private constructor(index: RuleIndex<RequestView, S>) {
    this.#index = index;
  }

  static of<S extends MatchableStub>(stubs: Iterable<S>): Program<S> {
    return new Program(RuleIndex.build(stubs, stubCondition, httpAccess));
  }

  get length(): number {
    return this.#index.length;
  }

  /** Makes the index of a long list now: the first request would wait for it (seconds for a million stubs). */
  prepare(): void {
    if (this.#index.length >= PREPARED_FROM) this.#index.prepare(passedStub);
  }

  at(position: number): S {
    return this.#index.at(position);
  }

  [Symbol.iterator](): Iterator<S> {
    return this.#index[Symbol.iterator]();
  }

  /** With `stub` standing at position `at` (0..length). */
  insert(at: number, stub: S): Program<S> {
    return new Program(this.#index.insert(at, stub));
  }

  remove(at: number): Program<S> {
    return new Program(this.#index.remove(at));
  }

  replace(at: number, stub: S): Program<S> {
    return new Program(this.#index.replace(at, stub));
  }

  /**
   * The first stub whose gate is open and whose predicates all hold, or undefined. Synchronous unless a script has to
   * decide. Throws (or rejects with) the RiftError of the first predicate that cannot be evaluated: later stubs are not
   * tried then. `trace` learns which stubs were tried in vain.
   */
  match(view: RequestView, trace?: MatchTrace<S>): S | undefined | Promise<S | undefined> {
    this.#suspended = undefined;
    if (!isFastHttpView(view) && isUnusual(view)) return linearMatch([...this.#index], view, trace);
    this.#trace = trace;
    const found = this.#index.first(view, this.#accept);
    const suspended = this.#suspended as Suspended<S> | undefined;
    if (suspended === undefined) return found;
    this.#suspended = undefined;
    return this.#resume(view, suspended, trace);
  }

  readonly #accept = (stub: S, view: RequestView): boolean => {
    if (stub.gate !== undefined && !stub.gate(view)) {
      this.#trace?.rejected(stub, -1, view);
      return false;
    }
    const { predicates } = stub;
    for (let at = 0; at < predicates.length; at++) {
      const holds = predicates[at].test(view);
      if (holds === true) continue;
      if (holds === false) {
        this.#trace?.rejected(stub, at, view);
        return false;
      }
      this.#suspended = { stub, at, verdict: holds };
      return true;
    }
    return true;
  };

  async #resume(
    view: RequestView,
    { stub, at, verdict }: Suspended<S>,
    trace: MatchTrace<S> | undefined,
  ): Promise<S | undefined> {
    const failed = (await verdict) ? await firstFailing(stub.predicates, view, at + 1) : at;
    if (failed < 0) return stub;
    trace?.rejected(stub, failed, view);
    const search = this.#index.search(view);
    try {
      let passed = false;
      for (let next = search.next(); next !== undefined; next = search.next()) {
        if (!passed) {
          passed = next === stub;
          continue;
        }
        if (next.gate !== undefined && !next.gate(view)) {
          trace?.rejected(next, -1, view);
          continue;
        }
        const failing = await firstFailing(next.predicates, view, 0);
        if (failing < 0) return next;
        trace?.rejected(next, failing, view);
      }
      return undefined;
    } finally {
      search.close();
    }
  }
}

/** Requests of protocols of their own may have anything in the fields that the index expects to be objects of texts. */
function isUnusual(view: RequestView): boolean {
  return (
    ['query', 'headers', 'form'].some((name) => {
      const value = view.field(name);
      return value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value));
    }) || isObject(view.field('body'))
  );
}

/** Position of the first predicate that does not hold, -1 when all do. */
async function firstFailing(
  predicates: readonly CompiledPredicate[],
  view: RequestView,
  from: number,
): Promise<number> {
  for (let at = from; at < predicates.length; at++) if (!(await predicates[at].test(view))) return at;
  return -1;
}

function stubCondition(stub: MatchableStub): Condition {
  const condition = stub.condition ?? allUntilFailure(stub.predicates);
  return stub.gateCondition === undefined ? condition : all([stub.gateCondition, condition]);
}
