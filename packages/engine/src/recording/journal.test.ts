import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Journal } from './journal.js';

const paths = (journal: Journal) => [...journal].map((entry) => entry.request.path);

test('requests are kept in order of arrival', () => {
  const journal = new Journal();
  for (const path of ['/a', '/b', '/c']) journal.add({ path });
  assert.deepEqual(paths(journal), ['/a', '/b', '/c']);
  assert.equal(journal.dropped, 0);
});

test('a capped journal drops the oldest and keeps the numbers of the others', () => {
  const journal = new Journal(3);
  for (let i = 0; i < 8; i++) journal.add({ path: `/${i}` });
  assert.deepEqual(paths(journal), ['/5', '/6', '/7']);
  assert.deepEqual(
    [...journal].map((entry) => entry.index),
    [5, 6, 7],
  );
  assert.equal(journal.dropped, 5);
  assert.equal(journal.nextIndex, 8);
});

test('a cap of 0 keeps everything', () => {
  const journal = new Journal(0);
  for (let i = 0; i < 100; i++) journal.add({});
  assert.equal(journal.length, 100);
});

test('a cleared journal counts from 0 again', () => {
  const journal = new Journal(2);
  for (let i = 0; i < 5; i++) journal.add({ path: `/${i}` });
  journal.clear();
  assert.equal(journal.length, 0);
  assert.equal(journal.add({ path: '/x' }).index, 0);
});

test('a timestamp is ISO 8601 in UTC with milliseconds', () => {
  assert.equal(new Journal().add({}, new Date(Date.UTC(2024, 0, 2, 3, 4, 5, 6))).timestamp, '2024-01-02T03:04:05.006Z');
});
