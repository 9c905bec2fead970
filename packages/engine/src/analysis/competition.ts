// Which stubs can be asked for the same request at all: a stub of one flow id or one scenario state takes nothing from
// those of another.

import { canonicalText } from '../matching/canonical.js';
import { predicatesOf } from '../model/stub-plan.js';
import type { StubJson } from '../model/types.js';
import { FirstPositions } from './first-positions.js';

/** The gates of a stub; the empty text where there is none. */
export interface Gates {
  readonly space: string;
  readonly state: string;
}

const open: Gates = { space: '', state: '' };

export function gatesOf(stub: StubJson): Gates {
  const state = stub.requiredScenarioState ?? stub.required_scenario_state;
  if (typeof stub.space !== 'string' && typeof state !== 'string') return open;
  const { scenarioName = '' } = stub;
  return {
    space: typeof stub.space === 'string' ? JSON.stringify(stub.space) : '',
    state: typeof state === 'string' ? JSON.stringify([scenarioName, state]) : '',
  };
}

/** A text that is equal for two stubs whose predicates are the same but for their order. */
function predicateSet(stub: StubJson): string {
  const predicates = predicatesOf(stub);
  if (predicates.length === 1) return `1${canonicalText(predicates[0])}`;
  return `${predicates.length}${[...new Set(predicates.map(canonicalText))].sort().join('\n')}`;
}

/** Whether the earlier stub may be asked wherever the later one is. */
export function competes(earlier: Gates, later: Gates): boolean {
  return (
    (earlier.space === '' || earlier.space === later.space) && (earlier.state === '' || earlier.state === later.state)
  );
}

/** The first position of each of many things, asked for by stubs that compete with the stub that stands there. */
export class FirstByGates {
  readonly #positions = new Map<string, number>();

  /** The lowest position of a stub that competes. */
  find(what: string, { space, state }: Gates): number | undefined {
    if (this.#positions.size === 0) return undefined;
    let least: number | undefined;
    for (const ofSpace of new Set(['', space])) {
      for (const ofState of new Set(['', state])) {
        const position = this.#positions.get(`${ofSpace} ${ofState} ${what}`);
        if (position !== undefined && (least === undefined || position < least)) least = position;
      }
    }
    return least;
  }

  add(what: string, { space, state }: Gates, position: number): void {
    const key = `${space} ${state} ${what}`;
    if (!this.#positions.has(key)) this.#positions.set(key, position);
  }
}

/** The first positions of sets of predicates. */
export class FirstCompetitors {
  readonly #open: FirstPositions;
  readonly #gated = new FirstByGates();

  constructor(stubAt: (position: number) => StubJson) {
    this.#open = new FirstPositions((position) => predicateSet(stubAt(position)));
  }

  /**
   * The lowest position so far of a stub with the same predicates that competes with this one, which counts from now on.
   */
  take(stub: StubJson, gates: Gates, position: number): number | undefined {
    const set = predicateSet(stub);
    if (gates === open) return this.#open.findOrAdd(set, position);
    const inOpen = this.#open.find(set);
    const inGated = this.#gated.find(set, gates);
    this.#gated.add(set, gates, position);
    return inOpen === undefined || (inGated !== undefined && inGated < inOpen) ? inGated : inOpen;
  }
}
