// Random http requests and predicates near the boundary between match and no match: a predicate is made from the values
// of a request and then bent (case, part of a text, number for text, element for array, missing or added key), and the
// request is bent once more before it is sent. Everything comes from one seeded source.

import type { Random } from './random.fixture.js';

/** A request as a client can send it; the receiving side adds `requestFrom` and `ip`. */
export interface GeneratedRequest {
  method: string;
  path: string;
  /** Pairs in order. */
  query: [string, string][];
  headers: [string, string][];
  body: string;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const names = ['a', 'A', 'b', 'Bc', 'c'];
const memberNames = [...names, ''];
const headerNames = ['X-T', 'x-t', 'X-Alpha', 'x-beta'];
const words = [
  'x',
  'X',
  'xy',
  'Yx',
  'y',
  '1',
  '10',
  '2.5',
  'true',
  'null',
  'Éa',
  'a b',
  'abc',
  'ABC',
  'n-1',
  '',
  'zzz',
];
const paths = ['/', '/a', '/A', '/a/b', '/orders/12', '/Orders/7', '/abc', '/x/y/z', '/a%20b'];
const methods = ['GET', 'POST', 'PUT', 'DELETE'];
const excepts = ['\\d', '\\d+', 'x', 'X$', '^/', '[a-c]', '^a', 'y+'];
const selectors = [
  '$.a',
  '$.A',
  '$.b',
  '$..a',
  '$.*',
  '$..*',
  '$',
  '$.a.b',
  '$.a[0]',
  '$.a[*]',
  '$[0]',
  '$.a[-1:]',
  '$.a[0,1]',
  '$.a[(@.length-1)]',
  '$..[?(@.a)]',
  '$.c[?(@.a > 1)].b',
  "$.c[?(@.a == 'x')]",
  '$.Bc.a',
  'a.b',
  '$.a[',
  "$['a']",
  '$..a.b',
  '$.c[?(@.b < 5 || @.a)].a',
  '$.a.length',
  '$.c[1:]',
  '$.c[:1].a',
  '$.nosuch',
  "$..[?(@.a=='x')].b",
  '$.a[?(@.b==1)]',
  '$.c[?(@.b==10 && @.a)].a',
  "$.b[?(@.A==='X')]",
  "$[?(@.a == 'true')].a",
  '$[?(@.a==true)].b',
  "$..[?(@.c=='1')]",
  '$.*.a',
  '$..b[*]',
  '$..c[0]',
  '$.a[1].b',
  '$.a[:2]',
  '$..[?(@.b >= 1)].Bc',
];
const xpaths = [
  '//a',
  '//A',
  '/r/a',
  '//a/b',
  '//@id',
  '//a/@id',
  "//a[@id='1']",
  "//a[@id='X']",
  'count(//a)',
  'boolean(//b)',
  '//a[1]',
  '//a[last()]',
  '//a/text()',
  '/r/*',
  '//*',
  '//b | //c',
  "//a[contains(., 'x')]",
  "//*[local-name()='a']",
  '//nosuch',
  '//q:a',
  '/r/q:a',
  '/r/a[b]/@id',
  '//a[b=1]',
  "//a[@id='x']/b",
  "//a[@id='1'][1]/text()",
  "//b[@id='ab']/@id",
  '/r/a[1]/b',
  "/R/a[@id='x'][b]/c",
  '//a[2]//c',
  '/r//b[c]',
  "/*[@id='1']/a",
  "//a[not(b)][contains(@id, 'x')]",
  "//*[starts-with(name(), 'b')]/text()",
  '//b[string-length(normalize-space(.)) = 1]',
  "//a[contains(b, 'x')]/b",
  "boolean(//a[@id='x'])",
  '//text()',
  '/text()',
  '//node()',
  '//comment()',
  '//*[last()]/@*',
];

function value(random: Random): string {
  return random.pick(words);
}

function json(random: Random, depth: number): Json {
  const kind = random.below(depth > 0 ? 9 : 6);
  if (kind < 3) return value(random);
  if (kind === 3) return random.pick([0, 1, 2, 10, -1, 2.5, 1e21]);
  if (kind === 4) return random.pick([true, false, null]);
  if (kind === 5) return random.chance(0.3) ? JSON.stringify(json(random, 1)) : value(random);
  if (kind === 6) return Array.from({ length: random.below(4) }, () => json(random, depth - 1));
  return object(random, depth - 1);
}

function object(random: Random, depth: number): { [key: string]: Json } {
  const result: { [key: string]: Json } = {};
  for (let count = random.below(4); count >= 0; count--) result[random.pick(memberNames)] = json(random, depth);
  return result;
}

function xml(random: Random, depth: number, name = 'r'): string {
  const tag = random.chance(0.15) ? name.toUpperCase() : name;
  const attribute = random.chance(0.4) ? ` id="${random.pick(['1', 'x', 'X', 'ab'])}"` : '';
  if (random.chance(0.1)) return `<${tag}${attribute}/>`;
  let content = '';
  for (let count = random.below(4); count >= 0; count--) {
    content += depth > 0 && random.chance(0.7) ? xml(random, depth - 1, random.pick(['a', 'b', 'c'])) : value(random);
  }
  return `<${tag}${attribute}>${content}</${tag}>`;
}

/** Told apart by blanks; the empty one is a blank. */
const scraps =
  '<a> </a> <b\tid="1"> </b> <b/> <A> </A> </a\t> <r> </r> <q:a> </q:a> <a\txmlns="u"> < > </ /> <1> <!x> <!-- --> ' +
  '<!--c--> <![CDATA[ <![CDATA[X]]> ]]> <?p ?> & &amp; &LT; &bad; &#65; &#X41; " \' = \n \r\n \0 \u2028 \ufeff x  ' +
  '<a\tid=1> <a\tid> <a\tid="1"\tid="x"> <a\tid="x"id="1"> <a\tid="x x<a\tid="x">y</a> </b></a>';
const scrapList = scraps.split(' ').map((scrap) => scrap || ' ');

/** Cut off, or with scraps of XML put in or in place of something: seldom well-formed. */
function brokenXml(random: Random, text: string): string {
  let broken = text;
  for (let count = random.below(3); count >= 0; count--) {
    const at = random.below(broken.length + 1);
    const kind = random.below(5);
    if (kind === 0) broken = broken.slice(0, at);
    else if (kind === 1) broken = broken.slice(0, at) + broken.slice(at + random.below(6));
    else broken = broken.slice(0, at) + random.pick(scrapList) + broken.slice(at + random.below(3));
  }
  return broken;
}

function pairs(random: Random, keys: readonly string[], most: number): [string, string][] {
  return Array.from({ length: random.below(most + 1) }, () => [random.pick(keys), value(random)]);
}

/** A header value is trimmed on the wire and is never empty here (Mountebank loses an empty first value). */
function headerPairs(random: Random): [string, string][] {
  return pairs(random, headerNames, 3)
    .map(([name, text]): [string, string] => [name, random.chance(0.1) ? JSON.stringify(json(random, 1)) : text])
    .map(([name, text]): [string, string] => [name, /^[!-~]+$/.test(text) ? text : 'plain']);
}

export function generateRequest(random: Random): GeneratedRequest {
  const headers = headerPairs(random);
  let body = '';
  const kind = random.below(8);
  if (kind < 3) body = JSON.stringify(json(random, 3));
  else if (kind === 3) body = random.chance(0.5) ? brokenXml(random, xml(random, 3)) : xml(random, 3);
  else if (kind === 4) body = value(random);
  else if (kind === 5) {
    headers.push(['Content-Type', 'application/x-www-form-urlencoded']);
    body = encodePairs(pairs(random, names, 4));
  }
  return { method: random.pick(methods), path: random.pick(paths), query: pairs(random, names, 3), headers, body };
}

/** The same request with one thing changed. */
export function bendRequest(random: Random, request: GeneratedRequest): GeneratedRequest {
  const other = generateRequest(random);
  switch (random.below(7)) {
    case 0:
      return { ...request, path: other.path };
    case 1:
      return { ...request, method: other.method };
    case 2:
      return { ...request, query: other.query };
    case 3:
      return { ...request, headers: other.headers };
    case 4:
      return { ...request, body: other.body, headers: other.headers };
    default:
      return request;
  }
}

export function encodePairs(list: readonly [string, string][]): string {
  return list.map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`).join('&');
}

function collect(list: readonly [string, string][]): { [name: string]: string | string[] } {
  const result: { [name: string]: string | string[] } = {};
  for (const [name, text] of list) {
    const known = result[name];
    if (known === undefined) result[name] = text;
    else if (Array.isArray(known)) known.push(text);
    else result[name] = [known, text];
  }
  return result;
}

/** The request object as an imposter sees it. */
export function requestObject(request: GeneratedRequest): { [field: string]: unknown } {
  const isForm = request.headers.some(([name]) => name === 'Content-Type');
  return {
    requestFrom: '127.0.0.1:50000',
    method: request.method,
    path: request.path,
    query: collect(request.query),
    headers: collect(request.headers),
    body: request.body,
    ip: '127.0.0.1',
    ...(isForm && request.body !== ''
      ? { form: Object.fromEntries([...Object.entries(collect([...new URLSearchParams(request.body)]))]) }
      : {}),
  };
}

function flipCase(text: string): string {
  return text.toLowerCase() === text ? text.toUpperCase() : text.toLowerCase();
}

/** A text that is related to the given one. */
function bendText(random: Random, text: string): Json {
  switch (random.below(9)) {
    case 0:
      return flipCase(text);
    case 1:
      return text.slice(0, random.below(text.length + 1));
    case 2:
      return text.slice(random.below(text.length + 1));
    case 3:
      return Number.isNaN(Number(text)) || text === '' ? text : Number(text);
    case 4:
      return `${text}${value(random)}`;
    case 5:
      return random.chance(0.5) ? value(random) : random.pick([null, true, 1, '']);
    default:
      return text;
  }
}

/** An operand that is related to a value of the request; texts that are JSON are often opened. */
function bend(random: Random, actual: unknown, depth: number): Json {
  if (actual === undefined) return json(random, 1);
  if (typeof actual === 'string') {
    if (depth > 0 && random.chance(0.8)) {
      try {
        const parsed: unknown = JSON.parse(actual);
        if (typeof parsed === 'object') return bend(random, parsed, depth);
      } catch {
        // No JSON: bent as a text.
      }
    }
    return bendText(random, actual);
  }
  if (Array.isArray(actual)) {
    if (random.chance(0.35) && actual.length > 0) return bend(random, random.pick(actual), depth - 1);
    const some = actual.filter(() => random.chance(0.8)).map((item) => bend(random, item, depth - 1));
    if (random.chance(0.5)) some.reverse();
    if (random.chance(0.1)) some.push(json(random, 1));
    return some;
  }
  if (typeof actual === 'object' && actual !== null) {
    const result: { [key: string]: Json } = {};
    for (const [key, inner] of Object.entries(actual)) {
      if (random.chance(0.3)) continue;
      result[random.chance(0.15) ? flipCase(key) : key] = bend(random, inner, depth - 1);
    }
    if (random.chance(0.1)) result[random.pick(memberNames)] = json(random, 1);
    return result;
  }
  return random.chance(0.2) ? json(random, 1) : random.chance(0.3) ? String(actual) : (actual as Json);
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** The operand of `matches`: patterns made of the texts of a bent operand. */
function patterns(random: Random, operand: Json): Json {
  if (Array.isArray(operand)) return operand.map((item) => patterns(random, item));
  if (typeof operand === 'object' && operand !== null) {
    return Object.fromEntries(Object.entries(operand).map(([key, inner]) => [key, patterns(random, inner)]));
  }
  if (typeof operand !== 'string') return operand;
  const plain = escapeRegex(operand);
  return random.pick([
    plain,
    `^${plain}`,
    `${plain}$`,
    `^${plain}$`,
    '^\\w+$',
    '\\d+',
    `(${plain}|zzz)`,
    `[${escapeRegex(operand.slice(0, 2)) || 'q'}]`,
    `^(?!${plain})`,
    `${plain}?.`,
    '^\\W',
    '.',
    '^$',
    `(?:${plain}){1,2}`,
    '^[^a]*$',
    '\\bx',
    '(.)\\1',
  ]);
}

/** The operand of `exists`: wishes for presence where a bent operand has texts. */
function wishes(random: Random, operand: Json): Json {
  if (Array.isArray(operand)) return random.chance(0.5);
  if (typeof operand === 'object' && operand !== null) {
    return Object.fromEntries(Object.entries(operand).map(([key, inner]) => [key, wishes(random, inner)]));
  }
  return random.chance(0.9) ? random.chance(0.6) : random.pick(['', 'no', 0, null, 1]);
}

const leafOperators = ['equals', 'deepEquals', 'contains', 'startsWith', 'endsWith', 'matches', 'exists'] as const;
const fields = ['method', 'path', 'query', 'headers', 'body', 'body', 'form', 'ip', 'nosuch'];

export function generatePredicate(random: Random, near: GeneratedRequest, depth = 2): { [key: string]: Json } {
  if (depth > 0 && random.chance(0.15)) {
    const child = () => generatePredicate(random, near, depth - 1);
    if (random.chance(0.4)) return { not: child() };
    return { [random.pick(['and', 'or'])]: Array.from({ length: random.below(4) }, child) };
  }
  const operator = random.pick(leafOperators);
  const request = requestObject(near);
  const isXml = near.body.includes('<');
  const operand: { [key: string]: Json } = {};
  const predicate: { [key: string]: Json } = { [operator]: operand };
  if (random.chance(0.3)) predicate.caseSensitive = random.pick([true, true, false, 1]);
  if (random.chance(0.1)) predicate.keyCaseSensitive = random.pick([true, false]);
  if (random.chance(0.15)) predicate.except = random.pick(excepts);
  const selects = random.chance(isXml ? 0.8 : 0.25);
  if (selects) {
    if (isXml || random.chance(0.1)) predicate.xpath = { selector: random.pick(xpaths) };
    else predicate.jsonpath = { selector: random.pick(selectors) };
  }
  const count = selects ? 1 : random.pick([1, 1, 1, 2, 3]);
  for (let at = 0; at < count; at++) {
    const field = selects && random.chance(0.9) ? 'body' : random.pick(fields);
    let part = bend(random, selects ? selectedNear(random, near) : request[field], 3);
    if (operator === 'matches') part = patterns(random, part);
    if (operator === 'exists') part = wishes(random, part);
    operand[random.chance(0.1) ? flipCase(field) : field] = part;
  }
  return predicate;
}

/** A value that a selector might find in the body. */
function selectedNear(random: Random, near: GeneratedRequest): unknown {
  if (near.body.includes('<')) {
    const texts = near.body.match(/[^<>="\s]+/g) ?? [];
    return random.chance(0.8) ? random.pick(texts) : [random.pick(texts), random.pick(texts)];
  }
  try {
    let value: unknown = JSON.parse(near.body);
    while (typeof value === 'object' && value !== null && random.chance(0.8)) {
      const members = Object.values(value);
      if (members.length === 0) break;
      value = random.pick(members);
    }
    return value;
  } catch {
    return near.body;
  }
}
