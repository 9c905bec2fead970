import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { creationCases } from './creation-cases.fixture.js';
import { errorBody } from './error-json.js';
import { readImposter, readImposters } from './read-imposter.js';
import { readOptions } from './read-options.fixture.js';

/** What the admin API would send, as text, so that key order counts. */
async function answer(post: unknown, allowInjection: boolean): Promise<string> {
  const result = await readImposter(post, readOptions({ allowInjection }));
  return 'errors' in result ? JSON.stringify(errorBody(result.errors, 'mountebank').errors) : 'created';
}

describe('a creation request is answered as the table says', () => {
  for (const { name, post, allowInjection, errors } of creationCases()) {
    test(name, async () => {
      assert.equal(await answer(post, allowInjection), errors === undefined ? 'created' : JSON.stringify(errors));
    });
  }
});

test('reading leaves the posted document as it is', async () => {
  const post = {
    protocol: 'tcp',
    port: '4545',
    allowCors: true,
    stubs: [
      { matches: [], responses: [{ is: {}, _behaviors: { wait: 1, shellTransform: 'x' } }] },
      { responses: [{ proxy: { to: { host: 'h', port: 1 } } }] },
    ],
  };
  const before = JSON.stringify(post);
  const result = await readImposter(post, readOptions());
  assert.ok('value' in result);
  assert.equal(JSON.stringify(post), before);
});

test('a numeric text becomes the port number, and aliases get their own names', async () => {
  const result = await readImposter(
    { protocol: 'http', port: ' 0x1F90 ', service_name: 's', service_info: [1], allowCors: true },
    readOptions(),
  );
  assert.ok('value' in result);
  assert.deepEqual(result.value, {
    protocol: 'http',
    port: 8080,
    serviceName: 's',
    serviceInfo: [1],
    allowCORS: true,
    stubs: [],
  });
});

test('a batch lists the errors of all its imposters in their order', async () => {
  const post = { imposters: [{ protocol: 'http' }, { port: 'x' }, { protocol: 'ftp' }, null] };
  const result = await readImposters(post, readOptions());
  assert.ok('errors' in result);
  assert.deepEqual(
    result.errors.map(({ message, answer: { path } }) => [path, message]),
    [
      ['imposters[1].port', "invalid value for 'port'"],
      ['imposters[1].protocol', "'protocol' is a required field"],
      ['imposters[2].protocol', 'the ftp protocol is not yet supported'],
      ['imposters[3]', 'imposter must be an object'],
    ],
  );
});

test('a batch must be an object with an array of imposters', async () => {
  const rows: [unknown, string][] = [
    [null, "'imposters' is a required field"],
    ['', "'imposters' is a required field"],
    [{}, "'imposters' is a required field"],
    [[], "'imposters' is a required field"],
    [{ imposters: 'x' }, "'imposters' must be an array"],
    [{ imposters: null }, "'imposters' must be an array"],
    [{ imposters: {} }, "'imposters' must be an array"],
  ];
  for (const [post, message] of rows) {
    const result = await readImposters(post, readOptions());
    assert.ok('errors' in result, JSON.stringify(post));
    assert.deepEqual(
      result.errors.map((error) => error.message),
      [message],
    );
  }
});

test('an error knows where in the posted document the faulty part stands', async () => {
  const rows: [object, string][] = [
    [{ stubs: [{ responses: [] }] }, 'stubs[0].responses'],
    [{ stubs: [{ responses: [{ is: {} }, { is: {}, repeat: 0 }] }] }, 'stubs[0].responses[1].repeat'],
    [
      { stubs: [{ responses: [{ is: {}, behaviors: [{ copy: { from: 'a', into: 'b', using: {} } }] }] }] },
      'stubs[0].responses[0].behaviors[0].copy.using.method',
    ],
    [{ stubs: [{ responses: [{ proxy: {} }] }] }, 'stubs[0].responses[0].proxy.to'],
    [{ stubs: [{ predicates: [{ exists: {} }, {}], responses: [{ is: {} }] }] }, 'stubs[0].predicates[1]'],
  ];
  for (const [part, path] of rows) {
    const result = await readImposter({ protocol: 'http', ...part }, readOptions());
    assert.ok('errors' in result, path);
    assert.equal(result.errors[0]!.answer.path, path);
  }
});
