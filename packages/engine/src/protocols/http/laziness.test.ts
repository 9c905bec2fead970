// What a request does not ask for is not made. Counted at the getters of the request's view, over a real connection.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { mountebankLimits } from '@rift-ts/http';
import { rawExchange } from '@rift-ts/oracle';
import { raw } from '../../differential/case.fixture.js';
import { Imposters } from '../../imposters.js';
import { httpProtocol } from './protocol.js';
import { HttpRequestView } from './request-view.js';

const made = ['headers', 'query', 'body', 'bodyReading', 'form', 'memo', 'toJSON'] as const;

/** Counts what is made of all requests from now on. */
function counting(t: TestContext): { [name: string]: number } {
  const counts: { [name: string]: number } = {};
  for (const name of made) {
    const original = Object.getOwnPropertyDescriptor(HttpRequestView.prototype, name)!;
    const count = (view: unknown) => {
      counts[name] = (counts[name] ?? 0) + 1;
      return view;
    };
    const { get, value } = original;
    Object.defineProperty(
      HttpRequestView.prototype,
      name,
      get === undefined
        ? {
            ...original,
            value(this: unknown) {
              return value.call(count(this));
            },
          }
        : {
            ...original,
            get(this: unknown) {
              return get.call(count(this));
            },
          },
    );
    t.after(() => Object.defineProperty(HttpRequestView.prototype, name, original));
  }
  return counts;
}

async function answers(t: TestContext, predicateOf: (i: number) => object, stubs: number, requests: string[]) {
  const imposters = new Imposters({
    profile: 'mountebank',
    protocols: new Map([['http', httpProtocol({ limits: mountebankLimits, graceMs: 0 })]]),
  });
  t.after(() => imposters.deleteAll());
  const imposter = await imposters.createFrom({
    protocol: 'http',
    defaultResponse: { headers: { Connection: 'keep-alive' } },
    stubs: Array.from({ length: stubs }, (_, i) => ({
      predicates: [predicateOf(i)],
      responses: [{ is: { body: `stub ${i}`, headers: { Connection: 'keep-alive' } } }],
    })),
  });
  const counts = counting(t);
  const { bytes } = await rawExchange(imposter.port, requests);
  return { counts, found: [...bytes.toString('latin1').matchAll(/stub \d+/g)].map(([text]) => text) };
}

const request = (line: string, close: boolean, ...more: string[]) =>
  raw(line, 'Host: m', 'Accept: */*', 'User-Agent: t', ...more, ...(close ? ['Connection: close'] : []));

for (const stubs of [1, 1000]) {
  test(`of ${stubs} plain stubs a kept GET makes no map of headers or parameters, no text of a body, no memo`, async (t) => {
    const last = stubs - 1;
    const predicate = (i: number) => ({ equals: { method: 'GET', path: `/p/${i}` } });
    const get = `GET /p/${last}?q=1 HTTP/1.1`;
    const { counts, found } = await answers(t, predicate, stubs, [request(get, false), request(get, true)]);
    assert.deepEqual(found, [`stub ${last}`, `stub ${last}`]);
    assert.deepEqual(counts, {});
  });

  test(`of ${stubs} stubs that ask for a header a request makes no map of headers`, async (t) => {
    const last = stubs - 1;
    const predicate = (i: number) => ({ equals: { headers: { 'X-A': `v${i}` } } });
    const get = 'GET /a HTTP/1.1';
    const { counts, found } = await answers(t, predicate, stubs, [request(get, true, `x-a: V${last}`)]);
    assert.deepEqual(found, [`stub ${last}`]);
    assert.deepEqual(counts, {});
  });
}

test('a stub that asks for the body makes its text, and nothing else', async (t) => {
  const post = raw('POST /a HTTP/1.1', 'Host: m', 'Content-Length: 1', 'Connection: close').concat('x');
  const { counts, found } = await answers(t, () => ({ equals: { body: 'x' } }), 1, [post]);
  assert.deepEqual(found, ['stub 0']);
  assert.ok(counts.bodyReading > 0);
  assert.equal(counts.headers ?? counts.query, undefined);
});
