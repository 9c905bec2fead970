// A stub at run time: its JSON, its predicates ready to run, its ring of responses and, under --debug, what it matched.

import type { Condition } from '@rift-ts/classifier';
import type { CompiledPredicate } from '../matching/types.js';
import { predicatesOf, servings } from '../model/stub-plan.js';
import type { RequestJson, ResponseData, ResponseJson, StubJson } from '../model/types.js';
import type { RequestView } from '../request-view.js';
import type { CompiledResponse } from '../responding/types.js';
import type { StubState } from '../state/scenarios.js';
import { ResponseRing } from './response-ring.js';

/** One entry of `matches` in the imposter's JSON, keys in Mountebank's order. */
export interface MatchRecord {
  timestamp: string;
  request: RequestJson;
  /** After behaviors, before defaults are merged. */
  response: ResponseData;
  responseConfig: ResponseJson;
  /** Whole milliseconds. */
  processingTime: number;
}

/** A response and, from when it is first needed, what serves it: of many stubs most are never asked. */
export class RingEntry {
  readonly json: ResponseJson;
  #compiled: CompiledResponse | undefined;
  readonly #compile: () => CompiledResponse;

  constructor(json: ResponseJson, compile: () => CompiledResponse) {
    this.json = json;
    this.#compile = compile;
    // only a plain `is` can wait: what the others are made of may fail or has to be there before the first request
    if (!(json.is && Object.keys(json).length === 1)) this.#compiled = compile();
  }

  get compiled(): CompiledResponse {
    this.#compiled ??= this.#compile();
    return this.#compiled;
  }
}

export class Stub {
  readonly json: StubJson;
  readonly predicates: readonly CompiledPredicate[];
  readonly ring = new ResponseRing<RingEntry>();
  readonly matches: MatchRecord[] = [];
  /** How many predicates its JSON has: those behind them are gates. */
  readonly ownPredicates: number;
  readonly state: StubState | undefined;
  /** Asked before the predicates. */
  readonly gate: ((view: RequestView) => boolean) | undefined;
  /** Necessary for the gate to be open. */
  readonly gateCondition: Condition | undefined;
  readonly #compile: (response: ResponseJson, stub: Stub) => CompiledResponse;
  readonly #grown: () => void;

  /** `compile` makes a response ready; it is kept for responses that a recording proxy adds later, as `grown` tells. */
  constructor(
    json: StubJson,
    predicates: readonly CompiledPredicate[],
    compile: (response: ResponseJson, stub: Stub) => CompiledResponse,
    state?: StubState,
    grown: () => void = () => undefined,
  ) {
    this.json = json;
    this.predicates = predicates;
    this.ownPredicates = predicatesOf(json).length;
    this.#compile = compile;
    this.#grown = grown;
    this.state = state;
    this.gate = state?.gate;
    this.gateCondition = state?.gateCondition;
    for (const response of json.responses) this.#addToRing(response);
  }

  /** Appends a response to the stub's JSON and to the end of its ring. */
  addResponse(response: ResponseJson): void {
    this.json.responses.push(response);
    this.#addToRing(response);
    this.#grown();
  }

  #addToRing(json: ResponseJson): void {
    this.ring.add(new RingEntry(json, () => this.#compile(json, this)), servings(json));
  }
}
