// Whatever is posted, reading gives a value that can be planned and shown, or errors with a message; never an exception.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { generatedRequests } from './creation-generator.fixture.js';
import { errorBody } from './error-json.js';
import { imposterToJson } from './imposter-json.js';
import { readImposter } from './read-imposter.js';
import { readOptions } from './read-options.fixture.js';
import { readStub, readStubAddition, readStubs } from './read-stub.js';
import { stubPlan } from './stub-plan.js';
import type { ImposterJson, Json, Profile } from './types.js';

const keys = [
  ...'protocol port stubs predicates rules responses is proxy inject fault behaviors _behaviors repeat to'.split(' '),
  ...'predicateGenerators matches wait copy lookup from into using key fromDataSource csv decorate'.split(' '),
  ...'shellTransform _rift script code file ref engine flowState latency error tcp probability type'.split(' '),
  ...'scripts scriptEngine statusCode headers body delayRange min max id space equals not and or'.split(' '),
  ...'endOfRequestResolver mode defaultForward allowCors xpath jsonpath selector __proto__ constructor'.split(' '),
];

const anything = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false, 0, 1, -1, 1.5, '', 'x', '2', 'http', 'tcp', 'http://h', 'regex', 'redis'),
    fc.array(tie('json'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom(...keys), tie('json')), { maxLength: 4 })
      .map((entries) => JSON.parse(`{${entries.map(([key, value]) => `"${key}":${JSON.stringify(value)}`).join()}}`)),
  ),
})).json;

/** The document with the part that `steps` leads to replaced. */
function replaced(json: Json, steps: readonly number[], part: Json): Json {
  if (typeof json !== 'object' || json === null || steps.length === 0) return part;
  const names = Object.keys(json);
  if (names.length === 0) return part;
  const name = names[steps[0]! % names.length]!;
  const copy = structuredClone(json) as { [key: string]: Json };
  copy[name] = replaced(copy[name]!, steps.slice(1), part);
  return copy;
}

const generated = generatedRequests(7);
const documents = Array.from({ length: 200 }, () => generated.next().value.post as Json);

/** A document that is nearly well: one part of it is anything at all. */
const nearlyWell = fc
  .tuple(fc.constantFrom(...documents), fc.array(fc.nat(5), { maxLength: 8 }), anything)
  .map(([document, steps, part]) => replaced(document, steps, part));

function checkShown(creation: ImposterJson, profile: Profile): void {
  for (const stub of creation.stubs) stubPlan(stub, profile, creation);
  const stubs = creation.stubs.map((json) => ({ json }));
  const parts = { port: 1, numberOfRequests: 0, enabled: true, metadata: {}, requests: [], warnings: { kept: [] } };
  for (const form of ['full', 'replayable', 'list'] as const) {
    imposterToJson({ creation, stubs, ...parts }, form, { profile, removeProxies: true });
  }
}

/** The same cases every time; RIFT_CREATION_SEED asks for others, RIFT_CREATION_RUNS for more of them. */
const runs = (numRuns: number) => ({
  seed: Number(process.env.RIFT_CREATION_SEED ?? 1),
  numRuns: numRuns * Number(process.env.RIFT_CREATION_RUNS ?? 1),
});

const settings = fc.record({
  profile: fc.constantFrom<Profile>('mountebank', 'rift'),
  allowInjection: fc.boolean(),
});

test('no posted imposter makes reading or showing fail', async () => {
  const imposters = fc.oneof(
    nearlyWell,
    anything,
    anything.map((stubs): Json => ({ protocol: 'http', stubs: [stubs] })),
    anything.map((response): Json => ({ protocol: 'http', stubs: [{ responses: [response] }] })),
    anything.map((rift): Json => ({ protocol: 'http', _rift: rift })),
  );
  await fc.assert(
    fc.asyncProperty(imposters, settings, async (post, { profile, allowInjection }) => {
      const before = JSON.stringify(post);
      const result = await readImposter(post, readOptions({ profile, allowInjection }));
      assert.equal(JSON.stringify(post), before);
      if ('value' in result) checkShown(result.value, profile);
      else {
        assert.notEqual(result.errors.length, 0);
        for (const { code, message } of errorBody(result.errors, profile).errors) {
          assert.equal(typeof code, 'string');
          assert.ok(typeof message === 'string' && message !== '');
        }
      }
    }),
    runs(3000),
  );
});

test('what was read is read again as it is', async () => {
  await fc.assert(
    fc.asyncProperty(nearlyWell, settings, async (post, { profile, allowInjection }) => {
      const options = readOptions({ profile, allowInjection });
      const first = await readImposter(post, options);
      if ('errors' in first) return;
      const again = await readImposter(first.value, options);
      assert.ok('value' in again, JSON.stringify(again));
      assert.equal(JSON.stringify(again.value), JSON.stringify(first.value));
    }),
    runs(1500),
  );
});

test('no posted stub change makes reading fail', async () => {
  const imposter = { protocol: 'http', stubs: [] } as unknown as ImposterJson;
  const changes = fc.oneof(
    anything,
    anything.map((stub): Json => ({ stub })),
    anything.map((index): Json => ({ index, stub: { responses: [{ is: {} }] } })),
    anything.map((stubs): Json => ({ stubs: [stubs] })),
  );
  await fc.assert(
    fc.asyncProperty(changes, settings, async (body, { profile, allowInjection }) => {
      const options = readOptions({ profile, allowInjection });
      await readStub(body, imposter, options);
      await readStubs(body, imposter, options);
      await readStubAddition(body, imposter, 2, options);
    }),
    runs(1000),
  );
});
