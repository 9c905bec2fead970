// What a stub would answer next, in short: for people who ask which stub a request meets.

import { flatKeys, typesOf } from '../model/response-types.js';
import { has, isObject } from '../model/shapes.js';
import { plainResponse } from '../model/stub-plan.js';
import type { JsonObject, Profile, ResponseJson, StubJson } from '../model/types.js';

/** Keys in the order in which they are shown. */
export interface ResponsePreview {
  readonly responseType: 'is' | 'proxy' | 'inject' | 'fault' | '_rift' | 'unknown';
  statusCode?: number;
  headers?: { [name: string]: string };
  bodyPreview?: string;
}

const mostBodyBytes = 500;
const mostScriptBytes = 50;

/** `response`: the one that is served next; undefined when the stub has none. */
export function responsePreview(
  response: ResponseJson | undefined,
  stub: StubJson,
  profile: Profile,
  speaksHttp: boolean,
): ResponsePreview {
  if (response === undefined) return { responseType: 'unknown' };
  const { _rift: rift } = response;
  if (isObject(rift) && typesOf(response).length === 0 && !flatKeys.some((key) => has(response, key))) {
    return { responseType: '_rift', bodyPreview: riftText(rift) };
  }
  const plain = plainResponse(response, stub, profile);
  if (plain.is) return isPreview(plain.is, speaksHttp);
  if (plain.proxy) {
    return { responseType: 'proxy', bodyPreview: `Proxy to: ${String((plain.proxy as JsonObject).to)}` };
  }
  if (plain.inject) {
    return { responseType: 'inject', bodyPreview: `JavaScript inject: ${cut(String(plain.inject), mostScriptBytes)}` };
  }
  return { responseType: 'fault', bodyPreview: `Fault: ${String(plain.fault)}` };
}

function riftText(rift: JsonObject): string {
  if (isObject(rift.script)) return 'Rift script response';
  return isObject(rift.fault) ? 'Rift fault injection' : 'Rift extension response';
}

function isPreview(is: unknown, speaksHttp: boolean): ResponsePreview {
  const config = isObject(is) ? is : {};
  const preview: ResponsePreview = { responseType: 'is' };
  if (speaksHttp) {
    preview.statusCode = Number(config.statusCode ?? 200) || 200;
    const headers = Object.entries(isObject(config.headers) ? config.headers : {}).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(String).join(', ') : String(value),
    ]);
    if (headers.length > 0) preview.headers = Object.fromEntries(headers);
  }
  const body = speaksHttp ? config.body : (config.data ?? config.body);
  if (body !== undefined && body !== null && body !== '') {
    preview.bodyPreview = cut(typeof body === 'string' ? body : JSON.stringify(body), mostBodyBytes);
  }
  return preview;
}

/** At most so many bytes of UTF-8, whole characters only, and `...` if something is missing. */
function cut(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= mostBytes) return text;
  let end = mostBytes;
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}...`;
}
