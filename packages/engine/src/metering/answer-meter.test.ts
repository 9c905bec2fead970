import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METHODS } from '@rift-ts/http';
import { AnswerMeter } from './answer-meter.js';

test('answers are counted by method and status, whatever came before', () => {
  const meter = new AnswerMeter();
  for (const [method, status] of [
    ['GET', 200],
    ['POST', 404],
    ['GET', 200],
    ['GET', 999],
    ['POST', 404],
  ] as const) {
    meter.count(method, status);
  }
  const sorted = [...meter].sort((a, b) => a[1] - b[1]);
  assert.deepEqual(sorted, [
    ['GET', 200, 2],
    ['POST', 404, 2],
    ['GET', 999, 1],
  ]);
});

test('every method of the wire has its place', () => {
  const meter = new AnswerMeter();
  for (const method of METHODS) meter.count(method, 200);
  assert.deepEqual(
    [...meter].map(([method, , answers]) => [method, answers]),
    METHODS.map((method) => [method, 1]),
  );
});

test('meters over shared memory are read by others', () => {
  const cells = new Float64Array(new SharedArrayBuffer(8 * AnswerMeter.cells));
  const writer = new AnswerMeter(cells);
  const reader = new AnswerMeter(cells);
  writer.count('GET', 204);
  assert.deepEqual([...reader], [['GET', 204, 1]]);
});
