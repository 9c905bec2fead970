import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Imposters, Profile } from '@rift-ts/engine';
import { engine, freePort, type TestAdmin, withAdmin } from '../admin.test-help.js';
import { send } from './send.test-help.js';

const profiles: readonly Profile[] = ['mountebank', 'rift'];

const pay = [
  {
    id: 'gold',
    predicates: [{ equals: { method: 'GET', path: '/pay', headers: { 'x-tier': 'gold' } } }],
    responses: [{ is: { body: 'gold' } }],
  },
  { predicates: [{ equals: { method: 'POST', path: '/pay' } }], responses: [{ is: {} }] },
  { predicates: [{ startsWith: { path: '/p' } }], responses: [{ is: { statusCode: 202, body: 'any' } }] },
  { predicates: [{ equals: { path: '/pay' } }], responses: [{ is: {} }] },
];

interface Miss {
  index: number;
  id?: string;
  score: number;
  satisfied: number;
  total: number;
  refusals: Record<string, unknown>[];
}

interface Report {
  request: Record<string, unknown>;
  flowId: string;
  matched: boolean;
  stub?: Record<string, unknown>;
  error?: Record<string, unknown>;
  noMatchAnswer?: string;
  enabled?: boolean;
  others: { index: number; id?: string; outcome: string; refusal?: Record<string, unknown> }[];
  othersOmitted?: number;
  nearMisses?: Miss[];
}

interface Tried {
  readonly port: number;
  readonly admin: TestAdmin;
  ask(question: object): Promise<Report>;
  /** Status and first error of a question that is refused. */
  refused(question: unknown): Promise<[status: number, message: string]>;
}

/** An imposter on a free port, asked about while `use` runs. */
async function trying(
  creation: object,
  use: (tried: Tried) => Promise<void>,
  profile: Profile = 'rift',
  imposters: Imposters = engine(profile, {}, '127.0.0.1'),
): Promise<void> {
  await withAdmin(profile, { imposters }, async (admin) => {
    const port = await freePort();
    const created = await admin.call('POST', '/imposters', { protocol: 'http', port, ...creation });
    assert.equal(created.status, 201, created.body);
    const post = (question: unknown) => admin.call('POST', `/imposters/${port}/test`, question);
    await use({
      port,
      admin,
      async ask(question) {
        const answer = await post(question);
        assert.equal(answer.status, 200, answer.body);
        return answer.json() as unknown as Report;
      },
      async refused(question) {
        const answer = await post(question);
        const { errors } = answer.json() as unknown as { errors: { code: string; type: string; message: string }[] };
        assert.equal(errors[0]!.code, String(answer.status));
        return [answer.status, errors[0]!.message];
      },
    });
  });
}

for (const profile of profiles) {
  test(`${profile}: a dry run names the stub that would answer and what keeps the others from it`, () =>
    trying(
      { stubs: pay, recordRequests: true },
      async ({ port, admin, ask }) => {
        const report = await ask({ request: { path: '/pay', headers: { 'X-Tier': 'silver' } } });
        assert.deepEqual(Object.keys(report), ['request', 'flowId', 'matched', 'stub', 'others', 'nearMisses']);
        assert.deepEqual(report.request, {
          requestFrom: '127.0.0.1:0',
          method: 'GET',
          path: '/pay',
          query: {},
          headers: { 'X-Tier': 'silver' },
          body: '',
          ip: '127.0.0.1',
        });
        assert.equal(report.flowId, String(port));
        assert.deepEqual(report.stub, {
          index: 2,
          responsePreview: { responseType: 'is', statusCode: 202, bodyPreview: 'any' },
        });
        assert.deepEqual(
          report.others.map(({ index, outcome }) => [index, outcome]),
          [
            [0, 'refused'],
            [1, 'refused'],
            [3, 'shadowed'],
          ],
        );
        assert.equal(
          JSON.stringify(report.others[0]),
          JSON.stringify({
            index: 0,
            id: 'gold',
            outcome: 'refused',
            refusal: {
              predicateIndex: 0,
              path: 'predicates[0].equals.headers.x-tier',
              operator: 'equals',
              field: 'headers.x-tier',
              expected: 'gold',
              actual: 'silver',
              explanation: 'expected header x-tier to equal "gold", but it was "silver"',
            },
          }),
        );
        assert.deepEqual(
          report.nearMisses!.map(({ index, score, satisfied, total }) => [index, score, satisfied, total]),
          [
            [0, 0.67, 2, 3],
            [1, 0.5, 1, 2],
          ],
        );

        const none = await ask({ request: { path: '/zzz' } });
        assert.deepEqual(Object.keys(none), ['request', 'flowId', 'matched', 'noMatchAnswer', 'others', 'nearMisses']);
        assert.deepEqual([none.matched, none.noMatchAnswer], [false, 'empty']);
        assert.deepEqual(
          none.nearMisses!.map(({ index, satisfied, total }) => [index, satisfied, total]),
          [[0, 1, 3]],
        );

        const imposter = (await admin.call('GET', `/imposters/${port}`)).json();
        assert.equal(imposter.numberOfRequests, 0);
        assert.equal((await admin.call('GET', `/imposters/${port}/savedRequests`)).body.replace(/\s/g, ''), '[]');
      },
      profile,
    ));
}

