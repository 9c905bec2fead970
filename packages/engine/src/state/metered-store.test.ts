import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FlowMeters } from '../metering/flow-meters.js';
import { MemoryStore } from './memory-store.js';
import { MeteredStore } from './metered-store.js';
import { noStore } from './no-store.js';
import { StoreFailure } from './types.js';

test('every operation is counted under its name', () => {
  const meters = new FlowMeters();
  const store = new MeteredStore(new MemoryStore(60), meters);
  store.set('f', 'k', '1');
  assert.equal(store.get('f', 'k'), '1');
  assert.deepEqual(store.getAll('f', ['k', 'no']), ['1', undefined]);
  assert.equal(store.exists('f', 'k'), true);
  assert.equal(store.exists('f', 'no'), false);
  assert.equal(store.incrBy('f', 'k', 2n), 3n);
  assert.deepEqual(store.cas('f', 'k', '4', '5'), { applied: false, current: '3' });
  assert.equal(store.flows, 1);
  store.expire('f', 'k', 9);
  store.expireFlow('f', 9);
  store.delete('f', 'k');
  store.clear('f');
  assert.equal(store.flows, 0);
  assert.deepEqual(
    [...meters].map(([labels, count]) => [labels.join(' '), count]),
    [
      ['get success', 2],
      ['set success', 1],
      ['exists success', 2],
      ['delete success', 1],
      ['increment success', 1],
      ['cas success', 1],
      ['ttl success', 2],
      ['clear success', 1],
    ],
  );
});

test('what fails, at once or later, is counted as an error and still fails', async () => {
  const meters = new FlowMeters();
  const memory = new MeteredStore(new MemoryStore(60), meters);
  memory.set('f', 'k', String(2n ** 63n - 1n));
  assert.throws(() => memory.incrBy('f', 'k', 1n), StoreFailure);
  const remote = new MeteredStore({ ...noStore, get: () => Promise.reject(new StoreFailure('get', 'away')) }, meters);
  await assert.rejects(async () => remote.get('f', 'k'), StoreFailure);
  assert.deepEqual(
    [...meters].map(([labels, count]) => [labels.join(' '), count]),
    [
      ['get error', 1],
      ['set success', 1],
      ['increment error', 1],
    ],
  );
});
