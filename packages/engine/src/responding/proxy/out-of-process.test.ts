import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Imposter } from '../../imposter.js';
import { Imposters } from '../../imposters.js';
import { plainView } from '../../matching/plain-view.js';
import type { JsonObject } from '../../model/types.js';
import type { Protocol } from '../../protocols/types.js';
import { stubsOf } from './proxy.test-help.js';

/** A protocol that a process of its own speaks: nothing listens here. */
const foreign: Protocol = {
  name: 'foreign',
  dryRunRequest: { data: 'test' },
  dryRunProxyResponse: { data: '' },
  metadata: () => ({}),
  encoding: () => 'utf8',
  listen: async () => ({ port: 9, close: async () => {} }),
};

async function foreignImposter(proxy: JsonObject, more: JsonObject = {}): Promise<Imposter> {
  const all = new Imposters({
    profile: 'mountebank',
    protocols: new Map([['foreign', foreign]]),
    allowInjection: true,
  });
  return all.createFrom({ protocol: 'foreign', port: 9, stubs: [{ responses: [{ proxy, ...more }] }] });
}

/** The key under which the answer to a request is to be posted. */
async function keyFor(imposter: Imposter, data: string): Promise<{ key: string; proxy: JsonObject }> {
  const outcome = await imposter.handle(plainView({ data }));
  if (outcome.kind !== 'delegated') throw new Error(`the outcome is ${outcome.kind}`);
  return { key: String(outcome.key), proxy: outcome.proxy };
}

const url = 'http://localhost:1/imposters/9/_requests/x';
const byData = [{ matches: { data: true } }];

test('the process is told whom to call, with the mode that counts, and gets a key of its own for each request', async () => {
  const proxy = { to: 'foo://up:1', predicateGenerators: byData };
  const imposter = await foreignImposter(proxy);
  const first = await keyFor(imposter, 'a');
  assert.equal(JSON.stringify(first.proxy), JSON.stringify({ ...proxy, mode: 'proxyOnce' }));
  const second = await keyFor(imposter, 'b');
  assert.deepEqual([first.key, second.key], ['0', '1']);
  assert.equal(imposter.stubCount, 1);
});

test('the answer that is posted goes through the behaviors, gets its time and is recorded', async () => {
  const behaviors = [{ decorate: "c => { c.response.data += '!'; }" }];
  const imposter = await foreignImposter({ to: 'foo://up:1', predicateGenerators: byData }, { behaviors });
  const { key } = await keyFor(imposter, 'a');
  const { data } = await imposter.pendingProxies.complete(key, { data: 'answer' }, url);
  assert.deepEqual(Object.keys(data), ['data', '_proxyResponseTime']);
  assert.equal(data.data, 'answer!');
  const [recorded] = stubsOf(imposter);
  assert.deepEqual(recorded, {
    predicates: [{ deepEquals: { data: 'a' } }],
    responses: [{ is: { data: 'answer!', _proxyResponseTime: data._proxyResponseTime } }],
  });
  const replay = await imposter.handle(plainView({ data: 'a' }));
  assert.equal(replay.kind === 'response' && replay.data.data, 'answer!');
});

test('two calls for the same predicates are recorded once', async () => {
  const imposter = await foreignImposter({ to: 'foo://up:1', predicateGenerators: byData });
  const keys = [await keyFor(imposter, 'a'), await keyFor(imposter, 'a')];
  for (const { key } of keys) await imposter.pendingProxies.complete(key, { data: key }, url);
  assert.equal(imposter.stubCount, 2);
});

test('a key is good for once; a key that nobody gave out is unknown', async () => {
  const imposter = await foreignImposter({ to: 'foo://up:1', mode: 'proxyTransparent' });
  const { key } = await keyFor(imposter, 'a');
  await imposter.pendingProxies.complete(key, { data: 'x' }, url);
  for (const wrong of [key, '7', 'x', '', '00']) {
    await assert.rejects(imposter.pendingProxies.complete(wrong, { data: 'x' }, url), {
      code: 'no such resource',
      message: 'invalid proxy resolution key',
      extras: { source: url },
    });
  }
});
