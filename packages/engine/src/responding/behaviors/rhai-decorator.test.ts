import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Profile } from '../../model/types.js';
import { imposters, send } from '../proxy/proxy.test-help.js';

/** The answer to `POST /p?a=1` with body `in`, decorated. */
async function decorated(
  t: test.TestContext,
  decorate: string,
  { is = { body: 'k' }, profile = 'rift', ...more }: { is?: object; profile?: Profile; [key: string]: unknown } = {},
) {
  const stubs = [{ responses: [{ is, behaviors: [{ decorate }] }] }];
  const { port } = await imposters(t, profile).createFrom({ protocol: 'http', stubs, ...more } as object);
  return send(port, '/p?a=1', { method: 'POST', headers: { 'X-A': 'b' }, body: 'in' });
}

for (const profile of ['mountebank', 'rift'] as const) {
  test(`profile ${profile}: statements in Rhai decorate the response`, async (t) => {
    const answer = await decorated(t, 'response.body = "<" + response.body + ">"; response.statusCode = 203;', {
      profile,
    });
    assert.deepEqual([answer.status, answer.body], [203, '<k>']);
  });

  test(`profile ${profile}: what a decorator in Rhai knows of the request`, async (t) => {
    const code =
      'response.body = `${request.method} ${request.path} ${request.query.a} ${request.headers["X-A"]} ${request.body}`;';
    assert.equal((await decorated(t, code, { profile })).body, 'POST /p 1 b in');
  });

  test(`profile ${profile}: headers and bodies that it leaves alone stay as they are`, async (t) => {
    const is = { statusCode: '201', headers: { 'X-One': '1', 'Set-Cookie': ['a=1', 'b=2'] }, body: { d: false } };
    const answer = await decorated(t, 'response.headers["X-Two"] = "2"; response.headers["X-No"] = 5;', {
      profile,
      is,
    });
    assert.equal(answer.status, 201);
    assert.deepEqual(JSON.parse(answer.body), { d: false });
    const { headers } = answer;
    assert.deepEqual([headers['x-one'], headers['x-two'], headers['x-no']], ['1', '2', undefined]);
    assert.deepEqual(headers['set-cookie'], ['a=1', 'b=2']);
  });
}

test('an object body is its JSON text', async (t) => {
  const answer = await decorated(t, 'response.body.replace("false", "true");', { is: { body: { d: false } } });
  assert.equal(answer.body, '{"d":true}');
});

test('a decorator in Rhai that fails', async (t) => {
  const lenient = await decorated(t, 'response.body = nothing;');
  assert.deepEqual([lenient.status, lenient.body, lenient.headers['x-rift-decorate-error']], [200, 'k', 'true']);
  const strict = await decorated(t, 'response.body = nothing;', { strictBehaviors: true });
  assert.deepEqual([strict.status, strict.headers['x-rift-decorate-error']], [500, 'true']);
  assert.match(strict.body, /decorate failed \(strictBehaviors\): Variable not found: nothing/);
  const mountebank = await decorated(t, 'response.body = nothing;', { profile: 'mountebank' });
  assert.deepEqual([mountebank.status, mountebank.headers['x-rift-decorate-error']], [500, 'true']);
  const [{ message, data }] = JSON.parse(mountebank.body).errors;
  assert.deepEqual(
    [message, data],
    ['invalid decorator injection', 'Variable not found: nothing (line 1, position 17)'],
  );
});

test('a text that is neither JavaScript nor Rhai', async (t) => {
  const rift = await decorated(t, 'response.body = ;');
  assert.deepEqual([rift.status, rift.body, rift.headers['x-rift-decorate-error']], [200, 'k', 'true']);
  const mountebank = await decorated(t, 'response.body = ;', { profile: 'mountebank' });
  assert.equal(mountebank.status, 500);
  assert.match(JSON.parse(mountebank.body).errors[0].data, /Unexpected token/);
});

test('a decorator in Rhai without an end', async (t) => {
  const _rift = { scriptEngine: { timeoutMs: 100 } };
  const answer = await decorated(t, 'loop { }', { _rift });
  assert.deepEqual([answer.status, answer.body], [200, 'k']);
  assert.deepEqual(
    [answer.headers['x-rift-decorate-error'], answer.headers['x-rift-script-timeout']],
    ['true', 'true'],
  );
  assert.equal((await decorated(t, 'loop { }', { _rift, profile: 'mountebank' })).status, 504);
});
