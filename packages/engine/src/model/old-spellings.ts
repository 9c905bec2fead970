// Old spellings are rewritten when a stub comes in, so that everything behind this file, the admin API's answers
// included, sees one form: `_behaviors` becomes `behaviors` (Mountebank docs: behaviors), `proxy.to` of tcp becomes a
// URL. What a client has no say in (`matches`, `_links`) is dropped. Nothing is copied unless it changes.

import { has, isObject } from './shapes.js';
import type { JsonObject, Profile } from './types.js';

const order = ['wait', 'lookup', 'copy', 'shellTransform', 'decorate'];

/** Mountebank's order of the old object form; an array value becomes one behavior an element. */
function behaviorList(old: JsonObject): JsonObject[] {
  const list: JsonObject[] = [];
  for (const type of order) {
    if (!has(old, type)) continue;
    const value = old[type]!;
    if (Array.isArray(value)) for (const element of value) list.push({ [type]: element });
    else list.push({ [type]: value });
  }
  return list;
}

function withoutKey(object: JsonObject, ...keys: string[]): JsonObject {
  const copy = { ...object };
  for (const key of keys) delete copy[key];
  return copy;
}

function rewriteBehaviors(response: JsonObject, profile: Profile): JsonObject {
  const modern = response.behaviors;
  if (isObject(modern)) {
    const rewritten = withoutKey(response, 'behaviors');
    if (has(modern, 'repeat') && !has(response, 'repeat')) rewritten.repeat = modern.repeat!;
    rewritten.behaviors = behaviorList(modern);
    return rewritten;
  }
  const old = response._behaviors;
  if (typeof old !== 'object' || old === null) return response;
  // Mountebank runs `_behaviors` only where neither new key is present; a bare `repeat` hides it there, not in Rift.
  const hidden = has(response, 'behaviors') || (profile === 'mountebank' && has(response, 'repeat'));
  if (hidden) {
    const shell = (old as JsonObject).shellTransform;
    return typeof shell === 'string'
      ? { ...response, _behaviors: { ...(old as JsonObject), shellTransform: [shell] } }
      : response;
  }
  const rewritten = withoutKey(response, '_behaviors');
  if (has(old, 'repeat') && !has(response, 'repeat')) rewritten.repeat = (old as JsonObject).repeat!;
  rewritten.behaviors = behaviorList(old as JsonObject);
  return rewritten;
}

/** `{"to": {"host": H, "port": P}}`, the form of tcp proxies before URLs. */
function rewriteTarget(response: JsonObject): JsonObject {
  const proxy = response.proxy;
  if (!isObject(proxy)) return response;
  const to = proxy.to;
  if (!isObject(to) || !to.host || !to.port) return response;
  return { ...response, proxy: { ...proxy, to: `tcp://${String(to.host)}:${String(to.port)}` } };
}

/** The stub in today's spelling; the very same object when nothing had to change. Anything that is no stub stays. */
export function rewriteStub(stub: unknown, protocol: string, profile: Profile): unknown {
  if (!isObject(stub)) return stub;
  let result = has(stub, 'matches') || has(stub, '_links') ? withoutKey(stub, 'matches', '_links') : stub;
  const responses = stub.responses;
  if (!Array.isArray(responses)) return result;
  let changed: JsonObject[] | undefined;
  for (let index = 0; index < responses.length; index += 1) {
    const response = responses[index];
    if (!isObject(response)) continue;
    let rewritten = rewriteBehaviors(response, profile);
    if (protocol === 'tcp') rewritten = rewriteTarget(rewritten);
    if (rewritten !== response) {
      changed ??= responses.slice() as JsonObject[];
      changed[index] = rewritten;
    }
  }
  if (changed !== undefined) result = { ...result, responses: changed };
  return result;
}
