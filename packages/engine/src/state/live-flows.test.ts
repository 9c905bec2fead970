import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveFlows } from './live-flows.js';

test('a flow is held until its last cell has expired', () => {
  let now = 0;
  const flows = new LiveFlows(() => now);
  flows.written('a', 10);
  flows.written('b', 20);
  flows.written('b', 5);
  assert.equal(flows.count, 2);
  now = 10_000;
  assert.equal(flows.count, 1);
  now = 20_000;
  assert.equal(flows.count, 0);
});

test('a flow that is given another time to live, or cleared, ends then', () => {
  let now = 0;
  const flows = new LiveFlows(() => now);
  flows.written('a', 10);
  flows.limited('a', 2);
  flows.limited('never written', 50);
  flows.written('b', 10);
  flows.limited('b', 0);
  assert.equal(flows.count, 1);
  now = 2000;
  assert.equal(flows.count, 0);
});
