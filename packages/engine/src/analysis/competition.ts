// Which stubs can be asked for the same request at all: a stub of one flow id or one scenario state takes nothing from
// those of another.

import { canonicalText } from '../matching/canonical.js';
import { predicatesOf } from '../model/stub-plan.js';
import type { StubJson } from '../model/types.js';
import { type StubTexts, textsOf } from './overlap.js';

/** What the analysis needs of a stub; made once, stubs do not change. */
export interface Contender {
  readonly id: string | undefined;
  readonly isCatchAll: boolean;
  /** Equal for two stubs whose predicates are the same but for their order. */
  readonly predicateSet: string;
  readonly texts: StubTexts;
  /** The gates of the stub; the empty text where there is none. */
  readonly space: string;
  readonly state: string;
}

const made = new WeakMap<StubJson, Contender>();

export function contender(stub: StubJson): Contender {
  let found = made.get(stub);
  if (found === undefined) {
    found = contenderOf(stub);
    made.set(stub, found);
  }
  return found;
}

function contenderOf(stub: StubJson): Contender {
  const predicates = predicatesOf(stub);
  const { id, scenarioName = '' } = stub;
  const state = stub.requiredScenarioState ?? stub.required_scenario_state;
  return {
    id: typeof id === 'string' ? id : undefined,
    isCatchAll: predicates.length === 0,
    predicateSet: `${predicates.length}${[...new Set(predicates.map(canonicalText))].sort().join('\n')}`,
    texts: textsOf(predicates),
    space: typeof stub.space === 'string' ? JSON.stringify(stub.space) : '',
    state: typeof state === 'string' ? JSON.stringify([scenarioName, state]) : '',
  };
}

/** Whether the earlier stub may be asked wherever the later one is. */
export function competes(earlier: Contender, later: Contender): boolean {
  return (
    (earlier.space === '' || earlier.space === later.space) && (earlier.state === '' || earlier.state === later.state)
  );
}

/** The first positions of things, found again by stubs that compete with them. */
export class FirstCompetitors {
  readonly #positions = new Map<string, number>();

  add(what: string, { space, state }: Contender, position: number): void {
    const key = `${space} ${state} ${what}`;
    if (!this.#positions.has(key)) this.#positions.set(key, position);
  }

  /** The lowest position added for a stub that competes with this one. */
  first(what: string, { space, state }: Contender): number | undefined {
    let least: number | undefined;
    for (const ofSpace of new Set(['', space])) {
      for (const ofState of new Set(['', state])) {
        const position = this.#positions.get(`${ofSpace} ${ofState} ${what}`);
        if (position !== undefined && (least === undefined || position < least)) least = position;
      }
    }
    return least;
  }
}
