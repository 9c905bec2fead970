import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FirstPositions } from './first-positions.js';

test('a text is found where it was seen first, among thousands of others', () => {
  const texts = Array.from({ length: 5000 }, (_, at) => `text ${at % 1700}`);
  const positions = new FirstPositions((at) => texts[at]!);
  const found = texts.map((text, at) => positions.findOrAdd(text, at));
  assert.deepEqual(
    found,
    texts.map((_, at) => (at < 1700 ? undefined : at % 1700)),
  );
  assert.equal(positions.find('text 1699'), 1699);
  assert.equal(positions.find('text 1700'), undefined);
});

test('texts with the same hash are told apart', () => {
  // found by trying: both hash to the same 32 bits under FNV-1a
  const texts = ['costarring', 'liquid'];
  const positions = new FirstPositions((at) => texts[at]!);
  assert.equal(positions.findOrAdd('costarring', 0), undefined);
  assert.equal(positions.findOrAdd('liquid', 1), undefined);
  assert.equal(positions.find('costarring'), 0);
  assert.equal(positions.find('liquid'), 1);
});
