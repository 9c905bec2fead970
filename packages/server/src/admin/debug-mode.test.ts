import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Imposters, Profile } from '@rift-ts/engine';
import { engine, freePort, type TestAdmin, withAdmin } from './admin.test-help.js';
import { send } from './routes/send.test-help.js';

const profiles: readonly Profile[] = ['mountebank', 'rift'];
const debug = { 'X-Rift-Debug': 'true' };

async function serving(
  creation: object,
  use: (port: number, admin: TestAdmin) => Promise<void>,
  profile: Profile = 'rift',
  imposters: Imposters = engine(profile, {}, '127.0.0.1'),
): Promise<void> {
  await withAdmin(profile, { imposters }, async (admin) => {
    const port = await freePort();
    const created = await admin.call('POST', '/imposters', { protocol: 'http', port, ...creation });
    assert.equal(created.status, 201, created.body);
    await use(port, admin);
  });
}

const stubs = [
  {
    id: 'u',
    predicates: [{ equals: { path: '/u' } }],
    responses: [{ is: { headers: { 'X-A': ['1', '2'] }, body: { a: 1 } } }, { is: { body: 'second' } }],
  },
  { predicates: [{ equals: { path: '/v', method: 'GET' } }], responses: [{ is: {} }] },
];

for (const profile of profiles) {
  test(`${profile}: a debug request shows the stub it meets and moves nothing`, () =>
    serving(
      { name: 'n', stubs, defaultResponse: { headers: { 'X-Default': '1' } } },
      async (port, admin) => {
        const answer = await send(port, '/u?x=1', { headers: { 'x-rift-debug': 'TRUE', 'X-Other': 'o' } });
        assert.equal(answer.status, 200);
        assert.equal(answer.headers['content-type'], 'application/json');
        assert.equal(answer.headers['x-rift-debug-response'], 'true');
        assert.equal(answer.headers['x-rift-imposter'], undefined);
        assert.equal(answer.headers['x-default'], undefined);
        const expected = {
          debug: true,
          request: {
            method: 'GET',
            path: '/u',
            query: 'x=1',
            headers: { 'X-Other': 'o', Host: `127.0.0.1:${port}`, Connection: 'close' },
          },
          imposter: { port, name: 'n', protocol: 'http', stubCount: 2 },
          matchResult: {
            matched: true,
            stubIndex: 0,
            stubId: 'u',
            predicates: [{ equals: { path: '/u' } }],
            responsePreview: {
              responseType: 'is',
              statusCode: 200,
              headers: { 'X-A': '1, 2' },
              bodyPreview: '{"a":1}',
            },
          },
        };
        assert.equal(answer.body, JSON.stringify(expected, null, 2));
        assert.deepEqual(JSON.parse((await send(port, '/u')).body), { a: 1 });
        assert.equal((await admin.call('GET', `/imposters/${port}`)).json().numberOfRequests, 2);
      },
      profile,
    ));
}

test('a debug request that no stub answers shows what they all ask for', () =>
  serving({ stubs }, async (port) => {
    const { request, matchResult } = JSON.parse(
      (await send(port, '/zz', { headers: { 'X-Rift-Debug': '1', 'Content-Length': '1' }, body: 'b' })).body,
    );
    assert.equal(request.body, 'b');
    assert.deepEqual(Object.keys(matchResult), ['matched', 'allStubs', 'reason', 'nearMisses']);
    assert.equal(matchResult.reason, 'No stub predicates matched the request');
    assert.deepEqual(matchResult.allStubs, [
      { index: 0, id: 'u', predicates: stubs[0]!.predicates, responseCount: 2 },
      { index: 1, predicates: stubs[1]!.predicates, responseCount: 1 },
    ]);
    assert.deepEqual([matchResult.nearMisses[0].index, matchResult.nearMisses[0].score], [1, 0.5]);
  }));

test('without stubs a debug request says so', () =>
  serving({ stubs: [] }, async (port) => {
    const { matchResult } = JSON.parse((await send(port, '/', { headers: debug })).body);
    assert.deepEqual(matchResult, {
      matched: false,
      allStubs: [],
      reason: 'No stubs configured for this imposter',
    });
  }));

test('any other value of the header is no question', () =>
  serving({ stubs }, async (port) => {
    for (const value of ['yes', 'false', '0', '']) {
      const answer = await send(port, '/u', { headers: { 'X-Rift-Debug': value } });
      assert.equal(answer.headers['x-rift-debug-response'], undefined, value);
    }
  }));

