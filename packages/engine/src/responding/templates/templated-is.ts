// What templates mean for one `is` response: which tokens it expands by profile, when, and how its behaviors see it.

import { randomUUID } from 'node:crypto';
import type { Json, JsonObject, ResponseData, ResponseJson } from '../../model/types.js';
import type { RequestView } from '../../request-view.js';
import { storeUnavailable } from '../../state/flow-state.js';
import { substitute } from '../behaviors/substitution.js';
import type { ResponseContext } from '../compile.js';
import { withDates } from './dates.js';
import { PathPattern } from './path-pattern.js';
import { ResponseTemplate } from './response-template.js';

/** Nobody outside can write a sealed token. */
const SEAL = randomUUID();
const SEALED_TOKEN = new RegExp(`\\{\\{(?:NOW|(DAYS|MONTHS)([+-])(\\d+)):${SEAL}\\}\\}`, 'g');

export interface TemplatedIs {
  /** Fills the response before its behaviors; undefined: it is the same for every request. */
  readonly template: ResponseTemplate | undefined;
  /** The response as it goes into the behaviors where `template` is undefined. */
  readonly is: JsonObject;
  /** For responses with behaviors: what was filled, as behaviors see it. */
  forBehaviors(data: ResponseData): ResponseData;
  /** For responses with behaviors: expands the date tokens that are left when they have run. */
  afterBehaviors(data: ResponseData): ResponseData;
}

/** undefined: no token of this response is ever expanded. */
export function templatedIs(
  is: JsonObject,
  response: ResponseJson,
  stub: JsonObject,
  hasBehaviors: boolean,
  context: ResponseContext,
): TemplatedIs | undefined {
  const { profile, random, logger, imposter, strictTemplates } = context;
  const expressions = (response._rift as JsonObject | undefined)?.templated === true;
  const speaksHttp = imposter.protocol.name === 'http' || imposter.protocol.name === 'https';
  if (!speaksHttp || imposter.protocol.custom || (profile === 'mountebank' && !expressions)) return undefined;
  // what an upstream sent is no text of the configuration
  if (typeof is._proxyResponseTime === 'number') return undefined;

  const behaviors = behaviorsOf(response);
  // what such behaviors make of the body is searched for date tokens as a whole, since nobody knows what they put in
  const scripted = behaviors.some(
    (behavior) => behavior.decorate !== undefined || behavior.shellTransform !== undefined,
  );
  const binary = is._mode === 'binary';
  const dates = expressions || (!hasBehaviors && !binary);
  const sealing = hasBehaviors && !scripted && !dates && !binary;
  const structured = typeof is.body === 'object' && is.body !== null;
  let given = sealing ? { ...is, body: sealed(is.body) as Json } : is;
  if (structured && !hasBehaviors && profile === 'rift') given = withJsonType(given);
  const pattern = stub.routePattern ?? stub.route_pattern;

  const options = {
    expressions,
    dates,
    reserved: reservedTokens(behaviors),
    strict: strictTemplates,
    logger,
    random,
    state: (view: RequestView, key: string) => {
      const value = imposter.flow.store.get(imposter.flow.flowOf(view), key);
      return value instanceof Promise
        ? value.catch((error: unknown): never => {
            throw storeUnavailable(error);
          })
        : value;
    },
  };
  const template = ResponseTemplate.of(
    given,
    bodyText(given.body, profile === 'mountebank' ? 4 : 0),
    typeof pattern === 'string' ? new PathPattern(pattern) : undefined,
    options,
    { ...options, dates: expressions },
  );
  return {
    template,
    is: given,
    forBehaviors: (data) => (structured && typeof data.body === 'string' ? { ...data, body: parsed(data.body) } : data),
    afterBehaviors: (data) => {
      if (data._mode === 'binary' || (!scripted && !sealing)) return data;
      const now = new Date();
      const tokens = scripted ? undefined : SEALED_TOKEN;
      const body = substitute(data.body, (text) => unsealed(withDates(text, () => now, tokens)));
      return body === data.body ? data : { ...data, body };
    },
  };
}

/** With the type that JSON bodies of profile `rift` have: once tokens are filled in, the body is a text. */
function withJsonType(is: JsonObject): JsonObject {
  const headers = (is.headers ?? {}) as JsonObject;
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')) return is;
  return { ...is, headers: { ...headers, 'Content-Type': 'application/json' } };
}

/** A body as the text to look for tokens in; of what is no text, its JSON. */
function bodyText(body: unknown, indent: number): string | undefined {
  if (typeof body === 'string') return body;
  return typeof body === 'object' && body !== null ? JSON.stringify(body, null, indent) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function sealed(body: unknown): unknown {
  return substitute(body, (text) =>
    text.includes('{{') ? text.replace(/\{\{(NOW|(?:DAYS|MONTHS)[+-]\d+)\}\}/g, `{{$1:${SEAL}}}`) : text,
  );
}

/** Tokens whose date is out of range stay as they were written. */
function unsealed(text: string): string {
  return text.includes(SEAL) ? text.replaceAll(`:${SEAL}`, '') : text;
}

function behaviorsOf({ behaviors }: ResponseJson): readonly JsonObject[] {
  return Array.isArray(behaviors) ? (behaviors as JsonObject[]) : [];
}

/** What `copy` and `lookup` are to fill: never ours, so that what works in Mountebank goes on working. */
function reservedTokens(behaviors: readonly JsonObject[]): ReadonlySet<string> {
  const tokens = new Set<string>();
  for (const behavior of behaviors) {
    for (const type of ['copy', 'lookup']) {
      const into = (behavior[type] as JsonObject | undefined)?.into;
      if (typeof into === 'string') tokens.add(into);
    }
  }
  return tokens;
}
