// Answers and requests made by chance, played against a real Mountebank and against ours. More by hand, and other ones:
// RIFT_TEST_CASES=2000 RIFT_TEST_SEED=1 node --test packages/engine/dist/differential/generated.test.js

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../matching/testing/random.fixture.js';
import { generatedCase } from './generated.fixture.js';
import { mountebankSide, ourSide, playBoth } from './sides.fixture.js';

const CASES = Number(process.env.RIFT_TEST_CASES ?? 100);
const SEED = Number(process.env.RIFT_TEST_SEED ?? 291);
const AT_A_TIME = 6;

test('answers made by chance are those of Mountebank', async () => {
  const random = new Random(SEED);
  const rows = Array.from({ length: CASES }, (_, i) => generatedCase(random, `RIFT_TEST_SEED=${SEED}, case ${i}`));
  const ours = ourSide();
  const theirs = await mountebankSide();
  const playRows = async () => {
    for (let row = rows.shift(); row !== undefined; row = rows.shift()) {
      const { own, their } = await playBoth(ours, theirs, row);
      assert.deepEqual(
        own,
        their,
        `${row.name}: ${JSON.stringify({ imposter: row.imposter, requests: row.requests })}`,
      );
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, playRows));
  } finally {
    await theirs.stop();
    await ours.stop();
  }
});
