// What a stub means, whatever spelling it came in: the alternative forms that are kept as they were sent (flat responses,
// `rules`, `delayRange`, wait objects, `repeat` among the behaviors, snake-case keys) are read here and nowhere else.

import { isWaitInject } from './behavior-checks.js';
import { flatKeys, typesOf } from './response-types.js';
import { scriptEngine } from './script-sources.js';
import { has, isNumericText, isObject } from './shapes.js';
import type { Json, JsonObject, PredicateJson, Profile, ResponseJson, StubJson } from './types.js';

/** One response of a stub, ready to be compiled. */
export interface ResponsePlan {
  /** `script`: `_rift.script` is the only type. */
  readonly type: 'is' | 'proxy' | 'inject' | 'fault' | 'script';
  /** What stands under the type's key; flat fields gathered into an object; `{}` for a script. */
  readonly config: Json;
  /** One behavior an object, in order; `wait` is a number, a function text or `{min, max}`. */
  readonly behaviors: readonly JsonObject[];
  /** How often the response is served in a row: a whole number, at least 1. */
  readonly repeat: number;
  /** `_rift` of the response. */
  readonly rift: JsonObject | undefined;
  /** The script of `_rift.script` with its engine, resolved; on any type. */
  readonly script: { readonly engine: string; readonly code: string } | undefined;
  /** The response as it is shown. */
  readonly json: ResponseJson;
}

export interface StubPlan {
  readonly id: string | undefined;
  readonly scenarioName: string | undefined;
  readonly requiredScenarioState: string | undefined;
  readonly newScenarioState: string | undefined;
  readonly space: string | undefined;
  readonly routePattern: string | undefined;
  readonly recordedFrom: string | undefined;
  /** `predicates`, or `rules` where those are what counts. */
  readonly predicates: readonly PredicateJson[];
  readonly responses: readonly ResponsePlan[];
}

/** Which key of a stub holds its predicates. */
export function predicatesKey(stub: JsonObject): 'predicates' | 'rules' {
  const { predicates, rules } = stub;
  if (!Array.isArray(rules)) return 'predicates';
  return predicates && (!Array.isArray(predicates) || predicates.length > 0) ? 'predicates' : 'rules';
}

function text(stub: JsonObject, key: string, alias?: string): string | undefined {
  const value = has(stub, key) || alias === undefined ? stub[key] : stub[alias];
  return typeof value === 'string' ? value : undefined;
}

/** The number of a `delayRange` bound, given as a number or as its text. */
function bound(value: unknown): number | undefined {
  const number = isNumericText(value) ? Number(value) : value;
  return typeof number === 'number' && number >= 0 ? number : undefined;
}

/** The `wait` that a stub-wide `delayRange` stands for; only its first element counts. */
function delayOf(stub: JsonObject): Json | undefined {
  const range = Array.isArray(stub.delayRange) ? stub.delayRange[0] : undefined;
  if (!isObject(range)) return undefined;
  const min = bound(range.min);
  const max = bound(range.max);
  if (min === undefined || max === undefined) return undefined;
  return min === max ? min : { min, max };
}

const behaviorTypes = new Set(['wait', 'copy', 'lookup', 'decorate', 'shellTransform']);

function behaviorsOf(response: JsonObject, profile: Profile): JsonObject[] {
  const list: JsonObject[] = [];
  if (!Array.isArray(response.behaviors)) return list;
  for (const behavior of response.behaviors) {
    if (!isObject(behavior)) continue;
    const types = Object.keys(behavior).filter((key) => behaviorTypes.has(key));
    // Several types in one object never get this far in profile `mountebank`.
    for (const type of profile === 'rift' ? types : types.slice(0, 1)) {
      const value = behavior[type]!;
      list.push({ [type]: type === 'wait' && isWaitInject(value) ? value.inject : value });
    }
  }
  return list;
}

/**
 * How often a response is served in a row: `repeat` beside the type, else among the behaviors. A whole number, at least
 * 1; a fraction serves once more (Mountebank counts while `j < repeat`).
 */
export function servings(response: JsonObject): number {
  let repeat: unknown = response.repeat;
  if (repeat === undefined && Array.isArray(response.behaviors)) {
    for (const behavior of response.behaviors) {
      if (isObject(behavior) && has(behavior, 'repeat')) repeat = behavior.repeat;
    }
  }
  if (typeof repeat === 'string') repeat = Number(repeat);
  return typeof repeat === 'number' && repeat > 0 ? Math.ceil(repeat) : 1;
}

function flatConfig(response: JsonObject): JsonObject {
  const config: JsonObject = {};
  for (const key of flatKeys) if (has(response, key)) config[key] = response[key]!;
  return config;
}

function responsePlan(
  response: ResponseJson,
  delay: Json | undefined,
  profile: Profile,
  imposter: JsonObject,
): ResponsePlan {
  const rift = isObject(response._rift) ? response._rift : undefined;
  const script = isObject(rift?.script) ? rift.script : undefined;
  const type = typesOf(response)[0];
  const flat = type === undefined ? flatConfig(response) : {};
  const kind = type ?? (script !== undefined && Object.keys(flat).length === 0 ? 'script' : 'is');
  const behaviors = behaviorsOf(response, profile);
  if (kind === 'is' && delay !== undefined && !behaviors.some((behavior) => has(behavior, 'wait'))) {
    behaviors.unshift({ wait: delay });
  }
  return {
    type: kind,
    config: type === undefined ? flat : response[type]!,
    behaviors,
    repeat: servings(response),
    rift,
    script:
      script !== undefined && typeof script.code === 'string'
        ? { engine: scriptEngine(script, imposter), code: script.code }
        : undefined,
    json: response,
  };
}

/** The predicates of a stub, whichever key holds them; none when that key holds no array. */
export function predicatesOf(stub: JsonObject): readonly PredicateJson[] {
  const predicates = stub[predicatesKey(stub)];
  return Array.isArray(predicates) ? (predicates as PredicateJson[]) : [];
}

/**
 * The response in Mountebank's own spelling, for whoever compiles it: a type key, and behaviors that are an array. The
 * very same object when it is spelled so already.
 */
export function plainResponse(response: ResponseJson, stub: StubJson, profile: Profile): ResponseJson {
  const type = typesOf(response)[0];
  const { behaviors } = response;
  const listed = behaviors === undefined || behaviors === null || Array.isArray(behaviors);
  if (type !== undefined && listed && (type !== 'is' || stub.delayRange === undefined)) return response;
  const plan = responsePlan(response, delayOf(stub), profile, {});
  return {
    ...response,
    [plan.type === 'script' ? 'is' : plan.type]: plan.config,
    behaviors: [...plan.behaviors],
  };
}

/** Reads a stub that passed the checks. `imposter` is its imposter's creation request (engine defaults). */
export function stubPlan(stub: StubJson, profile: Profile, imposter: JsonObject): StubPlan {
  const delay = delayOf(stub);
  return {
    id: text(stub, 'id'),
    scenarioName: text(stub, 'scenarioName'),
    requiredScenarioState: text(stub, 'requiredScenarioState', 'required_scenario_state'),
    newScenarioState: text(stub, 'newScenarioState', 'new_scenario_state'),
    space: text(stub, 'space'),
    routePattern: text(stub, 'routePattern', 'route_pattern'),
    recordedFrom: text(stub, 'recordedFrom', 'recorded_from'),
    predicates: predicatesOf(stub),
    responses: (stub.responses ?? []).map((response) => responsePlan(response, delay, profile, imposter)),
  };
}