test('a debug request is recorded', () =>
  serving({ stubs, recordRequests: true }, async (port, admin) => {
    await send(port, '/u', { headers: debug });
    const recorded = JSON.parse((await admin.call('GET', `/imposters/${port}/savedRequests`)).body);
    assert.deepEqual(
      recorded.map(({ path, matchOutcome }: Record<string, unknown>) => [path, matchOutcome]),
      [['/u', undefined]],
    );
  }));

const previews: { behaviour: string; responses: object[]; expected: object }[] = [
  {
    behaviour: 'a long body is cut at 500 bytes',
    responses: [{ is: { statusCode: '201', body: 'x'.repeat(600) } }],
    expected: { responseType: 'is', statusCode: 201, bodyPreview: `${'x'.repeat(500)}...` },
  },
  {
    behaviour: 'no character is cut in two',
    responses: [{ is: { body: `x${'é'.repeat(300)}` } }],
    expected: { responseType: 'is', statusCode: 200, bodyPreview: `x${'é'.repeat(249)}...` },
  },
  {
    behaviour: 'a flat response is one that is',
    responses: [{ statusCode: 204 }],
    expected: { responseType: 'is', statusCode: 204 },
  },
  {
    behaviour: 'where a proxy goes',
    responses: [{ proxy: { to: 'http://localhost:1' } }],
    expected: { responseType: 'proxy', bodyPreview: 'Proxy to: http://localhost:1' },
  },
  {
    behaviour: 'how a function begins',
    responses: [{ inject: `function (config) { return { body: '${'y'.repeat(60)}' }; }` }],
    expected: {
      responseType: 'inject',
      bodyPreview: `JavaScript inject: ${`function (config) { return { body: '${'y'.repeat(60)}`.slice(0, 50)}...`,
    },
  },
  {
    behaviour: 'the name of a fault',
    responses: [{ fault: 'RANDOM_DATA_THEN_CLOSE' }],
    expected: { responseType: 'fault', bodyPreview: 'Fault: RANDOM_DATA_THEN_CLOSE' },
  },
  {
    behaviour: 'a response that is nothing but a fault of Rift',
    responses: [{ _rift: { fault: { error: { probability: 1, status: 503 } } } }],
    expected: { responseType: '_rift', bodyPreview: 'Rift fault injection' },
  },
  { behaviour: 'a stub without responses', responses: [], expected: { responseType: 'unknown' } },
];

for (const { behaviour, responses, expected } of previews) {
  test(`preview: ${behaviour}`, () =>
    serving(
      { stubs: [{ responses }] },
      async (port) => {
        const { matchResult } = JSON.parse((await send(port, '/', { headers: debug })).body);
        assert.equal(JSON.stringify(matchResult.responsePreview), JSON.stringify(expected));
      },
      'rift',
      engine('rift', { allowInjection: true }, '127.0.0.1'),
    ));
}

test('gates count: a stub of another state is no match', () =>
  serving(
    {
      stubs: [{ scenarioName: 's', requiredScenarioState: 'x', newScenarioState: 'y', responses: [{ is: {} }] }],
    },
    async (port) => {
      const { matchResult } = JSON.parse((await send(port, '/', { headers: debug })).body);
      assert.equal(matchResult.matched, false);
      assert.equal(matchResult.nearMisses[0].refusals[0].path, 'requiredScenarioState');
    },
  ));

test('a disabled imposter answers that it is', () =>
  serving({ stubs, enabled: false }, async (port) => {
    const answer = await send(port, '/u', { headers: debug });
    assert.deepEqual([answer.status, answer.headers['x-rift-debug-response']], [503, undefined]);
  }));

test('a predicate that does not end, and one that fails', async () => {
  const inject = (text: string) => ({ stubs: [{ predicates: [{ inject: text }], responses: [{ is: {} }] }] });
  const imposters = () => engine('rift', { allowInjection: true, scriptTimeoutMs: 300 }, '127.0.0.1');
  await serving(
    inject('() => { for (;;); }'),
    async (port) => {
      const answer = await send(port, '/', { headers: debug });
      assert.deepEqual([answer.status, answer.headers['x-rift-script-timeout']], [504, 'true']);
      assert.equal(JSON.parse(answer.body).errors[0].message, 'Debug matching timed out');
      assert.equal(answer.headers['x-rift-debug-response'], undefined);
    },
    'rift',
    imposters(),
  );
  await serving(
    inject("() => { throw new Error('oops'); }"),
    async (port) => {
      const debugged = await send(port, '/', { headers: debug });
      const plain = await send(port, '/');
      assert.deepEqual([debugged.status, debugged.body], [plain.status, plain.body]);
      assert.equal(debugged.status, 400);
    },
    'rift',
    imposters(),
  );
});
