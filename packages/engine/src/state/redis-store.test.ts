import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { hasRedis, startRedis } from '@rift-ts/oracle';
import { silentLogger } from '../logger.js';
import { openRedis } from './redis-link.js';
import { RedisStore } from './redis-store.js';
import { StoreFailure } from './types.js';

async function twoStores(t: TestContext, ttlSeconds = 60) {
  const redis = await startRedis((end) => t.after(end));
  const links = await Promise.all([openRedis(redis.url, silentLogger), openRedis(redis.url, silentLogger)]);
  t.after(() => Promise.all(links.map((link) => link.release())));
  const [one, two] = links.map((link) => new RedisStore(link, 'rift:', ttlSeconds));
  return { redis, link: links[0]!, one: one!, two: two! };
}

test('a Redis that nobody is at is told at once, without its password', async () => {
  const opening = openRedis('redis://user:secret@127.0.0.1:1', silentLogger);
  await assert.rejects(opening, (error: Error) => /ECONNREFUSED/.test(error.message) && !/secret/.test(error.message));
});

if (hasRedis) {
  test('cells lie in Redis as documented: key, JSON text, time to live', async (t) => {
    const { link, one } = await twoStores(t);
    await one.set('f1', 'n', '3');
    assert.equal(await link.send(['GET', 'rift:flow:f1:n']), '3');
    const ttl = Number(await link.send(['TTL', 'rift:flow:f1:n']));
    assert.ok(ttl === 59 || ttl === 60, `time to live ${ttl}`);
    assert.equal(await one.get('f1', 'n'), '3');
    assert.deepEqual(await one.getAll('f1', ['n', 'nothing']), ['3', undefined]);
    await one.delete('f1', 'n');
    assert.equal(await one.get('f1', 'n'), undefined);
  });

  test('increments of two stores at the same time all count', async (t) => {
    const { one, two, link } = await twoStores(t);
    await Promise.all(Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? one : two).incrBy('f', 'n', 1n)));
    assert.equal(await one.get('f', 'n'), '1000');
    await one.set('f', 'n', '"text"');
    assert.equal(await two.incrBy('f', 'n', -2n), -2n);
    await one.set('f', 'n', '9223372036854775806');
    assert.equal(await two.incrBy('f', 'n', 1n), 9223372036854775807n);
    await assert.rejects(two.incrBy('f', 'n', 1n), StoreFailure);
    assert.ok(Number(await link.send(['TTL', 'rift:flow:f:n'])) > 0);
  });

  test('of concurrent compare-and-sets one is applied, and the others learn what is there', async (t) => {
    const { one, two } = await twoStores(t);
    const results = await Promise.all([one, two, one].map((store, i) => store.cas('f', 'k', undefined, `"${i}"`)));
    assert.equal(results.filter(({ applied }) => applied).length, 1);
    const current = await one.get('f', 'k');
    for (const result of results) if (!result.applied) assert.equal(result.current, current);
    assert.deepEqual(await two.cas('f', 'k', '"other"', '1'), { applied: false, current });
    assert.deepEqual(await two.cas('f', 'k', current, 'null'), { applied: true });
    assert.deepEqual(await one.cas('f', 'gone', '1', '2'), { applied: false, current: undefined });
  });

  test('clearing and expiring a flow take its name literally', async (t) => {
    const { link, one } = await twoStores(t);
    for (const flow of ['a*b', 'axb', 'a[x]b', 'a?b']) await one.set(flow, 'k', '1');
    await one.clear('a*b');
    await one.clear('a[x]b');
    assert.deepEqual(await Promise.all(['a*b', 'axb', 'a[x]b', 'a?b'].map((flow) => one.get(flow, 'k'))), [
      undefined,
      '1',
      undefined,
      '1',
    ]);
    await one.expireFlow('axb', 500);
    assert.ok(Number(await link.send(['TTL', 'rift:flow:axb:k'])) > 60);
    assert.equal(await one.expire('axb', 'k', 0), true);
    assert.equal(await one.expire('axb', 'k', 5), false);
    await one.expireFlow('a?b', 0);
    assert.equal(await one.get('a?b', 'k'), undefined);
  });

  test('while Redis is away every operation fails at once; when it is back they work again', async (t) => {
    const { redis, one } = await twoStores(t);
    await one.set('f', 'k', '1');
    await redis.stop();
    const failure = (error: unknown) =>
      error instanceof StoreFailure && error.operation === 'incr' && error.detail !== '';
    for (let i = 0; i < 3; i++) await assert.rejects(one.incrBy('f', 'k', 1n), failure);
    await redis.start();
    for (;;) {
      await setImmediate();
      const sum = await one.incrBy('f', 'k', 1n).catch(() => undefined);
      if (sum !== undefined) {
        assert.equal(sum, 1n);
        break;
      }
    }
  });
}
