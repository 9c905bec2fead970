import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResponseRing } from './response-ring.js';

function ring(...entries: [string, number][]) {
  const made = new ResponseRing<string>();
  for (const [entry, repeat] of entries) made.add(entry, repeat);
  return made;
}

function served(of: ResponseRing<string>, count: number) {
  return Array.from({ length: count }, () => of.next()).join('');
}

test('responses are served in turn and start over', () => {
  assert.equal(served(ring(['a', 1], ['b', 1]), 5), 'ababa');
});

test('a repeated response is served that often in a row', () => {
  assert.equal(served(ring(['a', 2], ['b', 1]), 7), 'aabaaba');
});

test('a fractional repeat counts as the next whole number', () => {
  assert.equal(served(ring(['a', 1.5], ['b', 1]), 3), 'aab');
});

test('a response that is added later comes at the end of the running turn', () => {
  const made = ring(['a', 1], ['b', 1]);
  assert.equal(served(made, 1), 'a');
  made.add('c', 1);
  assert.equal(served(made, 4), 'bcab');
});

test('a ring of one that grows starts with its first response', () => {
  const made = ring(['a', 1]);
  assert.equal(served(made, 3), 'aaa');
  made.add('b', 1);
  assert.equal(served(made, 3), 'aba');
});

test('a huge repeat costs no memory', () => {
  const made = ring(['a', 1e9], ['b', 1]);
  made.position = 1e9 - 1;
  assert.equal(served(made, 3), 'aba');
});

test('an empty ring serves nothing', () => {
  assert.equal(ring().next(), undefined);
});

test('peek does not advance', () => {
  const made = ring(['a', 1], ['b', 1]);
  assert.equal(made.peek(), 'a');
  assert.equal(served(made, 2), 'ab');
});

test('copies of a ring that share their position serve each position once', () => {
  const one = ring(['a', 1], ['b', 2]);
  const other = ring(['a', 1], ['b', 2]);
  assert.equal(served(one, 1), 'a');
  other.share(one.share());
  assert.equal(one.next()! + other.next() + other.next() + one.next(), 'bbab');
  other.position = 0;
  assert.equal(one.position, 0);
});

test('a ring of one position needs no shared memory', () => {
  assert.equal(ring(['a', 1]).share(), undefined);
});
