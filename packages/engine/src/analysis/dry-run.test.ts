import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Imposter } from '../imposter.js';
import { Imposters } from '../imposters.js';
import { plainView } from '../matching/plain-view.js';
import {
  bendRequest,
  generatePredicate,
  generateRequest,
  requestObject,
} from '../matching/testing/generator.fixture.js';
import { Random, seedOfRun } from '../matching/testing/random.fixture.js';
import type { JsonObject } from '../model/types.js';
import type { Protocol } from '../protocols/types.js';
import type { RequestView } from '../request-view.js';
import type { Outcome } from '../responding/types.js';
import { dryRun } from './dry-run.js';

/** Speaks nothing: requests are handed to the imposter. */
const silent: Protocol = {
  name: 'silent',
  custom: true,
  dryRunRequest: { path: '/', method: 'GET', headers: {}, query: {}, body: '' },
  metadata: () => ({}),
  encoding: () => 'utf8',
  listen: async () => ({ port: 1, close: async () => {} }),
};

async function imposterOf(stubs: JsonObject[]) {
  const imposters = new Imposters({ profile: 'rift', protocols: new Map([['silent', silent]]) });
  return imposters.createFrom({
    protocol: 'silent',
    port: 1,
    stubs,
    _rift: { flowState: { flowIdSource: 'header:X-Flow' } },
  });
}

async function outcomeOf(imposter: Imposter, view: RequestView): Promise<Outcome | Error> {
  try {
    return await imposter.handle(view);
  } catch (error) {
    return error as Error;
  }
}

const limits = { maxOthers: 1000, maxNearMisses: 5 };

test('the stub that a dry run names is the one that answers', async () => {
  const seed = seedOfRun();
  const random = new Random(seed);
  let matched = 0;
  for (let round = 0; round < 60; round += 1) {
    const near = generateRequest(random);
    const stubs = Array.from({ length: 6 }, (_, index): JsonObject => {
      const gates = random.pick<JsonObject>([
        {},
        {},
        { space: 'a' },
        { scenarioName: 's', requiredScenarioState: 'on' },
      ]);
      const predicates = Array.from({ length: random.below(3) }, () => generatePredicate(random, near) as JsonObject);
      return { ...gates, predicates, responses: [{ is: { data: String(index) } }] };
    });
    const imposter = await imposterOf(stubs).catch(() => undefined);
    // some of the predicates are refused: their patterns do not compile
    if (imposter === undefined) continue;
    for (let turn = 0; turn < 5; turn += 1) {
      const request = requestObject(bendRequest(random, near));
      if (random.chance(0.5)) request.headers = { ...(request.headers as object), 'x-flow': 'a' };
      const note = `RIFT_SEED=${seed} ${JSON.stringify([stubs, request])}`;
      const { report, failure } = await dryRun(imposter, plainView(request), limits);
      const outcome = await outcomeOf(imposter, plainView(request));
      if (outcome instanceof Error) {
        assert.equal(failure?.message, outcome.message, note);
        continue;
      }
      const answered: number | undefined =
        outcome.kind === 'response' && outcome.origin !== 'none' ? Number(outcome.data.data) : undefined;
      assert.equal(report.stub?.index, answered, note);
      assert.equal(report.others.length, stubs.length - (answered === undefined ? 0 : 1), note);
      if (answered !== undefined) matched += 1;
    }
    await imposter.stop();
  }
  assert.ok(matched > 20, `${matched} matched with seed ${seed}`);
});

test('a dry run over many stubs lets everything else have its turn', async () => {
  const stubs = Array.from(
    { length: 1500 },
    (_, index): JsonObject => ({
      predicates: [{ equals: { path: `/${index}` } }, { matches: { body: `^${index}+$` } }],
      responses: [{ is: {} }],
    }),
  );
  const imposter = await imposterOf(stubs);
  let turns = 0;
  let over = false;
  const count = () => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const runs = [1, 2, 3].map(() => dryRun(imposter, plainView({ path: '/none', body: '' }), limits));
  const reports = await Promise.all(runs);
  over = true;
  assert.deepEqual(
    reports.map(({ report }) => report.othersOmitted),
    [500, 500, 500],
  );
  assert.ok(turns >= 3, `${turns} turns of the event loop`);
  await imposter.stop();
});
