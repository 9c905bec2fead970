// What clients get: errors, headers of Rift's own, differences of the two profiles, forms that stand in the prose of others
// but are none.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../admin/admin.test-help.js';
import { creationOf, is, on, profiles, type ServedImposter, served } from './served.test-help.js';

for (const profile of profiles) {
  const setting = { profile };

  test(`${profile}: routes that only Rift has answer with status and type`, () =>
    served(
      {},
      async ({ admin }) => {
        const { status, json } = await admin('GET', '/imposters/65000/scenarios');
        assert.equal(status, 404);
        assert.equal(
          JSON.stringify(json.errors[0]),
          '{"code":"404","type":"no such resource","message":"Imposter not found on port 65000"}',
        );
      },
      setting,
    ));

  test(`${profile}: an object as body may be edited as an object or as its text`, async () => {
    const decorated = (decorate: string) => on('/', is({ d: false }, { _behaviors: { decorate } }));
    const body = async (decorate: string) => {
      let found = '';
      await served(
        { stubs: [decorated(decorate)] },
        async ({ get }) => {
          found = (await get('/')).body;
        },
        setting,
      );
      return found;
    };
    assert.equal(await body('function (q, r) { r.body = r.body.replace("false", "true") }'), '{"d":true}');
    assert.deepEqual(JSON.parse(await body('function (q, r) { r.body.e = 1 }')), { d: false, e: 1 });
  });

  test(`${profile}: a response without headers gets them in decorate`, () =>
    served(
      {
        stubs: [
          on(
            '/',
            is({ a: 1 }, { _behaviors: { decorate: 'c => { c.response.headers["X-Q"] = typeof c.response.body }' } }),
          ),
        ],
      },
      async ({ get }) => assert.equal((await get('/')).headers['x-q'], 'object'),
      setting,
    ));

  test(`${profile}: a copy takes ${profile === 'rift' ? 'the first group' : 'the whole match'}`, () => {
    const copy = { from: 'path', into: '${k}', using: { method: 'regex', selector: '/o/(\\d+)' } };
    return served(
      { stubs: [{ responses: [is('${k}|${k}[1]', { _behaviors: { copy } })] }] },
      async ({ get }) => assert.equal((await get('/o/5')).body, profile === 'rift' ? '5|5' : '/o/5|5'),
      setting,
    );
  });

  test(`${profile}: a lookup finds its row by the first group`, () => {
    const workingDirectory = mkdtempSync(join(tmpdir(), 'rift-lookup-'));
    writeFileSync(join(workingDirectory, 'rows.csv'), 'n,name\n7,seven\n');
    const lookup = {
      key: { from: 'path', using: { method: 'regex', selector: '/c/(\\d+)' } },
      fromDataSource: { csv: { path: 'rows.csv', keyColumn: 'n' } },
      into: '${row}',
    };
    return served(
      { stubs: [{ responses: [is('${row}["name"]', { _behaviors: { lookup } })] }] },
      async ({ get }) => assert.equal((await get('/c/7')).body, 'seven'),
      { profile, options: { workingDirectory } },
    ).finally(() => rmSync(workingDirectory, { recursive: true }));
  });

  test(`${profile}: tcp imposters are created and serve`, () =>
    served(
      {
        protocol: 'tcp',
        stubs: [{ predicates: [{ equals: { data: 'ping' } }], responses: [{ is: { data: 'pong' } }] }],
      },
      async ({ port }) => {
        const socket = createConnection(port, '127.0.0.1');
        socket.write('ping');
        const [bytes] = await once(socket, 'data');
        assert.equal(String(bytes), 'pong');
        socket.destroy();
      },
      setting,
    ));

  test(`${profile}: a recorded stub carries the selector of its generator`, () =>
    served(
      { stubs: [{ responses: [is('up')] }] },
      async (upstream) => {
        const jsonpath = { selector: '$.k' };
        const proxy = {
          to: `http://127.0.0.1:${upstream.port}`,
          predicateGenerators: [{ jsonpath, matches: { body: true } }],
        };
        const port = await freePort();
        await upstream.admin('POST', '/imposters', { protocol: 'http', port, stubs: [{ responses: [{ proxy }] }] });
        await upstream.get('/').catch(() => undefined);
        const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"k":"v"}' });
        assert.equal(await answer.text(), 'up');
        const { json } = await upstream.admin('GET', `/imposters/${port}`);
        assert.deepEqual(json.stubs[0].predicates, [{ deepEquals: { body: 'v' }, jsonpath }]);
      },
      setting,
    ));

  test(`${profile}: recorded requests under both names`, () =>
    served(
      { recordRequests: true },
      async ({ get, admin }) => {
        await get('/a');
        const requests = (await admin('GET', '%/requests')).json;
        assert.equal(requests.length, 1);
        assert.deepEqual(requests, (await admin('GET', '%/savedRequests')).json);
      },
      setting,
    ));

  test(`${profile}: templates of files are no templates of responses`, () =>
    served(
      { stubs: [on('/', is('<%= 1 %>'))] },
      async ({ get }) => assert.equal((await get('/')).body, '<%= 1 %>'),
      setting,
    ));

  test(`${profile}: an operator inside a selector is refused`, async () => {
    const predicates = [{ jsonpath: { selector: '$.a', equals: { body: '1' } } }];
    assert.equal((await creationOf({ stubs: [{ predicates, responses: [is('x')] }] }, setting)).status, 400);
  });

  test(`${profile}: of what others promise, what is none stays as it is`, async () => {
    const copied = { from: { path: '/(.*)' }, into: '${x}', using: { method: 'regex', selector: '.*' } };
    await served(
      {
        stubs: [
          on('/copy', is('[${x}]', { _behaviors: { copy: copied } })),
          on('/proxy', is('p', { _behaviors: { proxy: { to: 'http://127.0.0.1:1' } } })),
        ],
        _rift: { metrics: { enabled: true }, proxy: { upstream: { host: 'h', port: 1 } } },
      },
      async ({ get, admin }) => {
        assert.equal((await get('/copy')).body, profile === 'rift' ? '[]' : '[${x}]');
        assert.equal((await get('/proxy')).body, 'p');
        const { _rift, stubs } = (await admin('GET', '%?replayable=true')).json;
        assert.deepEqual(_rift, { metrics: { enabled: true }, proxy: { upstream: { host: 'h', port: 1 } } });
        assert.equal('_behaviors' in stubs[1].responses[0], false);
      },
      setting,
    );
    const json = { path: 'rows.json', keyColumn: 'n' };
    const lookup = {
      key: { from: 'path', using: { method: 'regex', selector: '.*' } },
      fromDataSource: { json },
      into: '${r}',
    };
    const refused = await creationOf({ stubs: [{ responses: [is('x', { _behaviors: { lookup } })] }] }, setting);
    assert.equal(refused.status, 400);
    const lua = { engine: 'lua', code: 'return 1' };
    const scripted = await creationOf(
      { stubs: [{ responses: [{ _rift: { script: lua } }] }] },
      { profile, options: { allowInjection: true } },
    );
    assert.equal(scripted.status, 400);
  });
}

