// Which imposters several data threads may serve at once: those whose answers depend on the request, on the turn of
// their responses and on nothing else that changes. Everything else has one owner, the main thread.

import type { ImposterJson, JsonObject, StubJson } from '../model/types.js';

/** Keys of an imposter or stub that mean state, records or scripts. */
const STATEFUL_IMPOSTER_KEYS = ['recordRequests', 'recordMatches', 'endOfRequestResolver', 'defaultForward', '_rift'];
const STATEFUL_STUB_KEYS = [
  'scenarioName',
  'requiredScenarioState',
  'required_scenario_state',
  'newScenarioState',
  'new_scenario_state',
  'space',
  '_rift',
];
/** Behaviors that read nothing but the request and files. */
const PURE_BEHAVIORS = new Set(['wait', 'copy', 'lookup', 'repeat']);

export function isShareable(creation: ImposterJson, stubs: readonly StubJson[]): boolean {
  if (creation.protocol !== 'http' && creation.protocol !== 'https') return false;
  if (STATEFUL_IMPOSTER_KEYS.some((key) => Boolean(creation[key]))) return false;
  return stubs.every(isShareableStub);
}

function isShareableStub(stub: StubJson): boolean {
  if (STATEFUL_STUB_KEYS.some((key) => stub[key] !== undefined)) return false;
  if (mentionsInject(stub.predicates) || mentionsInject(stub.rules)) return false;
  return (stub.responses ?? []).every(isShareableResponse);
}

function isShareableResponse(response: JsonObject): boolean {
  if (response.proxy || response.inject || response._rift !== undefined) return false;
  return isPure(response.behaviors) && isPure(response._behaviors);
}

function isPure(behaviors: unknown): boolean {
  if (behaviors === undefined || behaviors === null) return true;
  const elements = Array.isArray(behaviors) ? behaviors : [behaviors];
  return elements.every(
    (element) =>
      typeof element === 'object' &&
      element !== null &&
      Object.entries(element).every(
        ([type, value]) => PURE_BEHAVIORS.has(type) && !(type === 'wait' && isScript(value)),
      ),
  );
}

/** A wait that is no number: a function, or something that becomes one. */
function isScript(wait: unknown): boolean {
  return typeof wait !== 'number';
}

function mentionsInject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(mentionsInject);
  return Object.entries(value).some(
    ([key, member]) => key === 'inject' || (['and', 'or', 'not'].includes(key) && mentionsInject(member)),
  );
}
