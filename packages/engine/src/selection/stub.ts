// A stub at run time: its JSON, its predicates ready to run, its ring of responses and, under --debug, what it matched.

import type { Condition } from '@rift-ts/classifier';
import { allUntilFailure } from '../matching/compile.js';
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

/** How the stubs of an imposter are made ready, and who is told of what they record. */
export interface StubMaking {
  predicates(json: StubJson, state: StubState | undefined): readonly CompiledPredicate[];
  response(response: ResponseJson, stub: Stub): CompiledResponse;
  /** A recording proxy has added a response. */
  grown(): void;
  /** Its matches are others. */
  matched(): void;
}

const noMatches: readonly MatchRecord[] = [];

/** There may be a million: what most of them never need is made when it is first asked for. */
export class Stub {
  readonly json: StubJson;
  readonly state: StubState | undefined;
  /** Asked before the predicates. */
  readonly gate: ((view: RequestView) => boolean) | undefined;
  readonly #making: StubMaking;
  #predicates: readonly CompiledPredicate[] | undefined;
  #ring: ResponseRing<RingEntry> | undefined;
  #matches: MatchRecord[] | undefined;

  /** A stub that is not plain is compiled at once: what there is to say of it is said when it comes. */
  constructor(json: StubJson, making: StubMaking, isPlain: boolean, state?: StubState) {
    this.json = json;
    this.state = state;
    this.gate = state?.gate;
    this.#making = making;
    if (isPlain) return;
    this.#predicates = making.predicates(json, state);
    this.#ring = this.#makeRing();
  }

  get predicates(): readonly CompiledPredicate[] {
    this.#predicates ??= this.#making.predicates(this.json, this.state);
    return this.#predicates;
  }

  /** What is necessary for its predicates to hold or to fail. Those that are compiled for this alone are not kept. */
  get condition(): Condition {
    return allUntilFailure(this.#predicates ?? this.#making.predicates(this.json, this.state));
  }

  /** Necessary for the gate to be open. */
  get gateCondition(): Condition | undefined {
    return this.state?.gateCondition;
  }

  get ring(): ResponseRing<RingEntry> {
    this.#ring ??= this.#makeRing();
    return this.#ring;
  }

  get matches(): readonly MatchRecord[] {
    return this.#matches ?? noMatches;
  }

  set matches(matches: readonly MatchRecord[]) {
    this.#matches = matches.length > 0 ? [...matches] : undefined;
    this.#making.matched();
  }

  addMatch(match: MatchRecord): void {
    this.#matches ??= [];
    this.#matches.push(match);
    this.#making.matched();
  }

  /** How many predicates its JSON has: those behind them are gates. */
  get ownPredicates(): number {
    return predicatesOf(this.json).length;
  }

  /** Appends a response to the stub's JSON and to the end of its ring. */
  addResponse(response: ResponseJson): void {
    this.#addToRing(this.ring, response);
    this.json.responses.push(response);
    this.#making.grown();
  }

  #makeRing(): ResponseRing<RingEntry> {
    const ring = new ResponseRing<RingEntry>();
    for (const response of this.json.responses) this.#addToRing(ring, response);
    return ring;
  }

  #addToRing(ring: ResponseRing<RingEntry>, json: ResponseJson): void {
    ring.add(new RingEntry(json, () => this.#making.response(json, this)), servings(json));
  }
}
