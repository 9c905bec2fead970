// The head of a request to an upstream: the client's own target and header lines, byte for byte where nothing asks for
// a change, with the Host of the upstream.

import type { Json, JsonObject, RequestJson } from '../../../model/types.js';
import type { RequestView } from '../../../request-view.js';
import { HttpRequestView } from '../request-view.js';

/** Method, raw target, header lines and body as the client sent them. */
export interface RequestParts {
  readonly method: string;
  readonly target: string;
  /** name, value, name, value ... */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** Methods whose requests announce an empty body (RFC 9110 section 8.6). */
const EXPECTS_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** What came over the wire, or the nearest to it that a request given as JSON says. */
export function requestParts(view: RequestView): RequestParts {
  if (view instanceof HttpRequestView) {
    const { method, target, rawHeaders, body } = view.wire;
    return { method, target, rawHeaders, body };
  }
  const json = view.toJSON();
  return {
    method: String(json.method ?? 'GET'),
    target: targetOf(json),
    rawHeaders: headerLines(json.headers),
    body: view.rawBody,
  };
}

function targetOf({ path, query }: RequestJson): string {
  const pairs = Object.entries((query ?? {}) as { [name: string]: unknown }).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`),
  );
  return `${String(path ?? '/')}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
}

function headerLines(headers: unknown): string[] {
  return Object.entries((headers ?? {}) as { [name: string]: unknown }).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => [name, String(one)]),
  );
}

/**
 * `pathRewrite: {from, to}`: the first `from` in the path is replaced, as plain text; `basePath` is what stands in front
 * (`defaultForward`). The query keeps every byte.
 */
export function upstreamTarget(target: string, basePath: string, pathRewrite: Json | undefined): string {
  const end = target.indexOf('?');
  let path = end < 0 ? target : target.slice(0, end);
  if (typeof pathRewrite === 'object' && pathRewrite !== null && !Array.isArray(pathRewrite)) {
    const { from, to } = pathRewrite;
    if (typeof from === 'string' && from !== '') path = path.replace(from, () => String(to ?? ''));
  }
  return `${basePath}${path}${end < 0 ? '' : target.slice(end)}`;
}

/**
 * Header lines for the upstream, flat. The client's lines in their order; `host` of the upstream where the client's
 * stood; injected headers instead of the client's lines of the same name in any case, new ones at the end; the connection
 * is to be kept unless the client or the configuration says otherwise.
 */
export function upstreamHeaders(parts: RequestParts, host: string, inject: JsonObject): string[] {
  const injected = new Map<string, [name: string, values: string[]]>();
  for (const [name, value] of Object.entries(inject))
    injected.set(name.toLowerCase(), [name, [value].flat().map(String)]);
  if (!injected.has('host')) injected.set('host', ['host', [host]]);

  const lines: string[] = [];
  const write = (lowerName: string) => {
    const [name, values] = injected.get(lowerName)!;
    for (const value of values) lines.push(name, value);
  };
  const written = new Set<string>();
  let framed = false;
  let connection = injected.has('connection');
  for (let i = 0; i < parts.rawHeaders.length; i += 2) {
    const name = parts.rawHeaders[i];
    const lowerName = name.toLowerCase();
    if (lowerName === 'content-length' || lowerName === 'transfer-encoding') framed = true;
    if (lowerName === 'connection') connection = true;
    if (!injected.has(lowerName)) lines.push(name, parts.rawHeaders[i + 1]);
    else if (!written.has(lowerName)) {
      written.add(lowerName);
      write(lowerName);
    }
  }
  for (const lowerName of injected.keys()) if (!written.has(lowerName)) write(lowerName);
  if (!connection) lines.push('Connection', 'keep-alive');
  framed ||= injected.has('content-length') || injected.has('transfer-encoding');
  if (!framed && (parts.body.length > 0 || EXPECTS_BODY.has(parts.method))) {
    lines.push('Content-Length', String(parts.body.length));
  }
  return lines;
}
