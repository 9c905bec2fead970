import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CounterFamily, HistogramFamily } from './series.js';

test('a counter is kept for each set of labels', () => {
  const counters = new CounterFamily(['type', 'rule_id']);
  counters.add('tcp', 'a');
  counters.add('tcp', 'b');
  counters.add('tcp', 'a');
  assert.deepEqual(
    [...counters],
    [
      [['tcp', 'a'], 2],
      [['tcp', 'b'], 1],
    ],
  );
});

test('rules beyond the limit are counted together, known ones go on by themselves', () => {
  const counters = new CounterFamily(['type', 'rule_id'], 2);
  for (const rule of ['a', 'b', 'c', 'd', 'a']) counters.add('tcp', rule);
  assert.deepEqual(
    [...counters],
    [
      [['tcp', 'a'], 2],
      [['tcp', 'b'], 1],
      [['tcp', 'other'], 2],
    ],
  );
});

test('a histogram is kept for each set of labels', () => {
  const histograms = new HistogramFamily(['rule_id'], [10, 100]);
  histograms.observe(50, 'a');
  histograms.observe(5, 'b');
  assert.deepEqual(
    [...histograms].map(([labels, { counts, sum }]) => [labels, [...counts], sum]),
    [
      [['a'], [0, 1, 0], 50],
      [['b'], [1, 0, 0], 5],
    ],
  );
});
