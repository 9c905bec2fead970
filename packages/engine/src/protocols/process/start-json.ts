// The last argument of the process that speaks a custom protocol: all it has to know, as JSON. Mountebank docs:
// protocols/custom.

import type { ImposterJson, JsonObject } from '../../model/types.js';

/** Fields of a creation request that are the server's business, or have a place of their own. */
const NOT_PASSED = new Set(['protocol', 'port', 'name', 'recordRequests', 'stubs', 'defaultResponse']);

export interface StartOptions {
  /** `http://localhost:2525/imposters/:port/_requests`; the process replaces `:port`. */
  readonly callbackURLTemplate: string;
  readonly loglevel: string;
  readonly allowInjection: boolean;
  /** What callbacks have to carry in the header `X-Api-Key`, when the admin API asks for it. */
  readonly apikey?: string;
  /** Bind address of imposters that name none. */
  readonly host?: string;
}

/** Keys in Mountebank's order. */
export function startJson(creation: ImposterJson, options: StartOptions): JsonObject {
  const json: JsonObject = {};
  if (creation.port !== undefined && Number(creation.port) !== 0) json.port = Number(creation.port);
  json.callbackURLTemplate = options.callbackURLTemplate;
  json.loglevel = options.loglevel;
  json.allowInjection = options.allowInjection;
  if (options.apikey !== undefined) json.apikey = options.apikey;
  for (const [key, value] of Object.entries(creation)) if (!NOT_PASSED.has(key)) json[key] = value;
  if (options.host !== undefined && creation.host === undefined) json.host = options.host;
  if (creation.defaultResponse) json.defaultResponse = creation.defaultResponse;
  return json;
}