const refusals: { behaviour: string; predicate: object; request: object; expected: Record<string, unknown> }[] = [
  {
    behaviour: 'a difference in case only is hinted at',
    predicate: { equals: { path: '/A' }, caseSensitive: true },
    request: { path: '/a' },
    expected: { hint: 'differs only in case' },
  },
  {
    behaviour: 'a selector on a body that is no JSON',
    predicate: { equals: { body: '1' }, jsonpath: { selector: '$.id' } },
    request: { body: 'x' },
    expected: { field: 'body', selector: '$.id', actual: undefined, hint: 'body is not JSON' },
  },
  {
    behaviour: 'an object as body is taken as its text',
    predicate: { equals: { body: '2' }, jsonpath: { selector: '$.id' } },
    request: { body: { id: 1 } },
    expected: { field: 'body', selector: '$.id', expected: '2', actual: 1 },
  },
  {
    behaviour: 'what stands behind a question mark is the query',
    predicate: { equals: { query: { page: '2' } } },
    request: { path: '/a?page=1' },
    expected: { field: 'query.page', expected: '2', actual: '1' },
  },
  {
    behaviour: 'a query as text',
    predicate: { equals: { query: { page: '2' } } },
    request: { path: '/a', query: 'page=1&page=3' },
    expected: { field: 'query.page', actual: ['1', '3'], hint: 'repeated value' },
  },
  {
    behaviour: 'a form comes from the body of a form',
    predicate: { equals: { form: { a: '2' } } },
    request: { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=1' },
    expected: { field: 'form.a', actual: '1' },
  },
  {
    behaviour: 'a body as bytes',
    predicate: { equals: { body: 'b' } },
    request: { bodyBase64: 'YQ==' },
    expected: { field: 'body', actual: 'a' },
  },
];

for (const { behaviour, predicate, request, expected } of refusals) {
  test(behaviour, () =>
    trying({ stubs: [{ predicates: [predicate], responses: [{ is: {} }] }] }, async ({ ask }) => {
      const { refusal } = (await ask({ request })).others[0]!;
      for (const key of Object.keys(expected)) assert.deepEqual(refusal![key], expected[key], key);
    }),
  );
}

test('a false `or` shows why each alternative is false', () =>
  trying(
    {
      stubs: [
        { predicates: [{ or: [{ equals: { path: '/a' } }, { equals: { path: '/b' } }] }], responses: [{ is: {} }] },
      ],
    },
    async ({ ask }) => {
      const { refusal } = (await ask({ request: { path: '/c' } })).others[0]!;
      assert.equal(refusal!.path, 'predicates[0].or');
      assert.equal((refusal!.alternatives as unknown[]).length, 2);
    },
  ));

test('a stub of another space is skipped, and matches when its flow is given', () =>
  trying(
    { stubs: [{ space: 'a', responses: [{ is: {} }] }], _rift: { flowState: { flowIdSource: 'header:X-S' } } },
    async ({ port, ask }) => {
      const skipped = await ask({ request: {} });
      assert.deepEqual(skipped.others, [
        {
          index: 0,
          outcome: 'skippedSpace',
          refusal: { path: 'space', expected: 'a', actual: String(port) },
        },
      ]);
      assert.deepEqual(
        [skipped.nearMisses![0]!.score, skipped.nearMisses![0]!.refusals],
        [1, [{ path: 'space', expected: 'a', actual: String(port) }]],
      );
      assert.equal((await ask({ request: {}, flowId: 'a' })).matched, true);
      assert.equal((await ask({ request: { headers: { 'x-s': 'a' } } })).flowId, 'a');
    },
  ));

test('scenario states can be assumed, and stay as they are', () =>
  trying(
    {
      stubs: [
        {
          scenarioName: 'door',
          requiredScenarioState: 'open',
          newScenarioState: 'shut',
          responses: [{ is: { body: 'in' } }],
        },
      ],
    },
    async ({ port, admin, ask }) => {
      const skipped = await ask({ request: {} });
      assert.deepEqual(skipped.others[0], {
        index: 0,
        outcome: 'skippedScenarioState',
        refusal: { path: 'requiredScenarioState', scenario: 'door', expected: 'open', actual: 'Started' },
      });
      assert.equal((await ask({ request: {}, scenarios: { door: 'open', other: 'x' } })).matched, true);
      const { scenarios } = (await admin.call('GET', `/imposters/${port}/scenarios`)).json();
      assert.deepEqual(scenarios, [{ name: 'door', state: 'Started' }]);
    },
  ));

test('a recorded request finds the stub that answered it', () =>
  trying({ stubs: pay, recordRequests: true }, async ({ port, ask, refused }) => {
    for (const path of ['/zz', '/p', '/pay?x=1']) await send(port, path);
    const report = await ask({ index: 3 });
    assert.deepEqual([report.stub!.index, report.request.path], [2, '/pay']);
    assert.equal('timestamp' in report.request, false);
    assert.equal((await ask({ index: 1 })).matched, false);
    assert.deepEqual(await refused({ index: 99 }), [404, 'no recorded request with index 99']);
  }));

test('the turn of the responses stays where it is', () =>
  trying({ stubs: [{ responses: [{ is: { body: '1' } }, { is: { body: '2' } }] }] }, async ({ port, ask }) => {
    const next = async () => (await ask({ request: {} })).stub!.responsePreview;
    assert.deepEqual(await next(), { responseType: 'is', statusCode: 200, bodyPreview: '1' });
    assert.deepEqual(await next(), { responseType: 'is', statusCode: 200, bodyPreview: '1' });
    assert.equal((await send(port, '/')).body, '1');
    assert.deepEqual(await next(), { responseType: 'is', statusCode: 200, bodyPreview: '2' });
  }));

test('a disabled imposter can be asked, and says so', () =>
  trying({ stubs: pay, enabled: false }, async ({ ask }) => {
    const report = await ask({ request: { path: '/p' } });
    assert.deepEqual([report.matched, report.enabled], [true, false]);
  }));

test('what is sent when nothing matches is named', async () => {
  await trying({ stubs: [], defaultResponse: { statusCode: 404 } }, async ({ ask }) =>
    assert.equal((await ask({ request: {} })).noMatchAnswer, 'defaultResponse'),
  );
  await trying({ stubs: [], defaultForward: 'http://localhost:1' }, async ({ ask }) =>
    assert.equal((await ask({ request: {} })).noMatchAnswer, 'defaultForward'),
  );
});

test('lists are as long as asked for, and what is left out is counted', () =>
  trying({ stubs: pay }, async ({ ask }) => {
    const report = await ask({ request: { path: '/pay' }, maxOthers: 1, maxNearMisses: 1 });
    assert.deepEqual([report.others.length, report.othersOmitted, report.nearMisses!.length], [1, 2, 1]);
    const bare = await ask({ request: { path: '/pay' }, maxOthers: 0, maxNearMisses: 0 });
    assert.deepEqual([bare.others, bare.othersOmitted, bare.nearMisses], [[], 3, undefined]);
  }));

test('near misses: method and path count before fewer refusals', () =>
  trying(
    {
      stubs: [
        { predicates: [{ equals: { path: '/a', body: 'x' } }], responses: [{ is: {} }] },
        { predicates: [{ equals: { path: '/b', body: '' } }], responses: [{ is: {} }] },
      ].reverse(),
    },
    async ({ ask }) => {
      const { nearMisses } = await ask({ request: { path: '/a' } });
      assert.deepEqual(
        nearMisses!.map(({ index, score }) => [index, score]),
        [
          [1, 0.5],
          [0, 0.5],
        ],
      );
    },
  ));

test('questions that cannot be understood are refused with what was expected', () =>
  trying({ stubs: [] }, async ({ refused, admin, port }) => {
    const expected = '(expected request, index, flowId, scenarios, maxOthers, maxNearMisses)';
    assert.deepEqual(await refused({}), [400, 'missing required field: request']);
    assert.deepEqual(await refused({ req: {} }), [400, `unknown key 'req' ${expected}`]);
    assert.deepEqual(await refused({ request: {}, index: 1 }), [400, "give either 'request' or 'index'"]);
    assert.deepEqual(await refused({ request: { url: '/' } }), [400, "unknown request field 'url'"]);
    assert.deepEqual(await refused({ request: { path: 1 } }), [400, 'request.path must be a string']);
    assert.deepEqual(await refused({ request: { headers: [] } }), [400, 'request.headers must be an object']);
    assert.match((await refused('[]'))[1], /^Invalid test JSON: /);
    assert.match((await refused('{'))[1], /^Invalid test JSON: /);
    const missing = await admin.call('POST', '/imposters/1/test', { request: {} });
    assert.deepEqual(
      [missing.status, (missing.json().errors as { message: string }[])[0]!.message],
      [404, 'Imposter not found on port 1'],
    );
    assert.equal((await admin.call('GET', `/imposters/${port}/test`)).status, 404);
  }));

const injecting = () => engine('rift', { allowInjection: true, scriptTimeoutMs: 300 }, '127.0.0.1');

test('a predicate that fails is named, and later stubs are tried for the report only', () =>
  trying(
    {
      stubs: [
        { id: 'bad', predicates: [{ inject: "() => { throw new Error('oops') }" }], responses: [{ is: {} }] },
        { responses: [{ is: {} }] },
      ],
    },
    async ({ ask }) => {
      const report = await ask({ request: {} });
      assert.deepEqual(Object.keys(report), ['request', 'flowId', 'matched', 'error', 'others']);
      assert.equal(report.matched, false);
      assert.equal(report.error!.id, 'bad');
      assert.match(String(report.error!.message), /oops|invalid predicate injection/);
      assert.deepEqual(
        report.others.map(({ outcome }) => outcome),
        ['error', 'shadowed'],
      );
    },
    'rift',
    injecting(),
  ));

test('what predicates write into the state of the imposter is thrown away', () => {
  const count = '(config) => { config.state.n = (config.state.n || 0) + 1; return config.state.n === 2; }';
  return trying(
    { stubs: [{ predicates: [{ inject: count }], responses: [{ is: { body: 'second' } }] }] },
    async ({ port, ask }) => {
      assert.equal((await send(port, '/')).body, '');
      for (let time = 0; time < 2; time += 1) assert.equal((await ask({ request: {} })).matched, true);
      assert.equal((await send(port, '/')).body, 'second');
    },
    'rift',
    injecting(),
  );
});

test('a predicate that does not end ends the dry run', () =>
  trying(
    { stubs: [{ predicates: [{ inject: '() => { for (;;); }' }], responses: [{ is: {} }] }] },
    async ({ port, admin }) => {
      const answer = await admin.call('POST', `/imposters/${port}/test`, { request: {} });
      assert.deepEqual([answer.status, answer.headers['x-rift-script-timeout']], [504, 'true']);
      assert.deepEqual(answer.json(), { errors: [{ code: '504', type: 'timeout', message: 'Test timed out' }] });
    },
    'rift',
    injecting(),
  ));

test('tcp imposters are asked about data, in base64 in binary mode', async () => {
  const stubs = (data: string) => [{ predicates: [{ contains: { data } }], responses: [{ is: { data: 'cG9uZw==' } }] }];
  await trying({ protocol: 'tcp', mode: 'binary', stubs: stubs('cGlu') }, async ({ ask, refused }) => {
    const report = await ask({ request: { data: Buffer.from('a ping').toString('base64') } });
    assert.deepEqual(report.stub!.responsePreview, { responseType: 'is', bodyPreview: 'cG9uZw==' });
    assert.deepEqual(await refused({ request: { path: '/' } }), [400, "unknown request field 'path'"]);
  });
  await trying({ protocol: 'tcp', stubs: stubs('ping') }, async ({ ask }) => {
    const { others } = await ask({ request: { data: 'pong' } });
    assert.deepEqual([others[0]!.refusal!.field, others[0]!.refusal!.actual], ['data', 'pong']);
  });
});
