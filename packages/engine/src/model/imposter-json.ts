// The JSON forms in which the admin API shows an imposter: full, replayable, list (docs/admin-api.md). Key order is part
// of the contract: Mountebank's, with Rift's own keys in fixed places.

import { showLater } from './imposter-text.js';
import type { Warnings } from './read-options.js';
import { has, isObject } from './shapes.js';
import type { ShownStubs } from './shown-stubs.js';
import type { ImposterJson, JsonObject, Profile, RequestJson, ResponseJson, StubJson } from './types.js';

export type ImposterForm = 'full' | 'replayable' | 'list';

/** One stub as it is shown. */
export interface StubParts {
  readonly json: StubJson;
  /** Kept under `--debug` or `recordMatches`; shown in the full form when there are any. */
  readonly matches?: readonly unknown[];
}

/** What an imposter knows of itself. */
export interface ImposterParts {
  readonly creation: ImposterJson;
  /** The port really bound. */
  readonly port: number;
  readonly numberOfRequests: number;
  readonly enabled: boolean;
  /** `Protocol.metadata`. */
  readonly metadata: JsonObject;
  readonly requests: readonly RequestJson[];
  readonly stubs: readonly StubParts[];
  readonly warnings: Warnings;
  /** The bytes of its stubs, kept from one time to the next. */
  readonly shown?: ShownStubs;
  /** The same object as the last time when stubs were only added at the end since then. */
  readonly lineage?: object;
  /** A protocol of `--protofile`: its own fields of the creation request are kept in the replayable form. */
  readonly custom?: boolean;
}

export interface JsonFormOptions {
  readonly profile: Profile;
  /** Leaves out proxy responses, and stubs that have no other. */
  readonly removeProxies?: boolean;
  /** What stands before the path in links, e.g. `http://localhost:2525`. */
  readonly linkBase?: string;
}

function link(base: string, path: string): JsonObject {
  return { href: `${base}${path}` };
}

/** The stub's link, relative to `base`. */
export function stubLinks(base: string, port: number, index: number): JsonObject {
  return { self: link(base, `/imposters/${port}/stubs/${index}`) };
}

function withoutProxies(stub: StubJson): StubJson | undefined {
  const responses = stub.responses;
  if (!Array.isArray(responses)) return stub;
  const kept = responses.filter((response) => !has(response, 'proxy'));
  if (kept.length === responses.length) return stub;
  return kept.length === 0 ? undefined : { ...stub, responses: kept };
}

/** A recorded response without what only the recorder needs. */
function withoutProxyTime(response: ResponseJson): ResponseJson {
  if (!isObject(response.is) || !has(response.is, '_proxyResponseTime')) return response;
  const { _proxyResponseTime: _, ...is } = response.is;
  return { ...response, is };
}

function replayableStub(stub: StubJson): StubJson {
  if (!Array.isArray(stub.responses)) return stub;
  const recorded = stub.responses.some((response) => isObject(response.is) && has(response.is, '_proxyResponseTime'));
  return recorded ? { ...stub, responses: stub.responses.map(withoutProxyTime) } : stub;
}

function stubsJson(parts: ImposterParts, form: ImposterForm, options: JsonFormOptions): unknown[] {
  const base = options.linkBase ?? '';
  const shown: unknown[] = [];
  parts.stubs.forEach(({ json, matches }, index) => {
    const stub = options.removeProxies ? withoutProxies(json) : json;
    if (stub === undefined) return;
    if (form === 'replayable') {
      shown.push(replayableStub(stub));
      return;
    }
    const copy: { [key: string]: unknown } = { ...stub };
    if (matches !== undefined && matches.length > 0) copy.matches = matches;
    copy._links = stubLinks(base, parts.port, index);
    shown.push(copy);
  });
  return shown;
}

const riftStubKeys = new Set([
  'id',
  'space',
  'requiredScenarioState',
  'required_scenario_state',
  'newScenarioState',
  'new_scenario_state',
  'routePattern',
  'route_pattern',
  '_verify',
]);

function stubUsesRift(stub: StubJson): boolean {
  for (const key in stub) if (riftStubKeys.has(key)) return true;
  const { responses } = stub;
  if (!Array.isArray(responses)) return false;
  for (let at = 0; at < responses.length; at++) if (has(responses[at]!, '_rift')) return true;
  return false;
}

