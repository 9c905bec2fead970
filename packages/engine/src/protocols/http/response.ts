// From a resolved response to what goes on the wire: defaults merged, body and headers turned into bytes.
// Mountebank docs: protocols/http; the differences of profile `rift` are in docs/profiles.md.

import { markerHeader } from '../../errors.js';
import type { JsonObject } from '../../model/types.js';
import type { Origin, ResponseOutcome } from '../../responding/types.js';
import type { ImposterCore } from '../types.js';
import { bodyBytes } from './body-bytes.js';

export interface ResponseParts {
  statusCode: number | string;
  headers: [name: string, value: string][];
  body: Buffer;
  /** `keep`: a Content-Length header is sent as it stands, and none is added. */
  ownLength?: 'keep';
}

/** The answer to one request, complete but for framing and connection headers. */
export function responseParts(outcome: ResponseOutcome, core: ImposterCore, method: string): ResponseParts {
  const { profile } = core;
  const { data, origin, rawBody } = outcome;
  const defaults = core.creation.defaultResponse as JsonObject | undefined;
  // profile `rift` uses the default response only when no stub matched
  const asItStands = origin === 'forward' || origin === 'script' || origin === 'fault' || origin === 'debug';
  const mergesAlways = profile === 'mountebank' && !asItStands;
  const merged = origin === 'none' || mergesAlways ? defaults : undefined;
  const pick = (key: string): unknown => data[key] || merged?.[key];

  let headers = headerLines(pick('headers'));
  const value = pick('body');
  const markers = [...(outcome.markers ?? [])];
  // an upstream's empty body falls back to the default like any other
  const body = rawBody?.length ? rawBody : bodyBytes(value, pick('_mode'), core, markers);
  const ownLength = keepsLength(outcome, method) ? 'keep' : undefined;
  for (const header of ownLength ? [] : headers) {
    // a stub's length is a wish to have one, its value never counts
    if (header[0].toLowerCase() === 'content-length') header[1] = String(body.length);
  }
  const statusCode = (pick('statusCode') as number | string | undefined) || 200;
  if (profile === 'rift') {
    if (Number(statusCode) === 204) headers = headers.filter(([name]) => name.toLowerCase() !== 'transfer-encoding');
    if (rawBody === undefined && isJsonBody(value) && !hasHeader(headers, 'content-type')) {
      headers.push(['Content-Type', 'application/json']);
    }
    headers.push(...riftMarkers(origin, defaults !== undefined));
  }
  for (const marker of markers) headers.push(markerHeader(marker));
  return { statusCode, headers, body, ownLength };
}

/**
 * Whether the length is not that of the body at hand: the body is still arriving, or the answer came from an upstream
 * and has no body because its kind has none (RFC 9110 sections 8.6 and 15.4.5).
 */
export function keepsLength({ data, origin, stream }: ResponseOutcome, method: string): boolean {
  if (stream !== undefined) return true;
  const proxied = origin === 'forward' || typeof data._proxyResponseTime === 'number';
  return proxied && !data.body && (method === 'HEAD' || data.statusCode === 304);
}

function riftMarkers(origin: Origin, hasDefault: boolean): [string, string][] {
  if (origin === 'debug' || origin === 'fault') return [];
  const markers: [string, string][] = [['x-rift-imposter', 'true']];
  if (origin === 'none') markers.push([hasDefault ? 'x-rift-default-response' : 'x-rift-no-match', 'true']);
  else if (origin === 'proxy' || origin === 'inject') markers.push([`x-rift-${origin}`, 'true']);
  return markers;
}

function isJsonBody(value: unknown): boolean {
  return typeof value === 'object' ? value !== null : typeof value === 'number' || typeof value === 'boolean';
}

function hasHeader(headers: readonly (readonly [string, string])[], lowerName: string): boolean {
  return headers.some(([name]) => name.toLowerCase() === lowerName);
}

function headerLines(value: unknown): [string, string][] {
  const lines: [string, string][] = [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return lines;
  for (const [name, given] of Object.entries(value)) {
    // a length is one, whatever it was written as
    if (Array.isArray(given) && name.toLowerCase() === 'content-length') lines.push([name, String(given[0])]);
    else if (Array.isArray(given)) for (const element of given) lines.push([name, String(element)]);
    else lines.push([name, String(given)]);
  }
  return lines;
}
