// Which stub a request would meet and what keeps it from every other one, without anything happening: no count, no
// record, no cursor, no transition (docs/debugging.md). Debug mode and the dry run of the admin API say the same.

import type { RiftError } from '../errors.js';
import type { Imposter } from '../imposter.js';
import { silentLogger } from '../logger.js';
import { explainStub, type StubExplanation } from '../matching/explain.js';
import type { Refusal } from '../matching/refusal.js';
import { isObject } from '../model/shapes.js';
import { predicatesOf } from '../model/stub-plan.js';
import type { RequestJson } from '../model/types.js';
import type { RequestView } from '../request-view.js';
import type { Stub } from '../selection/stub.js';
import { scenarioState } from '../state/scenarios.js';
import { type ResponsePreview, responsePreview } from './response-preview.js';

export interface DryRunOptions {
  /** Instead of the flow of the request. */
  readonly flowId?: string;
  /** Scenario states to assume. */
  readonly scenarios?: { readonly [name: string]: string };
  readonly maxOthers: number;
  readonly maxNearMisses: number;
}

/** A stub that is closed to the flow of the request, or in the present state of its scenario. */
interface GateRefusal {
  readonly path: 'space' | 'requiredScenarioState';
  readonly scenario?: string;
  readonly expected: string;
  readonly actual: string;
}

interface OtherStub {
  readonly index: number;
  readonly id?: string;
  readonly outcome: 'refused' | 'skippedSpace' | 'skippedScenarioState' | 'shadowed' | 'error';
  readonly refusal?: Refusal | GateRefusal | { readonly path: string; readonly message: string };
}

interface NearMiss {
  readonly index: number;
  readonly id?: string;
  /** 0 to 1, two decimals: the share of leaves that hold. */
  readonly score: number;
  readonly satisfied: number;
  readonly total: number;
  readonly refusals: readonly (Refusal | GateRefusal)[];
}

/** Keys in the order in which they are shown. */
export interface DryRunReport {
  request: RequestJson;
  flowId: string;
  matched: boolean;
  stub?: { readonly index: number; readonly id?: string; readonly responsePreview: ResponsePreview };
  error?: { readonly index: number; readonly id?: string; readonly message: string };
  noMatchAnswer?: 'defaultForward' | 'defaultResponse' | 'empty';
  enabled?: false;
  others: OtherStub[];
  othersOmitted?: number;
  nearMisses?: NearMiss[];
}

export interface DryRun {
  readonly report: DryRunReport;
  /** What a real request would be refused with. */
  readonly failure: RiftError | undefined;
}

const mostRefusals = 10;
/** How long everything else may have to wait, in milliseconds. */
const sliceMs = 4;
const waiting: ((now: number) => void)[] = [];

/** Resolves with the time, in milliseconds; of all dry runs one goes on in a turn of the event loop. */
function nextSlice(): Promise<number> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(serveNext);
  });
}

function serveNext(): void {
  waiting.shift()?.(performance.now());
  if (waiting.length > 0) setImmediate(serveNext);
}

/** Rejects with ScriptTimeout when the time for predicates that are scripts is over, or when the store fails. */
export async function dryRun(imposter: Imposter, view: RequestView, options: DryRunOptions): Promise<DryRun> {
  const scripts = imposter.scripts.trial();
  try {
    const context = { encoding: imposter.encoding, scripts, logger: silentLogger };
    const gates = new Gates(imposter, options.flowId ?? imposter.flow.flowOf(view), options.scenarios ?? {});
    const found = new Findings(imposter, view, gates.flowId, options);
    let begun = await nextSlice();
    for (const [index, stub] of imposter.stubs.entries()) {
      const explained = explainStub(predicatesOf(stub.json), view, context);
      const gate = stub.state === undefined ? undefined : await gates.closed(stub);
      found.take(index, stub, explained instanceof Promise ? await explained : explained, gate);
      if (performance.now() - begun > sliceMs) begun = await nextSlice();
    }
    return found.finished();
  } finally {
    await scripts.close();
  }
}

class Gates {
  readonly #states = new Map<string, string | Promise<string>>();

  constructor(
    readonly imposter: Imposter,
    readonly flowId: string,
    readonly assumed: { readonly [name: string]: string },
  ) {}

  /** Why a stub does not take part; undefined when it does. */
  async closed({ json, state }: Stub): Promise<GateRefusal | undefined> {
    if (state === undefined) return undefined;
    const { space } = json;
    if (typeof space === 'string' && space !== this.flowId) {
      return { path: 'space', expected: space, actual: this.flowId };
    }
    const expected = json.requiredScenarioState ?? json.required_scenario_state;
    if (typeof expected !== 'string') return undefined;
    const scenario = typeof json.scenarioName === 'string' ? json.scenarioName : '';
    const actual = Object.hasOwn(this.assumed, scenario) ? this.assumed[scenario]! : await this.#stateOf(scenario);
    return actual === expected ? undefined : { path: 'requiredScenarioState', scenario, expected, actual };
  }

