// Path and query of a request target, as the WHATWG URL parser gives them (which is what Mountebank uses), without
// paying for that parser on the targets that everybody sends.

import { parse as parseQueryString } from 'node:querystring';

/** Names to values; a repeated name has an array. Without a prototype, so that no name is special. */
export type Fields = { [name: string]: string | string[] };

/** At most this many pairs of a query or form are read; the rest is ignored. */
const MAX_PAIRS = 1000;

// Everything that the URL parser would touch: dot segments, backslash, fragment, characters that it percent-encodes.
const NEEDS_URL_PARSER = /[\\"<>`{}^|#\u0000-\u0020\u007f-\uffff]|\/\.|\/%2e/i;

/** Path of a raw request target: percent-escapes untouched, dot segments resolved, fragment dropped. */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  if (path.charCodeAt(0) === 0x2f /* / */) {
    if (!NEEDS_URL_PARSER.test(path)) return path;
    // a host of our own in front keeps `//a/b` a path instead of letting `a` become the host
    return parseUrl(`http://h${path}`)?.pathname ?? path;
  }
  return parseUrl(target)?.pathname ?? path;
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text, 'http://h');
  } catch {
    return undefined;
  }
}

/** Text between the first `?` and the fragment; empty when there is none. */
export function rawQueryOf(target: string): string {
  const start = target.indexOf('?');
  if (start === -1) return '';
  const end = target.indexOf('#');
  if (end === -1) return target.slice(start + 1);
  return end < start ? '' : target.slice(start + 1, end);
}

/** Decodes a query or an `application/x-www-form-urlencoded` body (same rules for both). */
export function parsePairs(text: string): Fields {
  return parseQueryString(text, '&', '=', { maxKeys: MAX_PAIRS }) as Fields;
}
