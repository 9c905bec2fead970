// Whether what a test expected has been requested: recorded requests counted by predicates, and of those that do not
// hold the one that comes nearest (docs/verification.md).

import { setImmediate } from 'node:timers/promises';
import { RiftError } from '../errors.js';
import { type Logger, silentLogger } from '../logger.js';
import { compilePredicate } from '../matching/compile.js';
import { operatorOf } from '../matching/operator-names.js';
import { plainView } from '../matching/plain-view.js';
import type { CompiledPredicate } from '../matching/types.js';
import { injectionUse, javascriptRefused } from '../model/injection-gate.js';
import { isObject } from '../model/shapes.js';
import type { Json, JsonObject, Profile, RequestJson } from '../model/types.js';
import type { RequestView } from '../request-view.js';
import type { ScriptHost } from '../scripting/types.js';
import type { FlowIdSource } from '../state/flow-id.js';
import type { Journal, JournalEntry } from './journal.js';

export interface VerifyQuery {
  /** All must hold; none: every request counts. */
  readonly predicates: readonly unknown[];
  /** Only requests of this flow. */
  readonly flowId?: string;
  readonly includeRequests: boolean;
  readonly includeClosest: boolean;
}

/** Keys in this order. */
export interface Verification {
  readonly matched: number;
  /** Recorded requests in scope. */
  readonly total: number;
  readonly requests?: readonly RequestJson[];
  readonly closest?: {
    readonly request: RequestJson;
    readonly failedPredicates: readonly { readonly predicate: unknown; readonly actual: JsonObject }[];
  };
}

/** What is asked: the journal of an imposter, and what its predicates need. */
export interface VerifyScope {
  readonly journal: Journal;
  readonly port: number;
  readonly flow: { readonly source: FlowIdSource };
  readonly scripts: ScriptHost;
  readonly encoding: 'utf8' | 'base64';
  readonly profile: Profile;
  readonly allowInjection: boolean;
  readonly logger?: Logger;
}

/** Requests looked at in a row before others have their turn. */
const TURN = 200;

/** Rejects with a RiftError of status 400 when a predicate cannot be evaluated. */
export async function verify(query: VerifyQuery, scope: VerifyScope): Promise<Verification> {
  const { predicates, flowId, includeRequests, includeClosest } = query;
  const { journal, port, flow, scripts, encoding, profile, logger = silentLogger } = scope;
  if (!scope.allowInjection && injectionUse({ predicates: predicates as Json[] }, profile).javascript) {
    throw refused(new RiftError('invalid injection', javascriptRefused));
  }
  const context = { encoding, scripts, logger };
  const compiled = predicates.map((predicate, at) => compilePredicate(predicate, context, `predicates[${at}]`));
  const found: JournalEntry[] = [];
  let total = 0;
  let closest: { entry: JournalEntry; verdicts: boolean[] } | undefined;
  let most = -1;
  for (const [at, entry] of [...journal].entries()) {
    if (at % TURN === TURN - 1) await setImmediate();
    const { request } = entry;
    if (flowId !== undefined && flow.source.ofRecorded(request, port) !== flowId) continue;
    total++;
    const verdicts = await verdictsOn(compiled, plainView(asStubsSeeIt(request)), includeClosest);
    const holding = verdicts.filter(Boolean).length;
    if (holding === predicates.length) found.push(entry);
    else if (holding >= most) {
      most = holding;
      closest = { entry, verdicts };
    }
  }
  return {
    matched: found.length,
    total,
    ...(includeRequests ? { requests: found.map((entry) => entry.toJSON()) } : {}),
    ...(includeClosest && closest !== undefined ? { closest: nearest(closest, predicates) } : {}),
  };
}

/** Of each predicate whether it holds; `all` false: up to the first that does not. */
async function verdictsOn(compiled: readonly CompiledPredicate[], view: RequestView, all: boolean): Promise<boolean[]> {
  const verdicts: boolean[] = [];
  for (const { test } of compiled) {
    try {
      verdicts.push(await test(view));
    } catch (error) {
      throw refused(error);
    }
    if (!all && verdicts.at(-1) === false) break;
  }
  return verdicts;
}

function refused(error: unknown): unknown {
  if (!(error instanceof RiftError)) return error;
  const { path } = error.answer;
  return new RiftError(error.code, error.message, error.extras, { status: 400, riftOnly: true, path });
}

function nearest(
  { entry, verdicts }: { entry: JournalEntry; verdicts: readonly boolean[] },
  predicates: readonly unknown[],
): Verification['closest'] {
  const request = asStubsSeeIt(entry.request);
  const failedPredicates = predicates
    .filter((_, at) => verdicts[at] === false)
    .map((predicate) => ({ predicate, actual: actual(predicate, request) }));
  return { request: entry.toJSON(), failedPredicates };
}

const wholeRequest = ['method', 'path', 'query', 'headers', 'requestFrom', 'body', 'data'];

/** What the request has where the predicate looks: its fields, or everything where that is not plain. */
function actual(predicate: unknown, request: RequestJson): JsonObject {
  const operator = operatorOf(predicate) ?? '';
  const operand = isObject(predicate) ? predicate[operator] : undefined;
  const plain =
    isObject(predicate) &&
    isObject(operand) &&
    !['and', 'or', 'not', 'inject'].includes(operator) &&
    predicate.jsonpath === undefined &&
    predicate.xpath === undefined;
  const names = plain ? Object.keys(operand) : wholeRequest;
  const shown: RequestJson = {};
  for (const name of names) if (request[name] !== undefined) shown[name] = request[name];
  if (!plain && shown.body === '') delete shown.body;
  return shown as JsonObject;
}

/** Headers with their last value each, and the address without its port. */
function asStubsSeeIt(request: RequestJson): RequestJson {
  const { headers, requestFrom } = request;
  const seen: RequestJson = { ...request };
  if (isObject(headers)) {
    seen.headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value]),
    );
  }
  if (typeof requestFrom === 'string') seen.ip = requestFrom.replace(/:\d+$/, '');
  return seen;
}
