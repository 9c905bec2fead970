// Generated predicates and requests near their boundary: the index never rules out what matches or fails, the fast
// checks agree with the general rules, and the program finds what the linear oracle finds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Access, holds as conditionHolds } from '@rift-ts/classifier';
import { RiftError } from '../errors.js';
import { silentLogger } from '../logger.js';
import type { RequestView } from '../request-view.js';
import { httpAccess } from './access.js';
import { allUntilFailure, compilePredicate } from './compile.js';
import { linearMatch } from './linear.js';
import { plainView } from './plain-view.js';
import { Program } from './program.js';
import { fastView } from './testing/fast-view.fixture.js';
import { bendRequest, generatePredicate, generateRequest, requestObject } from './testing/generator.fixture.js';
import { pairsOfRun, Random, seedOfRun } from './testing/random.fixture.js';
import type { CompiledPredicate } from './types.js';

const context = { encoding: 'utf8', scripts: undefined, logger: silentLogger } as const;

/** The same access, reading by a family's enumerator where there is one. */
const enumeratedAccess: Access<RequestView> = {
  extractor(key) {
    const enumerate = httpAccess.enumerator?.(key.family);
    if (enumerate === undefined) return httpAccess.extractor(key);
    return (view) => {
      const texts: string[] = [];
      enumerate(view, { name: (name) => name === key.name, text: (text) => texts.push(text) });
      return texts;
    };
  },
};

function verdict(predicates: readonly CompiledPredicate[], view: RequestView): string {
  try {
    for (const predicate of predicates) if (!predicate.test(view)) return 'no';
    return 'match';
  } catch (error) {
    if (error instanceof RiftError) return 'error';
    throw error;
  }
}

async function outcome<S>(match: () => S | Promise<S>): Promise<S | 'error'> {
  try {
    return await match();
  } catch (error) {
    if (error instanceof RiftError) return 'error';
    throw error;
  }
}

test('no condition of generated stubs excludes a request that the stub matches or fails on', () => {
  const seed = seedOfRun();
  const random = new Random(seed);
  const wanted = pairsOfRun(20_000);
  const wrong: string[] = [];
  const counted = { match: 0, no: 0, error: 0, ruledOut: 0 };
  for (let pairs = 0; pairs < wanted; ) {
    const near = generateRequest(random);
    const json = Array.from({ length: random.pick([1, 1, 2, 3]) }, () => generatePredicate(random, near));
    const predicates = json.map((predicate) => compilePredicate(predicate, context));
    const condition = allUntilFailure(predicates);
    for (let again = 0; again < 6; again++, pairs++) {
      const request = requestObject(bendRequest(random, near));
      const views = [plainView(request), fastView(request)];
      const [plain, fast] = views.map((view) => verdict(predicates, view));
      const holds = views.flatMap((view) => [
        conditionHolds(condition, view, httpAccess),
        conditionHolds(condition, view, enumeratedAccess),
      ]);
      counted[plain as 'match' | 'no' | 'error']++;
      if (plain === 'no' && !holds[0]) counted.ruledOut++;
      // an enumeration may see more, of names that differ in letter case alone
      const enumeratedLess = (holds[0] && !holds[1]) || (holds[2] && !holds[3]);
      const differs = holds[0] !== holds[2] || enumeratedLess;
      if (plain !== fast || (plain !== 'no' && holds.includes(false)) || differs) {
        wrong.push(
          `${plain}, fast ${fast}, conditions ${holds}\n${JSON.stringify(json)}\n${JSON.stringify(request)}\n${JSON.stringify(condition)}`,
        );
      }
    }
  }
  assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} wrong, RIFT_SEED=${seed}`);
  assert.ok(
    counted.match > wanted / 20 && counted.ruledOut > wanted / 10,
    `${JSON.stringify(counted)} RIFT_SEED=${seed}`,
  );
  if (process.env.RIFT_VERBOSE) console.log(seed, counted);
});

test('the program finds the stub that the linear oracle finds', async () => {
  const seed = seedOfRun();
  const random = new Random(seed);
  const wanted = pairsOfRun(20_000);
  const stubsEach = 50;
  for (let pairs = 0; pairs < wanted; pairs += stubsEach * 20) {
    const requests = Array.from({ length: 10 }, () => generateRequest(random));
    const stubs = Array.from({ length: stubsEach }, () => {
      const json = Array.from({ length: random.pick([1, 1, 2, 3]) }, () =>
        generatePredicate(random, random.pick(requests)),
      );
      return { json, predicates: json.map((predicate) => compilePredicate(predicate, context)) };
    });
    const program = Program.of(stubs);
    for (const request of [...requests, ...requests.map((near) => bendRequest(random, near))].map(requestObject)) {
      for (const view of [plainView, fastView]) {
        const found = await outcome(() => program.match(view(request)));
        const expected = await outcome(() => linearMatch(stubs, view(request)));
        assert.equal(found, expected, `RIFT_SEED=${seed} ${JSON.stringify([found, expected, request])}`);
      }
    }
  }
});
