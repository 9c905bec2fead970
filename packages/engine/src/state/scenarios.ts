// Scenarios: named state machines, one instance a flow. A stub may ask for a state (its gate) and set the next one (its
// transition). The state is the flow-state cell whose key is the scenario's name; a cell that was never set reads
// `Started`.

import type { Condition } from '@rift-ts/classifier';
import { RiftError } from '../errors.js';
import { flowCondition } from '../matching/condition.js';
import type { CompiledPredicate } from '../matching/types.js';
import type { StubJson } from '../model/types.js';
import type { RequestView } from '../request-view.js';
import type { FlowState } from './flow-state.js';
import { storeUnavailable } from './flow-state.js';
import type { Eventual } from './types.js';
import { valueText } from './value-text.js';

const INITIAL_STATE = 'Started';

/** Applies `next` to a value that may still be on its way. */
function afterwards<T, R>(value: Eventual<T>, next: (value: T) => Eventual<R>): Eventual<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What the keys of a stub say about scenarios and spaces; undefined when they say nothing. */
export class StubState {
  readonly #flow: FlowState;
  readonly #scenario: string;
  readonly #space: string | undefined;
  readonly #required: string | undefined;
  readonly #next: string | undefined;

  private constructor(json: StubJson, flow: FlowState) {
    this.#flow = flow;
    this.#scenario = text(json.scenarioName) ?? '';
    this.#space = text(json.space);
    this.#required = text(json.requiredScenarioState) ?? text(json.required_scenario_state);
    this.#next = text(json.newScenarioState) ?? text(json.new_scenario_state);
  }

  static of(json: StubJson, flow: FlowState): StubState | undefined {
    const state = new StubState(json, flow);
    const silent = state.#space === undefined && state.#required === undefined && state.#next === undefined;
    return silent ? undefined : state;
  }

  get moves(): boolean {
    return this.#next !== undefined;
  }

  /**
   * The gate by scenario as a last predicate: where the state has to be fetched, only stubs that would match otherwise
   * ask for it. Undefined for stubs without such a gate.
   */
  get lastPredicate(): CompiledPredicate | undefined {
    if (this.#required === undefined) return undefined;
    return { test: (view) => this.stateOpen(view), condition: { kind: 'any' }, canFail: true };
  }

  /** The gate that is asked before the predicates; undefined when there is none. */
  get gate(): ((view: RequestView) => boolean) | undefined {
    if (this.#flow.remote) return this.#space === undefined ? undefined : (view) => this.spaceOpen(view);
    if (this.#space === undefined && this.#required === undefined) return undefined;
    return (view) => this.spaceOpen(view) && this.stateOpen(view) === true;
  }

  /** Necessary for the gate to be open: what the index may use of it. */
  get gateCondition(): Condition | undefined {
    return this.#space === undefined ? undefined : flowCondition(this.#flow.source.header, this.#space);
  }

  /** Whether the stub serves the flow of this request. */
  spaceOpen(view: RequestView): boolean {
    return this.#space === undefined || this.#flow.flowOf(view) === this.#space;
  }

  /** Whether the scenario is in the state that the stub asks for. */
  stateOpen(view: RequestView): Eventual<boolean> {
    if (this.#required === undefined) return true;
    return afterwards(this.#current(view), (state) => state === this.#required);
  }

  /**
   * The transition after a match. A gated stub moves only what is still in the state it asked for: whoever moved it
   * meanwhile has won.
   */
  move(view: RequestView): Eventual<void> {
    if (this.#next === undefined) return;
    const { store } = this.#flow;
    const flowId = this.#flow.flowOf(view);
    const next = valueText(this.#next);
    try {
      if (this.#required === undefined) return failing(store.set(flowId, this.#scenario, next));
      const required = valueText(this.#required);
      const attempt =
        this.#required === INITIAL_STATE
          ? afterwards(store.cas(flowId, this.#scenario, undefined, next), (result) =>
              result.applied || result.current !== required
                ? result
                : store.cas(flowId, this.#scenario, required, next),
            )
          : store.cas(flowId, this.#scenario, required, next);
      return failing(
        afterwards(attempt, (result) => {
          if (!result.applied) this.#flow.tell(`scenario ${flowId}/${this.#scenario} had moved on: left as it is`);
        }),
      );
    } catch (error) {
      throw storeUnavailable(error);
    }
  }

  /** One request sees one state, however many stubs ask for it. */
  #current(view: RequestView): Eventual<string> {
    const flowId = this.#flow.flowOf(view);
    if (!this.#flow.remote) return scenarioState(this.#flow, flowId, this.#scenario);
    const key = `scenario ${this.#scenario}`;
    const known = view.memo.get(key) as Eventual<string> | undefined;
    if (known !== undefined) return known;
    const asked = scenarioState(this.#flow, flowId, this.#scenario);
    view.memo.set(key, asked);
    return asked;
  }
}

/** The state of a scenario in a flow. Fails with 500 when the cell holds anything but a text, 503 without the store. */
export function scenarioState({ store }: FlowState, flowId: string, scenario: string): Eventual<string> {
  try {
    return failing(afterwards(store.get(flowId, scenario), (value) => stateText(value, flowId, scenario)));
  } catch (error) {
    throw storeUnavailable(error);
  }
}

function failing<T>(value: Eventual<T>): Eventual<T> {
  if (!(value instanceof Promise)) return value;
  return value.catch((error: unknown) => {
    throw storeUnavailable(error);
  });
}

function stateText(value: string | undefined, flowId: string, scenario: string): string {
  if (value === undefined) return INITIAL_STATE;
  const state: unknown = JSON.parse(value);
  if (typeof state === 'string') return state;
  const message = `scenario state for ${flowId}/${scenario} is not a string: ${value}`;
  throw new RiftError('internal error', message, {}, { status: 500, riftOnly: true });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
