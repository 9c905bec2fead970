// Why a recorded request matched the stub it did, or none: noted while matching as it happens, put into words when
// somebody reads it. Positions are those of the stubs at that time.

import type { MatchTrace, Program } from '../matching/program.js';
import type { RequestView } from '../request-view.js';
import type { Stub } from '../selection/stub.js';

export interface MatchOutcome {
  readonly matched: boolean;
  readonly stubIndex?: number;
  readonly stubId?: string;
  readonly tried?: readonly TriedStub[];
  /** Stubs that were tried in vain besides those listed. */
  readonly triedOmitted?: number;
}

interface TriedStub {
  readonly stubIndex: number;
  readonly stubId?: string;
  readonly why:
    | { readonly reason: 'failedPredicate'; readonly predicateIndex: number }
    | { readonly reason: 'skippedSpace' }
    | { readonly reason: 'skippedScenarioState' };
}

const MOST_TRIED = 25;
const SPACE = -1;
const SCENARIO = -2;

/** Positions of stubs by the list they stand in; lists do not change. */
const positions = new WeakMap<Program<Stub>, Map<Stub, number>>();

export class MatchNote implements MatchTrace<Stub> {
  readonly #program: Program<Stub>;
  #matched: Stub | undefined;
  /** Whether matching came to an end without an error. */
  #known = false;
  #tried: Stub[] | undefined;
  /** Of each stub tried: the predicate that does not hold, SPACE or SCENARIO. */
  #reasons: number[] | undefined;
  #omitted = 0;

  constructor(program: Program<Stub>) {
    this.#program = program;
  }

  rejected(stub: Stub, at: number, view: RequestView): void {
    if (this.#tried === undefined) {
      this.#tried = [];
      this.#reasons = [];
    } else if (this.#tried.length === MOST_TRIED) {
      this.#omitted++;
      return;
    }
    this.#tried.push(stub);
    const { state } = stub;
    if (at < 0) this.#reasons!.push(state?.spaceOpen(view) === false ? SPACE : SCENARIO);
    // the gate of a scenario that is kept elsewhere is the last predicate
    else this.#reasons!.push(at >= stub.ownPredicates ? SCENARIO : at);
  }

  ended(matched: Stub | undefined): void {
    this.#matched = matched;
    this.#known = true;
  }

  /** Undefined when matching failed, or has not ended. */
  get outcome(): MatchOutcome | undefined {
    if (!this.#known) return undefined;
    const matched = this.#matched;
    return {
      matched: matched !== undefined,
      ...(matched === undefined ? {} : this.#place(matched)),
      ...(this.#tried === undefined
        ? {}
        : { tried: this.#tried.map((stub, at) => ({ ...this.#place(stub), why: this.#why(at) })) }),
      ...(this.#omitted === 0 ? {} : { triedOmitted: this.#omitted }),
    };
  }

  #why(at: number): TriedStub['why'] {
    const reason = this.#reasons![at]!;
    if (reason === SPACE) return { reason: 'skippedSpace' };
    if (reason === SCENARIO) return { reason: 'skippedScenarioState' };
    return { reason: 'failedPredicate', predicateIndex: reason };
  }

  #place(stub: Stub): { stubIndex: number; stubId?: string } {
    let known = positions.get(this.#program);
    if (known === undefined) {
      known = new Map([...this.#program].map((each, at) => [each, at]));
      positions.set(this.#program, known);
    }
    const { id } = stub.json;
    return { stubIndex: known.get(stub) ?? -1, ...(typeof id === 'string' ? { stubId: id } : {}) };
  }
}