const marks = async ({ get }: ServedImposter, path: string) =>
  Object.keys((await get(path)).headers).filter((name) => name.startsWith('x-rift'));

test('profile mountebank marks nothing', () =>
  served(
    { stubs: [on('/', is('x'))] },
    async (imposter) => {
      assert.deepEqual(await marks(imposter, '/'), []);
      assert.deepEqual(await marks(imposter, '/none'), []);
    },
    { profile: 'mountebank' },
  ));

test('profile rift marks its answers, those of no stub and those of the default response', async () => {
  const rows: [creation: object, path: string, expected: string[]][] = [
    [{ stubs: [on('/', is('x'))] }, '/', ['x-rift-imposter']],
    [{ stubs: [on('/', is('x'))] }, '/none', ['x-rift-imposter', 'x-rift-no-match']],
    [{ defaultResponse: { body: 'd' } }, '/none', ['x-rift-imposter', 'x-rift-default-response']],
  ];
  for (const [creation, path, expected] of rows) {
    await served(creation, async (imposter) => assert.deepEqual(await marks(imposter, path), expected));
  }
});

test('a value of addWaitBehavior that is no boolean: Mountebank takes it, Rift does not', async () => {
  const creation = { stubs: [{ responses: [{ proxy: { to: 'http://127.0.0.1:1', addWaitBehavior: 100 } }] }] };
  assert.equal((await creationOf(creation, { profile: 'mountebank' })).status, 201);
  assert.equal((await creationOf(creation, { profile: 'rift' })).status, 400);
});

test('names of an earlier script API are unknown, and the error names them', () =>
  served(
    { stubs: [{ responses: [{ _rift: { script: { engine: 'rhai', code: 'fn respond(ctx) { flow.get("x") }' } } }] }] },
    async ({ get }) => {
      const answer = await get('/');
      assert.deepEqual([answer.status, answer.headers['x-rift-script-error']], [500, 'true']);
      assert.match(JSON.parse(answer.body).errors[0].message, /flow/);
    },
  ));
