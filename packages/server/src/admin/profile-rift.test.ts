// What profile rift answers where it differs from Mountebank: errors with status and type, its own words, list fields.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort, withAdmin } from './admin.test-help.js';

const stub = (body: string, more: object = {}) => ({ ...more, responses: [{ is: { body } }] });
const bodies = (json: Record<string, unknown>) =>
  (json.stubs as { responses: { is: { body: string } }[] }[]).map(({ responses }) => responses[0]!.is.body);

test('every refusal has the status as code, a type and a message of its own', () =>
  withAdmin('rift', {}, async ({ call, server }) => {
    const port = await freePort();
    assert.equal((await call('POST', '/imposters', { port, stubs: [stub('a', { id: 'a' })] })).status, 201);
    const one = `/imposters/${port}`;
    const rows: [
      method: string,
      path: string,
      body: unknown,
      status: number,
      type: string,
      message: string | RegExp,
    ][] = [
      ['GET', '/nowhere', undefined, 404, 'no such resource', 'Not Found'],
      ['PATCH', '/imposters', undefined, 404, 'no such resource', 'Not Found'],
      ['GET', '/intercept/nonexistent', undefined, 404, 'no such resource', 'Not Found'],
      ['GET', '/imposters/abc', undefined, 400, 'bad data', 'Invalid port number'],
      ['GET', '/imposters/0', undefined, 400, 'bad data', 'Invalid port number'],
      ['GET', '/imposters/65536', undefined, 400, 'bad data', 'Invalid port number'],
      ['DELETE', '/imposters/-1', undefined, 400, 'bad data', 'Invalid port number'],
      ['GET', '/imposters/65000', undefined, 404, 'no such resource', 'Imposter not found on port 65000'],
      [
        'POST',
        '/imposters/65000/stubs',
        { stub: stub('x') },
        404,
        'no such resource',
        'Imposter not found on port 65000',
      ],
      ['DELETE', '/imposters/65000', undefined, 404, 'no such resource', 'No imposter exists on port 65000'],
      ['POST', '/imposters', '{', 400, 'bad data', /^Invalid imposter JSON: ./],
      ['PUT', '/imposters', '{', 400, 'bad data', /^Invalid batch JSON: ./],
      ['POST', `${one}/stubs`, '{', 400, 'bad data', /^Invalid stub JSON: ./],
      ['PUT', `${one}/stubs`, '{', 400, 'bad data', /^Invalid stubs JSON: ./],
      ['PUT', `${one}/stubs/0`, '{', 400, 'bad data', /^Invalid stub JSON: ./],
      ['PUT', `${one}/stubs/by-id/a`, '{', 400, 'bad data', /^Invalid stub JSON: ./],
      ['POST', '/imposters', { port }, 400, 'bad data', `Port ${port} is already in use`],
      ['POST', '/imposters', { port: server.port }, 400, 'bad data', `Port ${server.port} is already in use`],
      [
        'POST',
        '/imposters',
        { host: '192.0.2.1', port: port + 1 },
        500,
        'internal error',
        new RegExp(`^Failed to bind port ${port + 1}: .*EADDRNOTAVAIL`),
      ],
      ['POST', '/imposters', { protocol: 'ftp' }, 400, 'bad data', 'Invalid protocol: ftp'],
      [
        'POST',
        `${one}/stubs`,
        { index: 9, stub: stub('x') },
        400,
        'bad data',
        'Stub index 9 is out of range (imposter has 1 stubs)',
      ],
      [
        'POST',
        `${one}/stubs`,
        { stub: stub('x', { id: 'a' }) },
        409,
        'resource conflict',
        "A stub with id 'a' already exists",
      ],
      ['PUT', `${one}/stubs/7`, stub('x'), 404, 'no such resource', 'Stub index 7 not found'],
      ['DELETE', `${one}/stubs/7`, undefined, 404, 'no such resource', 'Stub index 7 not found'],
      ['GET', `${one}/stubs/7`, undefined, 404, 'no such resource', 'Stub index 7 not found'],
      ['GET', `${one}/stubs/by-id/b`, undefined, 404, 'no such resource', "No stub with id 'b'"],
      ['PUT', `${one}/stubs/by-id/b`, stub('x'), 404, 'no such resource', "No stub with id 'b'"],
      ['DELETE', `${one}/stubs/by-id/b`, undefined, 404, 'no such resource', "No stub with id 'b'"],
      [
        'PUT',
        '/imposters',
        { imposters: [{ port, stubs: [stub('x', { id: 'z' }), stub('y', { id: 'z' })] }] },
        400,
        'bad data',
        "Invalid imposter set (imposters unchanged): A stub with id 'z' already exists",
      ],
    ];
    for (const [method, path, body, status, type, message] of rows) {
      const label = `${method} ${path} ${JSON.stringify(body)}`;
      const answer = await call(method, path, body);
      assert.equal(answer.status, status, `${label}: ${answer.body}`);
      assert.equal(answer.headers['content-type'], 'application/json', label);
      const [error] = (answer.json() as { errors: Record<string, string>[] }).errors;
      assert.deepEqual(Object.keys(error!).slice(0, 3), ['code', 'type', 'message'], label);
      assert.equal(error!.code, String(status), label);
      assert.equal(error!.type, type, label);
      if (typeof message === 'string') assert.equal(error!.message, message, label);
      else assert.match(error!.message!, message, label);
    }
    assert.deepEqual(bodies((await call('GET', one)).json()), ['a']);
  }));

