import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engine, freePort, type TestAdmin, withAdmin } from '../admin.test-help.js';

/** An imposter that got `GET /a` twice and `GET /b` once, asked with `verify`. */
async function withRequests(
  use: (verify: (body: unknown) => ReturnType<TestAdmin['call']>, port: number) => Promise<void>,
  allowInjection = false,
): Promise<void> {
  const imposters = engine('mountebank', { allowInjection }, '127.0.0.1');
  await withAdmin('mountebank', { imposters }, async ({ call }) => {
    const port = await freePort();
    const flowState = { flowIdSource: 'header:X-Flow' };
    await call('POST', '/imposters', { protocol: 'http', port, recordRequests: true, _rift: { flowState } });
    const send = async (path: string, headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).arrayBuffer();
    await send('/a', { 'X-Flow': 'one' });
    await send('/a', { 'X-Flow': 'two' });
    await send('/b', { 'X-Flow': 'one' });
    await use((body) => call('POST', `/imposters/${port}/verify`, body), port);
  });
}

test('requests are counted by predicates', () =>
  withRequests(async (verify) => {
    const found = await verify({ predicates: [{ equals: { path: '/a' } }] });
    assert.deepEqual([found.status, found.json()], [200, { matched: 2, total: 3 }]);
    assert.deepEqual((await verify({})).json(), { matched: 3, total: 3 });
    const flow = { predicates: [{ equals: { path: '/a' } }], flowId: 'one' };
    assert.deepEqual((await verify(flow)).json(), { matched: 1, total: 2 });
    const address = { predicates: [{ contains: { ip: '127.0.0.1' } }, { equals: { headers: { 'x-flow': 'two' } } }] };
    assert.deepEqual((await verify(address)).json(), { matched: 1, total: 3 });
  }));

test('matching requests are shown when asked for, and say why they matched', () =>
  withRequests(async (verify) => {
    const { requests } = (await verify({ predicates: [{ equals: { path: '/b' } }], includeRequests: true })).json();
    const [only, ...more] = requests as { path: string; matchOutcome: object }[];
    assert.deepEqual([only!.path, only!.matchOutcome, more], ['/b', { matched: false }, []]);
  }));

test('the closest request is the one that satisfies most predicates, the latest of several', () =>
  withRequests(async (verify) => {
    const predicates = [{ equals: { method: 'GET', path: '/c' } }, { equals: { method: 'GET' } }];
    const { matched, closest } = (await verify({ predicates, includeClosest: true })).json() as {
      matched: number;
      closest: { request: { path: string }; failedPredicates: unknown[] };
    };
    assert.equal(matched, 0);
    assert.equal(closest.request.path, '/b');
    assert.deepEqual(closest.failedPredicates, [{ predicate: predicates[0], actual: { method: 'GET', path: '/b' } }]);
    const nested = { not: { equals: { path: '/b' } } };
    const other = (await verify({ predicates: [nested], includeClosest: true })).json().closest as {
      failedPredicates: { actual: object }[];
    };
    assert.deepEqual(Object.keys(other.failedPredicates[0]!.actual), [
      'method',
      'path',
      'query',
      'headers',
      'requestFrom',
    ]);
    assert.equal('closest' in (await verify({ includeClosest: true })).json(), false, 'everything matches');
  }));

test('what cannot be evaluated is refused', async () => {
  const inject = { predicates: [{ and: [{ inject: '() => { throw new Error("no idea") }' }] }] };
  await withRequests(async (verify) => {
    const failure = async (body: unknown) => {
      const { status, ...answer } = await verify(body);
      const [{ code, type, message }] = answer.json().errors as [{ code: string; type: string; message: string }];
      return [status, code, type, message];
    };
    assert.match(String((await failure('{'))[3]), /^Invalid verify JSON: /);
    assert.deepEqual(await failure({ predicates: 7 }), [
      400,
      '400',
      'bad data',
      'Invalid verify JSON: predicates must be an array',
    ]);
    assert.deepEqual((await failure(inject)).slice(0, 3), [400, 'invalid injection', 'invalid injection']);
    assert.equal((await failure({ predicates: [{ nosuch: {} }] }))[0], 400);
  });
  await withRequests(async (verify) => {
    const answer = await verify(inject);
    assert.equal(answer.status, 400);
    assert.match(answer.body, /invalid predicate injection/);
    assert.match(answer.body, /no idea/);
  }, true);
  await withAdmin('rift', {}, async ({ call }) => {
    const gone = await call('POST', '/imposters/65000/verify', {});
    assert.deepEqual(gone.json().errors, [
      { code: '404', type: 'no such resource', message: 'Imposter not found on port 65000' },
    ]);
  });
});
