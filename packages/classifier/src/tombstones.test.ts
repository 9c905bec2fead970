import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tombstones } from './tombstones.js';

test('removed rules are known and counted, and earlier bitmaps stay as they are', () => {
  const size = 10_000;
  const removed = [0, 31, 32, 2047, 2048, 4095, 9999, 5000, 63];
  let tombstones = Tombstones.none(size);
  const none = tombstones;
  for (const rule of removed) tombstones = tombstones.with(rule);
  assert.equal(tombstones.count, removed.length);
  for (let rule = 0; rule < size; rule++) assert.equal(tombstones.has(rule), removed.includes(rule));
  for (const at of [0, 1, 31, 32, 33, 64, 2047, 2048, 2049, 4096, 5001, 9999, size]) {
    assert.equal(tombstones.countBefore(at), removed.filter((rule) => rule < at).length, `before ${at}`);
  }
  assert.equal(none.count, 0);
  assert.equal(none.countBefore(size), 0);
});
