// Keys below `_rift` that nobody reads are kept, and reported with the known key they probably meant.

import type { Warning } from './read-options.js';
import { has, isObject } from './shapes.js';
import type { JsonObject, StubJson } from './types.js';

/** Known keys; `null` where anything may stand below, `*` for a map of equal parts. */
interface Known {
  readonly [key: string]: Known | null;
}

const scriptKeys: Known = { engine: null, code: null, file: null, ref: null };
const redisKeys: Known = { url: null, poolSize: null, keyPrefix: null };

const imposterKeys: Known = {
  flowState: { backend: null, ttlSeconds: null, flowIdSource: null, redis: redisKeys, ...redisKeys },
  scriptEngine: { defaultEngine: null, timeoutMs: null },
  scripts: { '*': scriptKeys },
  metrics: { enabled: null, port: null },
  proxy: {
    upstream: { host: null, port: null, protocol: null },
    connectionPool: { maxIdlePerHost: null, idleTimeoutSecs: null },
  },
};

const responseKeys: Known = {
  fault: {
    latency: { probability: null, ms: null, minMs: null, maxMs: null },
    error: { probability: null, status: null, body: null, headers: null },
    tcp: { probability: null, type: null },
  },
  script: scriptKeys,
  templated: null,
};

/** Number of letters to insert, delete or change (Wagner and Fischer 1974). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

function nearest(key: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.min(3, Math.floor(key.length / 2))) + 1;
  for (const candidate of known) {
    const steps = distance(key.toLowerCase(), candidate.toLowerCase());
    if (steps < least) {
      best = candidate;
      least = steps;
    }
  }
  return best;
}

function walk(value: JsonObject, known: Known, path: string, messages: string[]): void {
  for (const [key, part] of Object.entries(value)) {
    const here = `${path}.${key}`;
    const below = has(known, '*') ? known['*']! : has(known, key) ? known[key]! : undefined;
    if (below === undefined) {
      const meant = key.length > 40 ? undefined : nearest(key, Object.keys(known));
      messages.push(`Unknown key '${here}'${meant === undefined ? '' : ` (did you mean '${meant}'?)`}`);
    } else if (below !== null && isObject(part)) walk(part, below, here, messages);
  }
}

/** Reports every unknown key below the `_rift` of an imposter itself. */
export function unknownImposterKeys(creation: JsonObject): Warning[] {
  if (!isObject(creation._rift)) return [];
  const messages: string[] = [];
  walk(creation._rift, imposterKeys, '_rift', messages);
  return messages.map((message) => ({ warningType: 'unknown_key', message }));
}

/** Adds every unknown key below the `_rift` objects of a stub, in the order of the document. */
export function addUnknownKeys(stub: StubJson, stubIndex: number, warnings: Warning[]): void {
  const { responses, id } = stub;
  if (!Array.isArray(responses)) return;
  for (let index = 0; index < responses.length; index++) {
    const rift = responses[index]!._rift;
    if (!isObject(rift)) continue;
    const messages: string[] = [];
    walk(rift, responseKeys, `stubs[${stubIndex}].responses[${index}]._rift`, messages);
    const named = typeof id === 'string' ? { stubId: id } : {};
    for (const message of messages) warnings.push({ warningType: 'unknown_key', message, stubIndex, ...named });
  }
}

/** The key of a stub that has no responses which was probably to hold them; such a stub answers as if nothing matched. */
export function meantAsResponses(stub: StubJson): string | undefined {
  if (stub.responses.length > 0) return undefined;
  return Object.keys(stub).find(
    (key) => key !== 'responses' && key.length < 40 && nearest(key, ['responses']) !== undefined,
  );
}
