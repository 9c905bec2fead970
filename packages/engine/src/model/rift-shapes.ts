// Types of Rift's own keys (docs/imposters.md). Checked in both profiles, because plain Mountebank has none of them;
// what Mountebank accepts as an unknown key of any type is checked in profile `rift` only.

import { namedScriptsProblem } from './script-sources.js';
import { has, isObject } from './shapes.js';
import type { JsonObject } from './types.js';

/** Reports a key, its JSON path below the checked object, and what is wrong with it. */
type Found = (path: string, problem: string) => void;

function isInteger(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function checkNumbers(part: JsonObject, path: string, keys: readonly string[], whole: boolean, found: Found): void {
  for (const key of keys) {
    const value = part[key];
    if (value === undefined || value === null) continue;
    if (whole ? !isInteger(value) : typeof value !== 'number') {
      found(`${path}.${key}`, whole ? 'must be a whole number, 0 or more' : 'must be a number');
    }
  }
}

const tcp = '_rift.fault.tcp';

/** The message about `_rift.fault.tcp`, undefined when it is a fault text or an object of both parts. */
function tcpProblem(value: unknown): string | undefined {
  if (value === undefined || value === null || typeof value === 'string') return undefined;
  if (!isObject(value)) return `${tcp} must be a fault-type string or an object { probability, type }`;
  if (!has(value, 'probability')) {
    return `${tcp} object form requires a numeric 'probability' (use the bare fault-type string for an always-firing fault)`;
  }
  const { probability } = value;
  if (typeof probability !== 'number') return `${tcp} 'probability' must be a number between 0.0 and 1.0`;
  if (probability < 0 || probability > 1) return `${tcp} 'probability' must be between 0.0 and 1.0`;
  if (!has(value, 'type')) return `${tcp} object form requires a string 'type'`;
  return typeof value.type === 'string' ? undefined : `${tcp} 'type' must be a string`;
}

/** What is wrong with the `_rift` of a response; paths start with `_rift`. */
export function checkResponseRift(rift: unknown, found: Found): void {
  if (rift === undefined || rift === null) return;
  if (!isObject(rift)) {
    found('_rift', 'must be an object');
    return;
  }
  const { fault, script, templated } = rift;
  if (templated !== undefined && typeof templated !== 'boolean') found('_rift.templated', 'must be true or false');
  if (script !== undefined && script !== null && !isObject(script)) found('_rift.script', 'must be an object');
  if (fault === undefined || fault === null) return;
  if (!isObject(fault)) {
    found('_rift.fault', 'must be an object');
    return;
  }
  for (const key of ['latency', 'error'] as const) {
    const part = fault[key];
    if (part === undefined || part === null) continue;
    const path = `_rift.fault.${key}`;
    if (!isObject(part)) {
      found(path, 'must be an object');
      continue;
    }
    checkNumbers(part, path, ['probability'], false, found);
    checkNumbers(part, path, key === 'latency' ? ['ms', 'minMs', 'maxMs'] : ['status'], true, found);
    if (key === 'error') {
      if (part.body !== undefined && part.body !== null && typeof part.body !== 'string') {
        found(`${path}.body`, 'must be a string');
      }
      if (part.headers !== undefined && part.headers !== null && !isObject(part.headers)) {
        found(`${path}.headers`, 'must be an object');
      }
    }
  }
  const problem = tcpProblem(fault.tcp);
  if (problem !== undefined) found(tcp, problem.slice(tcp.length + 1));
}

const flowPrefix = 'Flow store configuration error: ';

/** The complete message about `_rift.flowState`; undefined when a store can be made of it. */
function flowStateProblem(flow: JsonObject): string | undefined {
  const ttl = flow.ttlSeconds ?? 300;
  if (typeof ttl !== 'number' || !Number.isInteger(ttl)) {
    return `${flowPrefix}flowState.ttlSeconds must be a whole number of seconds (got ${JSON.stringify(ttl)})`;
  }
  if (ttl < 1) {
    return `${flowPrefix}flowState.ttlSeconds must be >= 1 (got ${ttl}); a non-positive TTL would expire every write immediately`;
  }
  const backend = flow.backend ?? 'inmemory';
  if (backend !== 'inmemory' && backend !== 'redis') {
    const name = typeof backend === 'string' ? backend : JSON.stringify(backend);
    return `${flowPrefix}flowState.backend is "${name}" but no such backend is registered (available: "inmemory", "redis")`;
  }
  if (backend === 'inmemory') return undefined;
  const redis = isObject(flow.redis) ? flow.redis : flow;
  return typeof redis.url === 'string'
    ? undefined
    : `${flowPrefix}flowState.backend is "redis" but no redis config block was provided`;
}

/**
 * What is wrong with the `_rift` of an imposter: the complete message, and the path of the part. `door` begins messages
 * about types, `batch` names the imposter of a batch in messages about scripts.
 */
export function imposterRiftProblem(
  rift: unknown,
  door: string,
  batch: string,
): { path: string; message: string } | undefined {
  if (rift === undefined || rift === null) return undefined;
  if (!isObject(rift)) return { path: '_rift', message: `${door}_rift must be an object` };
  for (const key of ['flowState', 'scriptEngine', 'scripts'] as const) {
    const part = rift[key];
    if (part !== undefined && part !== null && !isObject(part)) {
      return { path: `_rift.${key}`, message: `${door}_rift.${key} must be an object` };
    }
  }
  if (isObject(rift.flowState)) {
    const message = flowStateProblem(rift.flowState);
    if (message !== undefined) return { path: '_rift.flowState', message };
  }
  if (isObject(rift.scriptEngine)) {
    const { defaultEngine, timeoutMs } = rift.scriptEngine;
    if (defaultEngine !== undefined && !['rhai', 'javascript', 'js'].includes(String(defaultEngine))) {
      const message = `Script validation failed${batch}: Unknown script engine type: '${String(defaultEngine)}'`;
      return { path: '_rift.scriptEngine.defaultEngine', message };
    }
    if (timeoutMs !== undefined && !isInteger(timeoutMs)) {
      const path = '_rift.scriptEngine.timeoutMs';
      return { path, message: `${door}${path} must be a whole number of milliseconds` };
    }
  }
  const problem = isObject(rift.scripts) ? namedScriptsProblem(rift.scripts) : undefined;
  return problem === undefined
    ? undefined
    : { path: '_rift.scripts', message: `Script resolution failed${batch}: ${problem}` };
}

const stubTexts = [
  'id',
  'scenarioName',
  'requiredScenarioState',
  'newScenarioState',
  'space',
  'routePattern',
  'recordedFrom',
  'required_scenario_state',
  'new_scenario_state',
  'route_pattern',
  'recorded_from',
];

/** Rift's keys of a stub, profile `rift`. */
export function checkStubKeys(stub: JsonObject, found: Found): void {
  for (const key of stubTexts) {
    const value = stub[key];
    if (value !== undefined && value !== null && typeof value !== 'string') found(key, 'must be a string');
  }
  for (const key of ['rules', 'delayRange']) {
    const value = stub[key];
    if (value !== undefined && value !== null && !Array.isArray(value)) found(key, 'must be an array');
  }
}

/** Profile `rift`: Mountebank reads any value of the switch as true or false. */
export function checkProxySwitch(proxy: unknown, found: Found): void {
  const value = isObject(proxy) ? proxy.addWaitBehavior : undefined;
  if (value !== undefined && value !== null && typeof value !== 'boolean') {
    found('proxy.addWaitBehavior', 'must be true or false');
  }
}

function isHeaderValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Status and headers of an `is` (or flat) response, profile `rift`: what could not be sent is refused. */
export function checkStaticResponse(is: JsonObject, path: string, found: Found): void {
  const below = (key: string) => (path === '' ? key : `${path}.${key}`);
  const { statusCode, headers } = is;
  if (statusCode !== undefined && statusCode !== null) {
    const number = typeof statusCode === 'string' && statusCode.trim() !== '' ? Number(statusCode) : statusCode;
    if (typeof number !== 'number' || !Number.isInteger(number) || number < 100 || number > 999) {
      found(below('statusCode'), `must be a status code, not ${JSON.stringify(statusCode)}`);
    }
  }
  if (!isObject(headers)) return;
  for (const [name, value] of Object.entries(headers)) {
    const good = Array.isArray(value) ? value.every(isHeaderValue) : isHeaderValue(value);
    if (!good) found(`${below('headers')}.${name}`, 'must be text, a number, true or false, or an array of those');
  }
}
