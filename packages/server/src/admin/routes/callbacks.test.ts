import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpProtocol, type Protocol } from '@rift-ts/engine';
import { mountebankLimits } from '@rift-ts/http';
import { engine, freePort, withAdmin } from '../admin.test-help.js';

test('a posted request is counted, recorded and answered like one over the wire', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const port = await freePort();
    const stubs = [
      { predicates: [{ equals: { path: '/z' } }], responses: [{ is: { body: 'b' } }] },
      { predicates: [{ equals: { path: '/f' } }], responses: [{ fault: 'CONNECTION_RESET_BY_PEER' }] },
    ];
    await call('POST', '/imposters', { protocol: 'http', port, recordRequests: true, stubs });
    const post = (body: unknown) => call('POST', `/imposters/${port}/_requests`, body);
    assert.equal((await post({ request: { path: '/z', ip: '127.0.0.1' } })).body, '{\n  "body": "b"\n}');
    assert.deepEqual((await post({ request: { path: '/f' } })).json(), { fault: 'CONNECTION_RESET_BY_PEER' });
    assert.equal((await post({ request: {} })).body, '{}');
    const imposter = (await call('GET', `/imposters/${port}`)).json();
    assert.equal(imposter.numberOfRequests, 3);
    assert.equal((imposter.requests as { path: string }[])[0]!.path, '/z');
  }));

test('a posted document without a request is refused, an absent imposter is not found', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const port = await freePort();
    await call('POST', '/imposters', { protocol: 'http', port });
    for (const body of [{}, [], 7, 'null', undefined, { request: null }, { request: 'x' }, { request: [] }]) {
      const answer = await call('POST', `/imposters/${port}/_requests`, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.match(answer.body, /"bad data"/);
    }
    assert.equal((await call('POST', '/imposters/1/_requests', { request: {} })).status, 404);
    const unknown = await call('POST', `/imposters/${port}/_requests/0`, { proxyResponse: {} });
    assert.equal(unknown.status, 404);
    assert.match(unknown.body, /"invalid proxy resolution key"/);
    assert.match(unknown.body, /"source": "http:\/\/127\.0\.0\.1:\d+\/imposters\/\d+\/_requests\/0"/);
  }));

test('a client that may not connect gets nothing through a custom protocol either', () => {
  const imposters = engine('mountebank', { allows: (address) => address === '10.0.0.1' }, '127.0.0.1');
  return withAdmin('mountebank', { imposters }, async ({ call }) => {
    const port = await freePort();
    await call('POST', '/imposters', { protocol: 'http', port });
    const post = (request: object) => call('POST', `/imposters/${port}/_requests`, { request });
    assert.deepEqual((await post({ ip: '10.0.0.2' })).json(), { blocked: true, code: 'unauthorized ip address' });
    assert.deepEqual((await post({})).json(), { blocked: true, code: 'unauthorized ip address' });
    assert.deepEqual((await post({ ip: '10.0.0.1' })).json(), {});
    assert.equal((await call('GET', `/imposters/${port}`)).json().numberOfRequests, 1);
  });
});

test('a process that speaks the protocol calls the upstream itself and posts its answer for one use', () => {
  const { proxy: _, ...http } = httpProtocol({ limits: mountebankLimits, graceMs: 0, host: '127.0.0.1' });
  const protocol: Protocol = { ...http, name: 'foo', outOfProcess: true };
  const imposters = engine('mountebank', { protocols: new Map([['foo', protocol]]) });
  return withAdmin('mountebank', { imposters }, async ({ call }) => {
    const port = await freePort();
    await call('POST', '/imposters', {
      protocol: 'foo',
      port,
      stubs: [{ responses: [{ proxy: { to: 'foo://up' } }] }],
    });
    const first = (await call('POST', `/imposters/${port}/_requests`, { request: { data: 'x' } })).json();
    assert.deepEqual(Object.keys(first), ['proxy', 'request', 'callbackURL']);
    assert.deepEqual(first.proxy, { to: 'foo://up', mode: 'proxyOnce' });
    const { pathname } = new URL(String(first.callbackURL));
    assert.equal(pathname, `/imposters/${port}/_requests/0`);
    const done = (await call('POST', pathname, { proxyResponse: { data: 'answer' } })).json();
    assert.equal(done.data, 'answer');
    assert.equal(typeof done._proxyResponseTime, 'number');
    assert.equal((await call('POST', pathname, { proxyResponse: {} })).status, 404);
    const again = (await call('POST', `/imposters/${port}/_requests`, { request: { data: 'x' } })).json();
    assert.equal((again.response as { data: string }).data, 'answer');
  });
});