/** Whether an imposter uses anything that only Rift knows; without, profile `mountebank` shows no `_rift`. */
function usesRift(parts: ImposterParts): boolean {
  const { creation } = parts;
  return (
    has(creation, '_rift') ||
    has(creation, 'defaultForward') ||
    Boolean(creation.strictBehaviors) ||
    Boolean(creation.recordMatches) ||
    parts.stubs.some(({ json }) => stubUsesRift(json))
  );
}

/** `_rift` of the full form: warnings, and of the flow state only what holds no secret. */
function riftProjection(parts: ImposterParts, profile: Profile): JsonObject | undefined {
  const rift = parts.creation._rift;
  const flowState = isObject(rift) && isObject(rift.flowState) ? rift.flowState : undefined;
  const { kept, others } = parts.warnings;
  if (kept.length === 0 && flowState === undefined) return undefined;
  if (profile === 'mountebank' && !usesRift(parts)) return undefined;
  const shown: JsonObject = {};
  if (kept.length > 0) shown.warnings = (others === undefined ? kept : [...kept, others]) as unknown as JsonObject[];
  if (flowState !== undefined) {
    shown.flowState = { backend: flowState.backend ?? 'inmemory', ttlSeconds: flowState.ttlSeconds ?? 300 };
    if (has(flowState, 'flowIdSource')) shown.flowState.flowIdSource = flowState.flowIdSource!;
  }
  return shown;
}

/** Keys of a creation request with a place and a rule of their own, or without meaning in a request. */
const ownKeys = new Set(
  (
    'protocol port name defaultResponse numberOfRequests stubCount enabled recordRequests recordMatches ' +
    'endOfRequestResolver allowCORS host defaultForward strictBehaviors serviceName serviceInfo requests stubs _links _rift'
  ).split(' '),
);

function addCustomFields(json: { [key: string]: unknown }, creation: ImposterJson): void {
  for (const key of Object.keys(creation)) if (!ownKeys.has(key) && !has(json, key)) json[key] = creation[key];
}

/** One imposter in one form. The result shares its parts with the imposter: serialize it, do not change it. */
export function imposterToJson(parts: ImposterParts, form: ImposterForm, options: JsonFormOptions): JsonObject {
  const { creation, port } = parts;
  const rift = options.profile === 'rift';
  const list = form === 'list';
  const base = options.linkBase ?? '';
  const json: { [key: string]: unknown } = { protocol: creation.protocol, port };
  if (creation.name) json.name = creation.name;
  if (creation.defaultResponse) json.defaultResponse = creation.defaultResponse;
  if (form !== 'replayable') json.numberOfRequests = parts.numberOfRequests;
  if (rift && list) json.stubCount = parts.stubs.length;
  if (!parts.enabled || (rift && form !== 'replayable')) json.enabled = parts.enabled;
  if (!list || rift) json.recordRequests = Boolean(creation.recordRequests);
  if (!list) {
    if (creation.recordMatches) json.recordMatches = true;
    for (const key of Object.keys(parts.metadata)) json[key] = parts.metadata[key];
    if (parts.custom && form === 'replayable') addCustomFields(json, creation);
  }
  if (creation.endOfRequestResolver) json.endOfRequestResolver = creation.endOfRequestResolver;
  if (creation.allowCORS) json.allowCORS = creation.allowCORS;
  if (creation.host) json.host = creation.host;
  if (!list) {
    if (has(creation, 'defaultForward')) json.defaultForward = creation.defaultForward;
    if (creation.strictBehaviors) json.strictBehaviors = true;
    if (has(creation, 'serviceName')) json.serviceName = creation.serviceName;
    if (has(creation, 'serviceInfo')) json.serviceInfo = creation.serviceInfo;
    if (form === 'full') json.requests = parts.requests;
    if (form === 'full' && !options.removeProxies) showLater(json, parts, base, () => stubsJson(parts, form, options));
    else json.stubs = stubsJson(parts, form, options);
  }
  if (form !== 'replayable') {
    json._links = { self: link(base, `/imposters/${port}`), stubs: link(base, `/imposters/${port}/stubs`) };
  }
  const extension =
    form === 'full' ? riftProjection(parts, options.profile) : form === 'replayable' ? creation._rift : undefined;
  if (extension !== undefined) json._rift = extension;
  return json as JsonObject;
}
