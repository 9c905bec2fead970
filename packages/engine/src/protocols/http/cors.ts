// CORS of an imposter (`allowCORS`). Profile `mountebank` answers preflights by echoing what they ask for; profile
// `rift` opens every answer. Names are compared without case, and a name that is there keeps its spelling.

import type { Profile } from '../../model/types.js';
import type { HttpRequestView } from './request-view.js';
import type { ResponseParts } from './response.js';

export function addCorsHeaders(parts: ResponseParts, view: HttpRequestView, profile: Profile): void {
  if (profile === 'rift') {
    openToAllOrigins(parts);
    return;
  }
  const preflight = preflightOf(view);
  if (preflight === undefined) return;
  if (preflight.headers) set(parts, 'Access-Control-Allow-Headers', preflight.headers);
  set(parts, 'Access-Control-Allow-Methods', preflight.method);
  set(parts, 'Access-Control-Allow-Origin', preflight.origin);
}

/** Profile `rift`: whatever of the three headers is missing allows everything. */
export function openToAllOrigins({ headers }: ResponseParts): void {
  for (const name of ['Access-Control-Allow-Origin', 'Access-Control-Allow-Headers', 'Access-Control-Allow-Methods']) {
    if (!headers.some(([present]) => present.toLowerCase() === name.toLowerCase())) headers.push([name, '*']);
  }
}

function preflightOf(
  view: HttpRequestView,
): { origin: string; method: string; headers: string | undefined } | undefined {
  if (view.method !== 'OPTIONS') return undefined;
  const origin = view.wire.header('origin');
  const method = view.wire.header('access-control-request-method');
  if (!origin || !method) return undefined;
  return { origin, method, headers: view.wire.header('access-control-request-headers') };
}

function set(parts: ResponseParts, name: string, value: string): void {
  let found = false;
  for (const header of parts.headers) {
    if (header[0].toLowerCase() === name.toLowerCase()) {
      header[1] = value;
      found = true;
    }
  }
  if (!found) parts.headers.push([name, value]);
}
