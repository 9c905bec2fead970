// Path and query of a request target, as the WHATWG URL parser gives them (which is what Mountebank uses), without
// paying for that parser on the targets that everybody sends.

import { parse as parseQueryString } from 'node:querystring';
import type { FamilyVisitor } from '@rift-ts/classifier';
import type { KnownText } from '@rift-ts/http';

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

/** Longer queries are taken apart once instead of being searched for each name. */
const LONGEST_SEARCHED = 512;
/** So many parameters that were asked for are remembered with a target. */
const MOST_REMEMBERED = 8;
/** What has to be decoded, or folds by other rules than ASCII. */
const NOT_PLAIN = /[%+\u0080-\uffff]/;

const none: never[] = [];

/** What is asked of a target, each made when it is first asked for. Follows from the target alone. */
export class Target {
  readonly #text: string;
  #path: string | undefined;
  #foldedPath: string | undefined;
  #rawQuery: string | undefined;
  #isPlain: boolean | undefined;
  #query: Fields | undefined;
  /** Parameters that were asked for, and what was found. */
  #names: string[] = none;
  #values: (string | readonly string[] | undefined)[] = none;
  /** Folded name, begin and end of each parameter of a plain query. */
  #parts: { readonly names: string[]; readonly begins: number[]; readonly ends: number[] } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** That of a text which the wire layer may have met before. */
  static of(known: KnownText): Target {
    known.data ??= new Target(known.text);
    return known.data as Target;
  }

  get path(): string {
    this.#path ??= pathOf(this.#text);
    return this.#path;
  }

  get foldedPath(): string {
    this.#foldedPath ??= this.path.toLowerCase();
    return this.#foldedPath;
  }

  get rawQuery(): string {
    this.#rawQuery ??= rawQueryOf(this.#text);
    return this.#rawQuery;
  }

  /**
   * Value of the query parameter whose folded name is given: one text, or all of a name that is repeated; of names that
   * fold alike the last one counts. Shared: never change it.
   */
  parameter(foldedName: string): string | readonly string[] | undefined {
    const names = this.#names;
    for (let at = 0; at < names.length; at++) if (names[at] === foldedName) return this.#values[at];
    const value = this.#find(foldedName);
    if (names.length === 0) {
      this.#names = [foldedName];
      this.#values = [value];
    } else if (names.length < MOST_REMEMBERED) {
      names.push(foldedName);
      this.#values.push(value);
    }
    return value;
  }

  #find(foldedName: string): string | readonly string[] | undefined {
    if (this.#query === undefined && this.#plain) {
      const found = plainParameter(this.rawQuery, foldedName);
      if (found !== null) return found;
    }
    return lastFolding(this.#fields, foldedName);
  }

  /** Visits all parameters by folded name, those too after which the name comes again in another case. */
  visitParameters(visitor: FamilyVisitor): void {
    if (!this.#plain) {
      visitFolded(this.#fields, visitor);
      return;
    }
    const query = this.rawQuery;
    this.#parts ??= partsOf(query);
    const { names, begins, ends } = this.#parts;
    for (let at = 0; at < names.length; at++) {
      if (visitor.name(names[at])) visitor.text(query.slice(begins[at], ends[at]));
    }
  }

  get #plain(): boolean {
    this.#isPlain ??= this.rawQuery.length <= LONGEST_SEARCHED && !NOT_PLAIN.test(this.rawQuery);
    return this.#isPlain;
  }

  get #fields(): Fields {
    this.#query ??= parsePairs(this.rawQuery);
    return this.#query;
  }
}

/** Names and places of the values in a query in which nothing has to be decoded. */
function partsOf(query: string) {
  const names: string[] = [];
  const begins: number[] = [];
  const ends: number[] = [];
  for (let start = 0; start < query.length; ) {
    let end = query.indexOf('&', start);
    if (end < 0) end = query.length;
    if (end > start) {
      const equals = query.indexOf('=', start);
      const nameEnd = equals < 0 || equals > end ? end : equals;
      names.push(query.slice(start, nameEnd).toLowerCase());
      begins.push(Math.min(nameEnd + 1, end));
      ends.push(end);
    }
    start = end + 1;
  }
  return { names, begins, ends };
}

/** Visits all texts by folded name. */
export function visitFolded(fields: Fields, visitor: FamilyVisitor): void {
  for (const name in fields) {
    const texts = fields[name];
    const folded = name.toLowerCase();
    if (typeof texts === 'string') {
      if (visitor.name(folded)) visitor.text(texts);
    } else if (visitor.name(folded)) {
      for (const text of texts) visitor.text(text);
    }
  }
}

/** The value of a name that is there once; undefined when it is not there, null when it is repeated. */
function plainParameter(query: string, foldedName: string): string | undefined | null {
  const { length } = foldedName;
  // the first one ends a name
  if (foldedName.includes('=')) return undefined;
  let found: string | undefined;
  for (let start = 0; start < query.length; ) {
    let end = query.indexOf('&', start);
    if (end < 0) end = query.length;
    const after = start + length;
    // `&&` has no name, not even the empty one
    if (
      after <= end &&
      end > start &&
      (after === end || query.charCodeAt(after) === 0x3d) &&
      folds(query, start, foldedName)
    ) {
      if (found !== undefined) return null;
      found = query.slice(after + 1, Math.max(end, after + 1));
    }
    start = end + 1;
  }
  return found;
}

function folds(query: string, start: number, foldedName: string): boolean {
  for (let at = 0; at < foldedName.length; at++) {
    const unit = query.charCodeAt(start + at);
    if ((unit >= 0x41 && unit <= 0x5a ? unit + 32 : unit) !== foldedName.charCodeAt(at)) return false;
  }
  return true;
}

/** Value of the last name that folds to the given one. */
export function lastFolding(fields: Fields, foldedName: string): string | string[] | undefined {
  let found: string | string[] | undefined;
  for (const name in fields) {
    if (name === foldedName || name.toLowerCase() === foldedName) {
      found = fields[name];
    }
  }
  return found;
}
