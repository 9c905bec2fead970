import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from './histogram.js';
import { Meters } from './meters.js';

test('a value counts in the first bucket whose bound is not below it', () => {
  const histogram = new Histogram([0.1, 1]);
  for (const value of [0, 0.1, 0.11, 1, 1.5, 99]) histogram.observe(value);
  assert.deepEqual([...histogram.counts], [2, 2, 2]);
  assert.equal(histogram.count, 6);
  assert.equal(histogram.sum, 0.1 + 0.11 + 1 + 1.5 + 99);
});

test('an imposter that comes back under its label goes on counting where it was', () => {
  const meters = new Meters();
  meters.of('[http:1] ').requests = 3;
  assert.equal(meters.of('[http:1] ').requests, 3);
  assert.equal(meters.of('[http:2] ').requests, 0);
  assert.deepEqual(
    [...meters].map(([label]) => label),
    ['[http:1] ', '[http:2] '],
  );
});
