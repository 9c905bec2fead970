import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort, withAdmin } from './admin.test-help.js';

const stub = (body: string) => ({ responses: [{ is: { body } }] });

test('the home document links with the Host that the client sent', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const answer = await call('GET', '/', undefined, { Host: 'h:2525' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.vary, 'Accept');
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(
      answer.body,
      `{
  "_links": {
    "imposters": {
      "href": "http://h:2525/imposters"
    },
    "config": {
      "href": "http://h:2525/config"
    },
    "logs": {
      "href": "http://h:2525/logs"
    }
  }
}`,
    );
  }));

test('an imposter is created, read back byte for byte, and deleted', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const port = await freePort();
    const created = await call(
      'POST',
      '/imposters',
      { port: String(port), protocol: 'http', zzz: 1, recordRequests: 1 },
      { Host: 'h' },
    );
    assert.equal(created.status, 201);
    assert.equal(created.headers.location, `http://h/imposters/${port}`);
    assert.deepEqual(Object.keys(created.json()), [
      'protocol',
      'port',
      'numberOfRequests',
      'recordRequests',
      'requests',
      'stubs',
      '_links',
    ]);
    assert.equal((await call('GET', `/imposters/${port}`, undefined, { Host: 'h' })).body, created.body);
    assert.equal((await call('DELETE', `/imposters/${port}`)).status, 200);
    assert.equal((await call('DELETE', `/imposters/${port}`)).body, '{}');
    assert.equal((await call('GET', `/imposters/${port}`)).status, 404);
    assert.equal((await call('GET', '/Imposters/')).body, '{\n  "imposters": []\n}');
  }));

test('stubs are inserted, replaced and removed by position', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const port = await freePort();
    await call('POST', '/imposters', { port, protocol: 'http', stubs: [stub('a'), stub('b')] });
    const bodies = async () => {
      const { stubs } = (await call('GET', `/imposters/${port}?replayable=true`)).json();
      return (stubs as ReturnType<typeof stub>[]).map(({ responses }) => responses[0]!.is.body);
    };
    await call('POST', `/imposters/${port}/stubs`, { index: 0, stub: stub('s') });
    assert.deepEqual(await bodies(), ['s', 'a', 'b']);
    await call('PUT', `/imposters/${port}/stubs/1`, stub('A'));
    await call('DELETE', `/imposters/${port}/stubs/2`);
    assert.deepEqual(await bodies(), ['s', 'A']);
    const missing = await call('PUT', `/imposters/${port}/stubs/5`, stub('x'));
    assert.equal(missing.status, 404);
    assert.deepEqual(missing.json(), {
      errors: [
        {
          code: 'bad data',
          message: "'stubIndex' must be a valid integer, representing the array index position of the stub to replace",
        },
      ],
    });
  }));

test('a body that is no JSON is refused on every method and path, before the imposter is looked for', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    for (const [method, path] of [
      ['GET', '/imposters'],
      ['PUT', '/imposters/9/stubs'],
      ['DELETE', '/nowhere'],
    ] as const) {
      const answer = await call(method, path, '{bad', { 'Content-Length': '4' });
      assert.equal(answer.status, 400, path);
      assert.deepEqual(answer.json(), {
        errors: [{ code: 'invalid JSON', message: 'Unable to parse body as JSON', source: '{bad' }],
      });
    }
  }));

test('an unknown path or method is a 404 page', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const answer = await call('PATCH', '/imposters/<b>&');
    assert.equal(answer.status, 404);
    assert.equal(answer.headers['content-security-policy'], "default-src 'none'");
    assert.match(answer.body, /<pre>Cannot PATCH \/imposters\/%3Cb%3E&amp;<\/pre>/);
  }));

test('in profile rift errors have status and type, an unknown path is JSON', () =>
  withAdmin('rift', {}, async ({ call }) => {
    const port = await freePort();
    const answer = await call('GET', '/nowhere');
    assert.equal(answer.status, 404);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.deepEqual(answer.json(), { errors: [{ code: '404', type: 'no such resource', message: 'Not Found' }] });
    assert.equal((await call('GET', '/imposters/abc')).status, 400);
    assert.equal((await call('DELETE', `/imposters/${port}`)).status, 404);
  }));

test('with a key every request needs it, in any of three headers', () =>
  withAdmin('mountebank', { apiKey: 'k1' }, async ({ call }) => {
    assert.equal((await call('GET', '/nowhere')).status, 401);
    for (const [name, value] of [
      ['x-api-key', 'k1'],
      ['Authorization', 'k1'],
      ['Authorization', 'Bearer k1'],
    ] as const) {
      assert.equal((await call('GET', '/imposters', undefined, { [name]: value })).status, 200);
    }
    const refused = await call('GET', '/imposters', undefined, { Authorization: 'k2' });
    assert.match(refused.body, /Invalid authorization token/);
  }));

for (const profile of ['mountebank', 'rift'] as const) {
  test(`a disabled imposter of profile ${profile} refuses and counts nothing until it is enabled again`, () =>
    withAdmin(profile, {}, async ({ call }) => {
      const port = await freePort();
      await call('POST', '/imposters', { protocol: 'http', port, recordRequests: true, stubs: [stub('a')] });
      const one = `/imposters/${port}`;
      assert.deepEqual((await call('POST', `${one}/disable`)).json(), { message: 'Imposter disabled' });
      assert.equal((await call('POST', `${one}/disable`)).status, 200);
      const refused = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x' });
      assert.equal(refused.status, 503);
      assert.equal(refused.headers.get('x-rift-imposter-disabled'), 'true');
      assert.equal(refused.headers.get('content-type'), 'application/json');
      assert.deepEqual(await refused.json(), {
        errors: [{ code: '503', type: 'imposter disabled', message: 'Imposter is disabled' }],
      });
      const shown = (await call('GET', one)).json();
      assert.equal(shown.enabled, false);
      assert.equal(shown.numberOfRequests, 0);
      assert.equal((await call('GET', `${one}?replayable=true`)).json().enabled, false);
      assert.deepEqual((await call('POST', `${one}/enable`)).json(), { message: 'Imposter enabled' });
      assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'a');
      assert.equal((await call('GET', one)).json().enabled, profile === 'rift' ? true : undefined);
      const absent = await call('POST', '/imposters/1/disable');
      assert.equal(absent.status, 404);
      assert.match(absent.body, /Imposter not found on port 1/);
    }));
}

test('an imposter that is created disabled stays so', () =>
  withAdmin('rift', {}, async ({ call }) => {
    const port = await freePort();
    assert.equal((await call('POST', '/imposters', { port, enabled: false })).json().enabled, false);
    assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 503);
  }));
