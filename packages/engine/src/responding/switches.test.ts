// The switches of an imposter: what failing behaviors do by profile, and disabling, over HTTP.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject, Profile } from '../model/types.js';
import { imposters, send } from './proxy/proxy.test-help.js';

const PROFILES = ['mountebank', 'rift'] as const;

function serving(t: TestContext, profile: Profile, response: JsonObject, imposter: JsonObject = {}) {
  return imposters(t, profile).createFrom({ protocol: 'http', stubs: [{ responses: [response] }], ...imposter });
}

interface FailingRow {
  readonly name: string;
  readonly response: JsonObject;
  readonly marker: string;
  /** What is served when the failure is not an error. */
  readonly lenient: string;
  readonly strict: RegExp;
  /** Profile `mountebank`: the first element of `errors`, as far as it is fixed; undefined: no failure there. */
  readonly mountebank: { readonly message: string; readonly data?: string } | RegExp | undefined;
}

const FAILING: readonly FailingRow[] = [
  {
    name: 'a decorate that throws',
    response: { is: { statusCode: 201, body: 'plain' }, behaviors: [{ decorate: '() => { throw new Error("d1"); }' }] },
    marker: 'x-rift-decorate-error',
    lenient: 'plain',
    strict: /^decorate failed \(strictBehaviors\): .*d1/,
    mountebank: { message: 'invalid decorator injection', data: 'd1' },
  },
  {
    name: 'a shell command that fails',
    response: { is: { statusCode: 201, body: 'plain' }, behaviors: [{ shellTransform: 'exit 3' }] },
    marker: 'x-rift-shelltransform-error',
    lenient: 'plain',
    strict: /^shellTransform failed \(strictBehaviors\): /,
    mountebank: /./,
  },
  {
    name: 'a binary body that is no base64',
    response: { is: { statusCode: 201, body: 'a-b!', _mode: 'binary' } },
    marker: 'x-rift-binary-error',
    lenient: 'a-b!',
    strict: /^binary base64 decode failed \(strictBehaviors\): "-" at position 1/,
    mountebank: undefined,
  },
];

for (const { name, response, marker, lenient, strict, mountebank } of FAILING) {
  test(`profile rift: ${name} degrades the answer and is told in a header`, async (t) => {
    const answer = await send((await serving(t, 'rift', response)).port, '/');
    assert.deepEqual([answer.status, answer.body, answer.headers[marker]], [201, lenient, 'true']);
  });

  test(`profile rift, strictBehaviors: ${name} is an error`, async (t) => {
    const { port } = await serving(t, 'rift', response, { strictBehaviors: true });
    for (let i = 0; i < 2; i++) {
      const answer = await send(port, '/');
      assert.deepEqual([answer.status, answer.headers[marker]], [500, 'true']);
      const [{ code, type, message }] = (JSON.parse(answer.body) as { errors: [{ [key: string]: string }] }).errors;
      assert.deepEqual([code, type], ['500', 'behavior error']);
      assert.match(message, strict);
    }
  });

  for (const strictBehaviors of [false, true]) {
    test(`profile mountebank, strictBehaviors ${strictBehaviors}: ${name}`, async (t) => {
      const answer = await send((await serving(t, 'mountebank', response, { strictBehaviors })).port, '/');
      assert.equal(answer.headers[marker], mountebank === undefined ? undefined : 'true');
      assert.equal(answer.status, mountebank === undefined ? 201 : 500);
      if (mountebank === undefined) return;
      const [error] = (JSON.parse(answer.body) as { errors: [string | { message: string; data?: string }] }).errors;
      if (mountebank instanceof RegExp) assert.match(String(error), mountebank);
      else {
        const { message, data } = error as { message: string; data?: string };
        assert.equal(message, mountebank.message);
        assert.match(String(data), new RegExp(mountebank.data ?? ''));
      }
    });
  }
}

test('base64 of mode binary', async (t) => {
  for (const [body, mountebank, rift] of [
    ['aGk=', 'hi', 'hi'],
    ['aGk', 'hi', 'aGk'],
    ['aG\nk=', 'hi', 'aG\nk='],
    ['', '', ''],
  ] as const) {
    for (const profile of PROFILES) {
      const { port } = await serving(t, profile, { is: { body, _mode: 'binary' } });
      const answer = await send(port, '/');
      assert.equal(answer.body, profile === 'rift' ? rift : mountebank, `${profile} ${JSON.stringify(body)}`);
      const failed = profile === 'rift' && rift === body && body !== '';
      assert.equal(answer.headers['x-rift-binary-error'], failed ? 'true' : undefined);
    }
  }
});

test('a wait function that throws', async (t) => {
  const response = { is: { body: 'late' }, behaviors: [{ wait: "() => { throw new Error('w') }" }] };
  const started = performance.now();
  assert.equal((await send((await serving(t, 'rift', response)).port, '/')).body, 'late');
  assert.ok(performance.now() - started >= 98);
  const mountebank = await send((await serving(t, 'mountebank', response)).port, '/');
  assert.equal(mountebank.status, 500);
  assert.match(mountebank.body, /invalid wait injection/);
});

for (const profile of PROFILES) {
  test(`profile ${profile}: a disabled imposter answers 503, counts and records nothing`, async (t) => {
    const made = await serving(t, profile, { is: { body: 'on' } }, { recordRequests: true });
    made.enabled = false;
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await send(made.port, '/', { method });
      assert.equal(answer.status, 503);
      assert.equal(answer.headers['x-rift-imposter-disabled'], 'true');
      assert.equal(answer.headers['content-type'], 'application/json');
      assert.equal(answer.headers['x-rift-imposter'], undefined);
      const error = { code: '503', type: 'imposter disabled', message: 'Imposter is disabled' };
      assert.deepEqual(JSON.parse(answer.body), { errors: [error] });
    }
    assert.deepEqual([made.numberOfRequests, [...made.journal].length], [0, 0]);
    made.enabled = true;
    assert.equal((await send(made.port, '/')).body, 'on');
    assert.deepEqual([made.numberOfRequests, [...made.journal].length], [1, 1]);
  });
}
