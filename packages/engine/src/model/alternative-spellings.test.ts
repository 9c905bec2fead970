// The spellings that only Rift knows, from the posted document to the answer on the wire.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RiftErrors } from '../errors.js';
import type { Imposter } from '../imposter.js';
import { imposters } from '../responding/proxy/proxy.test-help.js';
import type { Profile } from './types.js';

const profiles: readonly Profile[] = ['mountebank', 'rift'];

async function get(imposter: Imposter, path = '/'): Promise<Response> {
  return fetch(`http://127.0.0.1:${imposter.port}${path}`, { headers: { Connection: 'close' } });
}

/** Bodies of so many requests, one after the other. */
async function bodies(imposter: Imposter, count: number): Promise<string> {
  const texts: string[] = [];
  while (texts.length < count) texts.push(await (await get(imposter)).text());
  return texts.join(' ');
}

for (const profile of profiles) {
  test(`profile ${profile}: a flat response is served with its fields`, async (t) => {
    const stub = { responses: [{ statusCode: '202', headers: { 'X-N': 7, 'X-L': ['a', 1, true] }, body: 'flat' }] };
    const imposter = await imposters(t, profile).createFrom({ protocol: 'http', stubs: [stub] });
    const response = await get(imposter);
    assert.equal(response.status, 202);
    assert.equal(response.headers.get('x-n'), '7');
    assert.equal(response.headers.get('x-l'), 'a, 1, true');
    assert.equal(await response.text(), 'flat');
    const [shown] = imposter.toJson('replayable').stubs as object[];
    assert.deepEqual(shown, stub);
  });

  test(`profile ${profile}: rules decide what a stub matches`, async (t) => {
    const stub = { rules: [{ equals: { path: '/only' } }], responses: [{ is: { body: 'r' } }] };
    const imposter = await imposters(t, profile).createFrom({ protocol: 'http', stubs: [stub] });
    assert.equal(await (await get(imposter, '/only')).text(), 'r');
    assert.equal(await (await get(imposter, '/else')).text(), '');
  });

  test(`profile ${profile}: repeat counts wherever it stands`, async (t) => {
    const all = imposters(t, profile);
    const last = { is: { body: 'b' } };
    for (const first of [
      { is: { body: 'a' }, repeat: '2' },
      { is: { body: 'a' }, _behaviors: { repeat: 2 } },
      { is: { body: 'a' }, behaviors: [{ repeat: 2 }] },
      { is: { body: 'a' }, behaviors: { repeat: 2 } },
    ]) {
      const imposter = await all.createFrom({ protocol: 'http', stubs: [{ responses: [first, last] }] });
      assert.equal(await bodies(imposter, 4), 'a a b a', JSON.stringify(first));
    }
  });

  test(`profile ${profile}: predicates and behaviors of a falsy kind are none`, async (t) => {
    const stub = { predicates: '', responses: [{ is: { body: 'x' }, behaviors: 0 }] };
    const imposter = await imposters(t, profile).createFrom({ protocol: 'http', stubs: [stub] });
    assert.equal(await bodies(imposter, 1), 'x');
  });

  test(`profile ${profile}: null types beside another are ignored`, async (t) => {
    const stub = { responses: [{ proxy: null, inject: null, fault: null, is: { body: 'x' } }] };
    const imposter = await imposters(t, profile).createFrom({ protocol: 'http', stubs: [stub] });
    assert.equal(await bodies(imposter, 1), 'x');
  });
}

test('a stub without responses matches and serves the answer for no match, profile rift', async (t) => {
  const imposter = await imposters(t, 'rift').createFrom({
    protocol: 'http',
    stubs: [{ predicates: [{ equals: { path: '/' } }] }, { responses: [{ is: { body: 'later' } }] }],
  });
  assert.equal(await bodies(imposter, 1), '');
  assert.equal(await (await get(imposter, '/other')).text(), 'later');
});

test('of several types profile rift serves the first', async (t) => {
  const stub = { responses: [{ fault: 'CONNECTION_RESET_BY_PEER', is: { body: 'x' } }] };
  const imposter = await imposters(t, 'rift').createFrom({ protocol: 'http', stubs: [stub] });
  assert.equal(await bodies(imposter, 1), 'x');
});

test('a predicate generator that fails is refused when the imposter is created', async (t) => {
  const proxy = { to: 'http://127.0.0.1:1', predicateGenerators: [{ inject: 'config => missing' }] };
  await assert.rejects(
    imposters(t).createFrom({ protocol: 'http', stubs: [{ responses: [{ proxy }] }] }),
    ({ errors }: RiftErrors) => {
      assert.deepEqual(
        errors.map((error) => error.toJSON()),
        [
          {
            code: 'invalid injection',
            message: 'invalid predicateGenerator injection',
            source: '(config => missing)(config);',
            data: 'missing is not defined',
          },
        ],
      );
      return true;
    },
  );
});
