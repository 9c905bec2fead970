// Why a recorded request matched the stub it did, or none: noted while matching as it happens, put into words when
// somebody reads it. Positions are those of the stubs at that time.

import type { Program } from '../matching/program.js';
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

/** The stubs that one request tried in vain. */
export class Rejections {
  readonly #stubs: Stub[] = [];
  /** Of each stub: the predicate that does not hold, SPACE or SCENARIO. */
  readonly #reasons: number[] = [];
  #omitted = 0;

  get omitted(): number {
    return this.#omitted;
  }

  /** `at` as in MatchTrace. */
  add(stub: Stub, at: number, view: RequestView): void {
    if (this.#stubs.length === MOST_TRIED) {
      this.#omitted++;
      return;
    }
    this.#stubs.push(stub);
    if (at < 0) this.#reasons.push(stub.state?.spaceOpen(view) === false ? SPACE : SCENARIO);
    // the gate of a scenario that is kept elsewhere is the last predicate
    else this.#reasons.push(at >= stub.ownPredicates ? SCENARIO : at);
  }

  tried(program: Program<Stub>): TriedStub[] {
    return this.#stubs.map((stub, at) => ({ ...placeOf(stub, program), why: why(this.#reasons[at]!) }));
  }
}

/** The words for what happened; `program` is the list of stubs that was searched. */
export function matchOutcome(
  program: Program<Stub>,
  matched: Stub | undefined,
  rejections: Rejections | undefined,
): MatchOutcome {
  return {
    matched: matched !== undefined,
    ...(matched === undefined ? {} : placeOf(matched, program)),
    ...(rejections === undefined ? {} : { tried: rejections.tried(program) }),
    ...(rejections === undefined || rejections.omitted === 0 ? {} : { triedOmitted: rejections.omitted }),
  };
}

function why(reason: number): TriedStub['why'] {
  if (reason === SPACE) return { reason: 'skippedSpace' };
  if (reason === SCENARIO) return { reason: 'skippedScenarioState' };
  return { reason: 'failedPredicate', predicateIndex: reason };
}

/** Positions of stubs by the list they stand in; lists do not change. */
const positions = new WeakMap<Program<Stub>, Map<Stub, number>>();

function placeOf(stub: Stub, program: Program<Stub>): { stubIndex: number; stubId?: string } {
  let known = positions.get(program);
  if (known === undefined) {
    known = new Map([...program].map((each, at) => [each, at]));
    positions.set(program, known);
  }
  const { id } = stub.json;
  return { stubIndex: known.get(stub) ?? -1, ...(typeof id === 'string' ? { stubId: id } : {}) };
}
