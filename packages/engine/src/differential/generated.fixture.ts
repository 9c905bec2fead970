// Rows made by chance: answers and requests in combinations that nobody would write down. Left out is what the intended
// differences touch: bodies that are neither text nor absent beside a length or binary mode (F20), requests behind one
// whose answer closes the connection, own headers in `matches`.

import type { Random } from '../matching/testing/random.fixture.js';
import type { Json, JsonObject } from '../model/types.js';
import type { DifferentialCase } from './case.fixture.js';

const TEXTS = ['', 'hi', 'héllo', 'AQID', 'x'.repeat(3000)] as const;
const VALUES: readonly Json[] = [{ a: 1 }, [1], true, null, false, 0];
const STATUSES: readonly Json[] = [200, '201', 204, 304, 404, 100, 205, 500, 0, 'x'];
const HEADERS: readonly (readonly [name: string, values: readonly Json[]])[] = [
  ['X-A', ['a', '', 5, true, null, ['a', 'b'], []]],
  ['x-a', ['b']],
  ['10', ['first']],
  ['Set-Cookie', [['a=1', 'b=2'], 'c=3']],
  ['Connection', ['keep-alive', 'close', '', 'Keep-Alive']],
  ['connection', ['keep-alive', 'close']],
  ['Content-Type', ['text/plain']],
  ['Keep-Alive', ['timeout=9']],
  ['Date', ['then']],
  ['Transfer-Encoding', ['chunked']],
];
const METHODS = ['GET', 'GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'OPTIONS'] as const;
const TARGETS = ['/', '/a?b=c&b', '/x/../y', '/%41?q=+', '/a/b#c?d'] as const;
const BODIES = ['a', 'a=1&b=2', '{"a":1}', 'x'.repeat(5000)] as const;

function response(random: Random): JsonObject {
  const made: { [key: string]: Json } = {};
  if (random.chance(0.6)) made.statusCode = random.pick(STATUSES);
  const text = random.chance(0.6);
  if (random.chance(0.8)) made.body = text ? random.pick(TEXTS) : random.pick(VALUES);
  if (random.chance(0.7)) {
    const headers: { [name: string]: Json } = {};
    for (let count = random.below(4); count > 0; count--) {
      const [name, values] = random.pick(HEADERS);
      headers[name] = random.pick(values);
    }
    if (text && random.chance(0.3))
      headers[random.pick(['Content-Length', 'content-length'])] = random.pick([1, '7', 'x', '']);
    made.headers = headers;
  }
  return made;
}

function request(random: Random): string {
  const lines = ['Host: m'];
  if (random.chance(0.2)) lines.push('Connection: keep-alive');
  if (random.chance(0.1)) lines.push('Expect: 100-continue');
  if (random.chance(0.15)) {
    lines.push('Origin: o', 'Access-Control-Request-Method: PUT', 'Access-Control-Request-Headers: x');
  }
  let body = '';
  if (random.chance(0.4)) {
    body = random.pick(BODIES);
    if (random.chance(0.5)) lines.push('Content-Type: application/x-www-form-urlencoded');
    if (random.chance(0.4)) {
      lines.push('Transfer-Encoding: chunked');
      body = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    } else lines.push(`Content-Length: ${body.length}`);
  }
  return `${random.pick(METHODS)} ${random.pick(TARGETS)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

export function generatedCase(random: Random, name: string): DifferentialCase {
  const responses = Array.from({ length: 1 + random.below(2) }, () => ({ is: response(random) }));
  const lengths = responses.some(({ is }) =>
    JSON.stringify(is.headers ?? {})
      .toLowerCase()
      .includes('content-length'),
  );
  const imposter: { [key: string]: Json } = { recordRequests: true, stubs: [{ responses }] };
  // a default body that is no text would meet the length of a response
  if (!lengths && random.chance(0.4)) imposter.defaultResponse = withoutLength(response(random));
  // headers of a preflight stay with the default response in Mountebank (F18)
  else if (random.chance(0.3)) imposter.allowCORS = true;
  const requests = Array.from({ length: 1 + random.below(3) }, () =>
    random.chance(0.2) ? [request(random), request(random)] : [request(random)],
  );
  return { name, imposter, requests };
}

function withoutLength({ headers, ...rest }: JsonObject): JsonObject {
  const kept = Object.entries((headers ?? {}) as JsonObject).filter(
    ([name]) => name.toLowerCase() !== 'content-length',
  );
  return { ...rest, headers: Object.fromEntries(kept) };
}
