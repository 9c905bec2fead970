import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Journal } from './journal.js';

const request = (json: object) => ({ toJSON: () => ({ ...json }) });
const paths = (journal: Journal) => [...journal].map((entry) => entry.request.path);

test('requests are kept in order of arrival', () => {
  const journal = new Journal();
  for (const path of ['/a', '/b', '/c']) journal.add(request({ path }));
  assert.deepEqual(paths(journal), ['/a', '/b', '/c']);
  assert.equal(journal.lastDropped, 0);
});

test('a capped journal drops the oldest and keeps the numbers of the others', () => {
  const journal = new Journal(3);
  for (let i = 0; i < 8; i++) journal.add(request({ path: `/${i}` }));
  assert.deepEqual(paths(journal), ['/5', '/6', '/7']);
  assert.deepEqual(
    [...journal].map((entry) => entry.index),
    [6, 7, 8],
  );
  assert.equal(journal.lastDropped, 5);
  assert.equal(journal.lastIndex, 8);
});

test('a cap of 0 keeps everything', () => {
  const journal = new Journal(0);
  for (let i = 0; i < 100; i++) journal.add(request({}));
  assert.equal(journal.length, 100);
});

test('indexes go on over clearing and removing, which drop nothing', () => {
  const journal = new Journal(3);
  for (let i = 0; i < 3; i++) journal.add(request({ path: `/${i}` }));
  journal.remove(({ request }) => request.path === '/1');
  assert.deepEqual(paths(journal), ['/0', '/2']);
  journal.clear();
  assert.equal(journal.length, 0);
  assert.equal(journal.add(request({ path: '/x' })).index, 4);
  assert.equal(journal.lastDropped, 0);
});

test('a ring from which entries were removed goes on in order', () => {
  const journal = new Journal(3);
  for (let i = 0; i < 5; i++) journal.add(request({ path: `/${i}` }));
  journal.remove(({ request }) => request.path === '/3');
  for (let i = 5; i < 7; i++) journal.add(request({ path: `/${i}` }));
  assert.deepEqual(paths(journal), ['/4', '/5', '/6']);
  assert.equal(journal.lastDropped, 3);
});

test('a timestamp is ISO 8601 in UTC with milliseconds', () => {
  assert.equal(new Journal().add(request({}), Date.UTC(2024, 0, 2, 3, 4, 5, 6)).timestamp, '2024-01-02T03:04:05.006Z');
});

test('it is told once that the journal is full, and again when it was not for a while', () => {
  let told = 0;
  const journal = new Journal(2, () => told++);
  for (let i = 0; i < 9; i++) journal.add(request({}));
  assert.equal(told, 1);
  journal.clear();
  for (let i = 0; i < 2; i++) journal.add(request({}));
  assert.equal(told, 1);
  journal.add(request({}));
  assert.equal(told, 2);
});
