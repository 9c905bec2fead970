import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomUuid, seededRandom, wholeBetween } from './random.js';

test('one seed gives one sequence, another seed another', () => {
  const draws = (seed: number) => Array.from({ length: 50 }, seededRandom(seed));
  assert.deepEqual(draws(7), draws(7));
  assert.notDeepEqual(draws(7), draws(8));
  assert.notDeepEqual(draws(0), draws(2 ** 32));
});

test('draws are spread evenly over [0, 1)', () => {
  const random = seededRandom(1);
  const counts = new Array<number>(16).fill(0);
  for (let i = 0; i < 160_000; i++) counts[Math.floor(random() * 16)]++;
  // 99.9 % of a chi-squared distribution with 15 degrees of freedom lies below 37.7
  const distance = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
  assert.ok(distance < 37.7, `${counts}`);
});

test('whole numbers include both ends and nothing beyond them', () => {
  const random = seededRandom(2);
  const seen = new Set(Array.from({ length: 1000 }, () => wholeBetween(-1, 2, random)));
  assert.deepEqual([...seen].sort(), [-1, 0, 1, 2]);
});

test('random UUIDs have version 4 and the variant of RFC 9562', () => {
  const random = seededRandom(3);
  const all = Array.from({ length: 1000 }, () => randomUuid(random));
  for (const uuid of all) assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(all).size, 1000);
});
