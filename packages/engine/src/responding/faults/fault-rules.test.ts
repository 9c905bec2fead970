import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../random.js';
import { faultRules } from './fault-rules.js';

const COUNT = 20_000;
const SEEDS = [1, 2, 3];

function draws(seed: number, fault: Parameters<typeof faultRules>[0]) {
  const draw = faultRules(fault, seededRandom(seed))!;
  return Array.from({ length: COUNT }, draw);
}

/** Half the width of the 99.9 % band of a binomial distribution, by its normal approximation. */
function band(probability: number): number {
  return 3.2905 * Math.sqrt(COUNT * probability * (1 - probability)) + 0.5;
}

for (const probability of [0, 0.001, 0.1, 0.3, 0.5, 0.9, 1]) {
  test(`probability ${probability} is the rate of ${COUNT} draws, for each of the three faults`, () => {
    for (const seed of SEEDS) {
      const all = draws(seed, {
        latency: { probability, ms: 1 },
        error: { probability },
        tcp: { probability, type: 'reset' },
      });
      for (const part of ['latency', 'error', 'tcp'] as const) {
        const fired = all.filter((drawn) => drawn[part] !== undefined).length;
        assert.ok(
          Math.abs(fired - COUNT * probability) <= (probability % 1 === 0 ? 0 : band(probability)),
          `seed ${seed}: ${part} fired ${fired} times`,
        );
      }
    }
  });
}

test('the three are drawn independently', () => {
  for (const seed of SEEDS) {
    const half = { probability: 0.5 };
    const all = draws(seed, { latency: { ...half, ms: 1 }, error: half, tcp: { ...half, type: 'reset' } });
    for (const [one, other] of [
      ['latency', 'error'],
      ['latency', 'tcp'],
      ['error', 'tcp'],
    ] as const) {
      const both = all.filter((drawn) => drawn[one] !== undefined && drawn[other] !== undefined).length;
      assert.ok(Math.abs(both - COUNT / 4) <= band(0.25), `seed ${seed}: ${one} and ${other} ${both} times`);
    }
  }
});

test('one seed gives one sequence', () => {
  const fault = { latency: { probability: 0.5, minMs: 1, maxMs: 1000 }, error: { probability: 0.2 } };
  assert.deepEqual(draws(9, fault), draws(9, fault));
  assert.notDeepEqual(draws(9, fault), draws(10, fault));
});

test('a latency range is uniform and includes both ends', () => {
  for (const seed of SEEDS) {
    const counts = new Map<number, number>();
    for (const { latency } of draws(seed, { latency: { minMs: 10, maxMs: 13 } })) {
      counts.set(latency!, (counts.get(latency!) ?? 0) + 1);
    }
    assert.deepEqual([...counts.keys()].sort(), [10, 11, 12, 13]);
    for (const count of counts.values()) assert.ok(Math.abs(count - COUNT / 4) <= band(0.25), `seed ${seed}: ${count}`);
  }
});

test('what a latency means', () => {
  const latencyOf = (latency: { [key: string]: number }) => faultRules({ latency }, seededRandom(1))!().latency;
  assert.equal(latencyOf({ ms: 7, minMs: 100, maxMs: 200 }), 7);
  assert.equal(latencyOf({ minMs: 30 }), 30);
  assert.equal(latencyOf({ minMs: 30, maxMs: 20 }), 30);
  assert.equal(latencyOf({}), 0);
});

test('nothing to draw', () => {
  assert.equal(faultRules({}, seededRandom(1)), undefined);
  assert.equal(faultRules({ latency: null, tcp: null }, seededRandom(1)), undefined);
});