  #stateOf(scenario: string): string | Promise<string> {
    let state = this.#states.get(scenario);
    if (state === undefined) {
      state = scenarioState(this.imposter.flow, this.flowId, scenario);
      this.#states.set(scenario, state);
    }
    return state;
  }
}

interface Candidate {
  readonly named: { readonly index: number; readonly id?: string };
  readonly score: number;
  readonly explanation: StubExplanation;
  readonly gate: GateRefusal | undefined;
}

class Findings {
  readonly #others: OtherStub[] = [];
  #othersOmitted = 0;
  #near: Candidate[] = [];
  #winner: { readonly index: number; readonly stub: Stub } | undefined;
  #failed: { readonly index: number; readonly id?: string; readonly reason: RiftError } | undefined;

  constructor(
    readonly imposter: Imposter,
    readonly view: RequestView,
    readonly flowId: string,
    readonly options: DryRunOptions,
  ) {}

  take(index: number, stub: Stub, explanation: StubExplanation, gate: GateRefusal | undefined): void {
    const named = { index, ...idOf(stub) };
    const { error, matched } = explanation;
    if (gate !== undefined) {
      const outcome = gate.path === 'space' ? 'skippedSpace' : 'skippedScenarioState';
      this.#other(() => ({ ...named, outcome, refusal: gate }));
      if (error === undefined) this.#nearMiss(named, explanation, gate);
    } else if (error !== undefined) {
      if (this.#winner === undefined) this.#failed ??= { ...named, reason: error.reason };
      const refusal = { path: error.path, message: error.reason.message };
      this.#other(() => ({ ...named, outcome: 'error', refusal }));
    } else if (!matched) {
      this.#other(() => ({ ...named, outcome: 'refused', refusal: explanation.refusal }));
      this.#nearMiss(named, explanation, undefined);
    } else if (this.#winner === undefined && this.#failed === undefined) {
      this.#winner = { index, stub };
    } else {
      this.#other(() => ({ ...named, outcome: 'shadowed' }));
    }
  }

  #other(make: () => OtherStub): void {
    if (this.#others.length < this.options.maxOthers) this.#others.push(make());
    else this.#othersOmitted += 1;
  }

  #nearMiss(named: Candidate['named'], explanation: StubExplanation, gate: GateRefusal | undefined): void {
    const { satisfied, total } = explanation;
    const score = total === 0 ? 1 : Math.round((satisfied / total) * 100) / 100;
    if (score === 0 || this.options.maxNearMisses === 0) return;
    this.#near.push({ named, score, explanation, gate });
    if (this.#near.length > 2 * this.options.maxNearMisses + 100) this.#keepNearest();
  }

  #keepNearest(): void {
    this.#near = this.#near.sort(byNearness).slice(0, this.options.maxNearMisses);
  }

  finished(): DryRun {
    this.#keepNearest();
    const { imposter } = this;
    const { creation, profile, protocol } = imposter;
    const winner = this.#winner;
    const failed = this.#failed;
    const report: DryRunReport = {
      request: this.view.toJSON(),
      flowId: this.flowId,
      matched: winner !== undefined,
      ...(winner === undefined
        ? {}
        : {
            stub: {
              index: winner.index,
              ...idOf(winner.stub),
              responsePreview: responsePreview(
                winner.stub.ring.peek()?.json,
                winner.stub.json,
                profile,
                protocol.name === 'http' || protocol.name === 'https',
              ),
            },
          }),
      ...(failed === undefined
        ? {}
        : { error: { index: failed.index, ...idOf(failed), message: failed.reason.message } }),
      ...(winner === undefined && failed === undefined ? { noMatchAnswer: noMatchAnswer(creation) } : {}),
      ...(imposter.enabled ? {} : { enabled: false as const }),
      others: this.#others,
      ...(this.#othersOmitted > 0 ? { othersOmitted: this.#othersOmitted } : {}),
      ...(this.#near.length > 0 ? { nearMisses: this.#near.map(shownMiss) } : {}),
    };
    return { report, failure: failed?.reason };
  }
}

function byNearness(a: Candidate, b: Candidate): number {
  return (
    b.score - a.score ||
    Number(b.explanation.methodAndPathHold) - Number(a.explanation.methodAndPathHold) ||
    refusalCount(a) - refusalCount(b) ||
    a.named.index - b.named.index
  );
}

function refusalCount({ explanation, gate }: Candidate): number {
  return explanation.refusalCount + (gate === undefined ? 0 : 1);
}

function shownMiss({ named, score, explanation, gate }: Candidate): NearMiss {
  const { satisfied, total, refusals } = explanation;
  const all = gate === undefined ? refusals : [gate, ...refusals];
  return { ...named, score, satisfied, total, refusals: all.slice(0, mostRefusals) };
}

function idOf(of: Stub | { readonly id?: string }): { id?: string } {
  const id = 'json' in of ? of.json.id : of.id;
  return typeof id === 'string' ? { id } : {};
}

function noMatchAnswer(creation: Imposter['creation']): DryRunReport['noMatchAnswer'] {
  if (creation.defaultForward) return 'defaultForward';
  return isObject(creation.defaultResponse) ? 'defaultResponse' : 'empty';
}