test('codes of scripts and of the key stay words', () =>
  withAdmin('rift', { apiKey: 'k' }, async ({ call }) => {
    const key = { 'x-api-key': 'k' };
    const refused = await call('POST', '/imposters', { stubs: [{ responses: [{ inject: '() => 1' }] }] }, key);
    assert.equal(refused.status, 400);
    const [error] = (refused.json() as { errors: Record<string, unknown>[] }).errors;
    assert.equal(error!.code, 'invalid injection');
    assert.equal(error!.type, 'invalid injection');
    assert.equal(error!.path, 'stubs[0]');
    const locked = await call('GET', '/');
    assert.equal(locked.status, 401);
    assert.deepEqual(locked.json(), {
      errors: [
        {
          code: 'unauthorized',
          type: 'unauthorized',
          message:
            'If you set the apiKey option, make sure you are sending the correct apiKey in the x-api-key header.',
        },
      ],
    });
    assert.equal((await call('GET', '/health')).body, '{\n  "status": "ok"\n}');
    assert.equal((await call('GET', '/ready')).status, 200);
    assert.equal((await call('GET', '/version')).status, 401);
  }));

test('a body that a route does not read is not looked at', () =>
  withAdmin('rift', {}, async ({ call }) => {
    assert.equal((await call('GET', '/imposters', 'junk', { 'Content-Length': '4' })).status, 200);
  }));

test('lists say how many stubs there are, whether an imposter is enabled and whether it records', () =>
  withAdmin('rift', {}, async ({ call }) => {
    const port = await freePort();
    const stubs = [{ ...stub('a'), predicates: [{ equals: { path: '/' } }] }];
    await call('POST', '/imposters', { port, name: 'n', stubs, serviceName: 's' });
    const keys = async (path: string) => {
      const { imposters } = (await call('GET', path)).json() as { imposters: object[] };
      return Object.keys(imposters[0]!);
    };
    assert.deepEqual(await keys('/imposters'), [
      'protocol',
      'port',
      'name',
      'numberOfRequests',
      'stubCount',
      'enabled',
      'recordRequests',
      '_links',
    ]);
    assert.deepEqual(await keys('/imposters?list=true'), ['protocol', 'port', 'name', 'numberOfRequests', '_links']);
    assert.deepEqual(Object.keys((await call('GET', `/imposters/${port}`)).json()), [
      'protocol',
      'port',
      'name',
      'numberOfRequests',
      'enabled',
      'recordRequests',
      'serviceName',
      'requests',
      'stubs',
      '_links',
    ]);
  }));

