import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgets, coresHere, onePerSide, processorsOf, split } from './pinning.mjs';

const plain = [[0], [1], [2], [3]];
const siblings = [
  [0, 4],
  [1, 5],
  [2, 6],
];

test('lists of processors are read as taskset writes them', () => {
  assert.deepEqual(processorsOf('0'), [0]);
  assert.deepEqual(processorsOf('0,2-4,10'), [0, 2, 3, 4, 10]);
});

test('the engine gets whole cores, and the generator at least one', () => {
  assert.deepEqual(budgets(plain), [1, 2, 3]);
  assert.deepEqual(budgets(siblings), [2, 4]);
  assert.deepEqual(budgets([[0]]), []);
  assert.deepEqual(split(plain, 2), { server: '0,1', load: '2,3' });
  assert.deepEqual(split(siblings, 2), { server: '0,4', load: '1,5,2,6' });
});

test('a budget that cuts a core or leaves the generator nothing is refused with those that are valid', () => {
  assert.throws(() => split(siblings, 3), /valid here: 2, 4/);
  assert.throws(() => split(plain, 4), /valid here: 1, 2, 3/);
  assert.throws(() => split([[0]], 1), /none is valid here/);
});

test('without a budget engine and generator have one processor each, on different cores if there are two', () => {
  assert.deepEqual(onePerSide(plain), { server: '0', load: '1' });
  assert.deepEqual(onePerSide(siblings), { server: '0', load: '1' });
  assert.deepEqual(onePerSide([[0, 1]]), { server: '0', load: '1' });
  assert.deepEqual(onePerSide([[0]]), { server: '0', load: '0' });
});

test('this machine has cores with processors', () => {
  assert.ok(coresHere().flat().length >= 1);
});
