import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore } from './memory-store.js';
import { StoreFailure } from './types.js';
import { valueText } from './value-text.js';

function storeAt(ttlSeconds: number): { store: MemoryStore; wait(seconds: number): void } {
  let now = 0;
  return {
    store: new MemoryStore(ttlSeconds, () => now),
    wait: (seconds) => {
      now += seconds * 1000;
    },
  };
}

test('a cell has its value until its time is over, and reading does not extend it', () => {
  const { store, wait } = storeAt(10);
  store.set('f', 'k', '"v"');
  wait(9);
  assert.equal(store.get('f', 'k'), '"v"');
  assert.equal(store.get('other', 'k'), undefined);
  assert.deepEqual(store.getAll('f', ['nothing', 'k']), [undefined, '"v"']);
  wait(1);
  assert.equal(store.get('f', 'k'), undefined);
  assert.deepEqual(store.cas('f', 'k', '"v"', '1'), { applied: false, current: undefined });
});

test('every write starts the time anew, whatever time of its own the cell had', () => {
  const { store, wait } = storeAt(10);
  store.set('f', 'a', '1');
  assert.equal(store.expire('f', 'a', 100), true);
  wait(50);
  assert.equal(store.get('f', 'a'), '1');
  store.set('f', 'a', '2');
  wait(10);
  assert.equal(store.get('f', 'a'), undefined);
});

test('incrementing starts at 0, also from what is no integer and from what has expired', () => {
  const { store, wait } = storeAt(1);
  assert.equal(store.incrBy('f', 'n', 1n), 1n);
  assert.equal(store.incrBy('f', 'n', -3n), -2n);
  wait(1.2);
  assert.equal(store.incrBy('f', 'n', 1n), 1n);
  store.set('f', 'n', '"text"');
  assert.equal(store.incrBy('f', 'n', 2n), 2n);
  store.set('f', 'n', '9223372036854775807');
  assert.throws(() => store.incrBy('f', 'n', 1n), StoreFailure);
  assert.equal(store.get('f', 'n'), '9223372036854775807');
});

test('compare-and-set writes only over the expected value; a stored null is a value', () => {
  const { store } = storeAt(10);
  assert.deepEqual(store.cas('f', 'k', undefined, 'null'), { applied: true });
  assert.deepEqual(store.cas('f', 'k', undefined, '1'), { applied: false, current: 'null' });
  assert.deepEqual(store.cas('f', 'k', 'null', '1'), { applied: true });
  assert.equal(store.get('f', 'k'), '1');
});

test('a time to live of 0 and less removes, of a cell and of a whole flow; expired cells are never revived', () => {
  const { store, wait } = storeAt(10);
  store.set('f', 'a', '1');
  store.set('f', 'b', '2');
  store.set('g', 'a', '3');
  assert.equal(store.expire('f', 'a', 0), true);
  assert.equal(store.expire('f', 'a', 5), false);
  store.expireFlow('f', -1);
  assert.equal(store.get('f', 'b'), undefined);
  wait(11);
  store.expireFlow('g', 100);
  assert.equal(store.get('g', 'a'), undefined);
  assert.equal(store.size, 0);
});

test('clearing a flow leaves the others', () => {
  const { store } = storeAt(10);
  store.set('f', 'a', '1');
  store.set('g', 'a', '2');
  store.clear('f');
  assert.equal(store.get('f', 'a'), undefined);
  assert.equal(store.get('g', 'a'), '2');
});

test('cells that expired are gone after 256 writes, nobody needs to ask for them', () => {
  const { store, wait } = storeAt(1);
  for (let i = 0; i < 1000; i++) store.set(`flow ${i}`, 'k', '1');
  store.expire('flow 999', 'k', 2);
  wait(3);
  for (let i = 0; i < 256; i++) store.set('f', 'k', '1');
  assert.equal(store.size, 1);
});

test('equal values have equal texts', () => {
  assert.equal(
    valueText({ b: [1, { d: null, c: 'x' }], a: 2n ** 60n }),
    '{"a":1152921504606846976,"b":[1,{"c":"x","d":null}]}',
  );
  assert.equal(valueText(undefined), 'null');
});
