// Without `--allowInjection` nothing that runs code may come in (Mountebank docs: security). The gate looks at raw keys
// at any depth, before any other reading of the stub, so that no malformed block slips through.

import { isWaitRange } from './behavior-checks.js';
import { has, isObject } from './shapes.js';
import type { JsonObject, Profile } from './types.js';

export const javascriptRefused = 'JavaScript injection is not allowed unless mb is run with the --allowInjection flag';
export const shellRefused = 'Shell execution is not allowed unless mb is run with the --allowInjection flag';
export const scriptRefused =
  'inject requires --allowInjection to be set. See http://www.mbtest.org/docs/api/injection for more information.';

function predicateInjects(predicate: unknown): boolean {
  if (Array.isArray(predicate)) return predicate.some(predicateInjects);
  if (!isObject(predicate)) return false;
  if (predicate.inject) return true;
  return predicateInjects(predicate.not) || predicateInjects(predicate.and) || predicateInjects(predicate.or);
}

function waitInjects(wait: unknown, profile: Profile): boolean {
  if (typeof wait === 'number' || isWaitRange(wait)) return false;
  if (typeof wait === 'string' || isObject(wait)) return true;
  // Mountebank refuses these shapes anyway, with the message of the field.
  return profile === 'rift';
}

/** What of a stub needs the flag. */
export interface InjectionUse {
  javascript: boolean;
  shell: boolean;
  /** `_rift.script`. */
  script: boolean;
}

function noteProxy(proxy: JsonObject, use: InjectionUse): void {
  if (proxy.addDecorateBehavior) use.javascript = true;
  const generators = proxy.predicateGenerators;
  if (Array.isArray(generators) && generators.some((generator) => isObject(generator) && Boolean(generator.inject))) {
    use.javascript = true;
  }
}

function noteResponse(response: JsonObject, profile: Profile, use: InjectionUse): void {
  if (response.inject) use.javascript = true;
  if (isObject(response.proxy)) noteProxy(response.proxy, use);
  if (isObject(response._rift) && response._rift.script) use.script = true;
  if (!Array.isArray(response.behaviors)) return;
  for (const behavior of response.behaviors) {
    if (!isObject(behavior)) continue;
    if (has(behavior, 'decorate') || (has(behavior, 'wait') && waitInjects(behavior.wait, profile))) {
      use.javascript = true;
    }
    if (has(behavior, 'shellTransform')) use.shell = true;
  }
}

/** Finds every use of code in a rewritten stub. */
export function injectionUse(stub: JsonObject, profile: Profile): InjectionUse {
  const use: InjectionUse = {
    javascript: predicateInjects(stub.predicates) || predicateInjects(stub.rules),
    shell: false,
    script: false,
  };
  if (Array.isArray(stub.responses)) {
    for (const response of stub.responses) if (isObject(response)) noteResponse(response, profile, use);
  }
  return use;
}