test('an added stub gets an id, a replaced one goes on with its next response', () =>
  withAdmin('rift', {}, async ({ call }) => {
    const port = await freePort();
    const ring = (...texts: string[]) => ({ id: 'r', responses: texts.map((body) => ({ is: { body } })) });
    await call('POST', '/imposters', { port, stubs: [ring('1', '2', '3')] });
    const ask = async () => (await fetch(`http://127.0.0.1:${port}/`)).text();
    assert.equal(await ask(), '1');
    await call('PUT', `/imposters/${port}/stubs/by-id/r`, { ...ring('a', 'b', 'c'), id: 'other' });
    assert.equal(await ask(), 'b');
    await call('PUT', `/imposters/${port}/stubs/0`, ring('x', 'y', 'z'));
    assert.equal(await ask(), 'z');
    const added = (await call('POST', `/imposters/${port}/stubs`, { stub: stub('new') })).json();
    const [, { id, ...rest }] = added.stubs as [object, { id: string; responses: unknown; _links: unknown }];
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(Object.keys(rest), ['responses', '_links']);
    const shown = (await call('GET', `/imposters/${port}/stubs/by-id/${id}`)).json();
    assert.deepEqual(Object.keys(shown), ['id', 'responses']);
    assert.equal(((await call('GET', `/imposters/${port}/stubs/by-id/r`)).json() as { id: string }).id, 'r');
  }));

test('in profile mountebank routes that it does not have answer errors of the same form', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const port = await freePort();
    await call('POST', '/imposters', {
      protocol: 'http',
      port,
      stubs: [stub('a', { id: 'a/ä' }), stub('b', { id: 'b' })],
    });
    const one = `/imposters/${port}`;
    assert.equal((await call('PUT', `${one}/stubs/by-id/${encodeURIComponent('a/ä')}`, stub('A'))).status, 200);
    const shown = (await call('GET', `${one}/stubs`)).json() as { stubs: { id: string }[] };
    assert.deepEqual(
      shown.stubs.map(({ id }) => id),
      ['a/ä', 'b'],
    );
    assert.deepEqual(bodies(shown), ['A', 'b']);
    assert.equal((await call('DELETE', `${one}/stubs/by-id/b`)).status, 200);
    const again = await call('DELETE', `${one}/stubs/by-id/b`);
    assert.deepEqual(again.json(), {
      errors: [{ code: '404', type: 'no such resource', message: "No stub with id 'b'" }],
    });
    const taken = await call('POST', `${one}/stubs`, { stub: stub('x', { id: 'a/ä' }) });
    assert.equal(taken.status, 409);
    assert.deepEqual(taken.json(), {
      errors: [{ code: '409', type: 'resource conflict', message: "A stub with id 'a/ä' already exists" }],
    });
    const added = (await call('POST', `${one}/stubs`, { stub: stub('x') })).json() as { stubs: object[] };
    assert.deepEqual(Object.keys(added.stubs[1]!), ['responses', '_links']);
    const unknown = await call('GET', '/intercept/nonexistent');
    assert.equal(unknown.status, 404);
    assert.match(unknown.body, /"Not Found"/);
  }));

test('an admin body past the limit is refused with the limit in force', () =>
  withAdmin('rift', { limits: { maxBodyBytes: 1000 } }, async ({ call }) => {
    const answer = await call('POST', '/imposters', 'x'.repeat(1001));
    assert.equal(answer.status, 413);
    assert.deepEqual(answer.json(), {
      errors: [
        { code: '413', type: 'request too large', message: 'Request body exceeds the 1000-byte admin API limit' },
      ],
    });
  }));
