import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random, seedOfRun } from '../matching/testing/random.fixture.js';
import type { Warning, Warnings } from '../model/read-options.js';
import type { ImposterJson, JsonObject, StubJson } from '../model/types.js';
import { StubWarnings } from './stub-warnings.js';

const stub = (predicates: JsonObject[], more: JsonObject = {}): StubJson => ({ ...more, predicates, responses: [] });
const path = (value: string, operator = 'equals'): JsonObject => ({ [operator]: { path: value } });

const all = ({ kept, others }: Warnings): Warning[] => [...kept, ...(others === undefined ? [] : [others])];

const listed = (stubs: readonly StubJson[]) => stubs.map((json) => ({ json }));

function warnings(stubs: readonly StubJson[], imposter: JsonObject = {}): Warning[] {
  return all(new StubWarnings({ protocol: 'http', ...imposter, stubs: [...stubs] } as ImposterJson).of(listed(stubs)));
}

/** `exact_duplicate 1 0`: type, stub, by which stub. */
function brief(stubs: readonly StubJson[], imposter: JsonObject = {}): string[] {
  return warnings(stubs, imposter).map(({ warningType, stubIndex, shadowedByIndex }) =>
    [warningType, stubIndex, shadowedByIndex].filter((part) => part !== undefined).join(' '),
  );
}

const rows: { behaviour: string; stubs: StubJson[]; imposter?: JsonObject; expected: string[] }[] = [
  {
    behaviour: 'a stub with the predicates of an earlier one never matches',
    stubs: [stub([path('/m')]), stub([path('/m')]), stub([path('/m')])],
    expected: ['exact_duplicate 1 0', 'exact_duplicate 2 0'],
  },
  {
    behaviour: 'the order of predicates and of keys does not count',
    stubs: [
      stub([path('/m'), { equals: { method: 'GET', body: 'b' } }]),
      stub([{ equals: { body: 'b', method: 'GET' } }, path('/m')]),
    ],
    expected: ['exact_duplicate 1 0'],
  },
  {
    behaviour: 'the number of predicates counts',
    stubs: [stub([path('/m')]), stub([path('/m'), path('/m')])],
    expected: [],
  },
  {
    behaviour: 'parameters of predicates count',
    stubs: [stub([path('/m')]), stub([{ ...path('/m'), caseSensitive: true }])],
    expected: [],
  },
  {
    behaviour: 'a catch-all shadows the stubs after it',
    stubs: [stub([]), stub([path('/m')])],
    expected: ['catch_all 0', 'potentially_shadowed 1 0', 'catch_all_not_last 0'],
  },
  {
    behaviour: 'a catch-all at the end shadows nothing',
    stubs: [stub([path('/m')]), stub([])],
    expected: ['catch_all 1'],
  },
  {
    behaviour: 'two catch-alls are duplicates',
    stubs: [stub([]), stub([])],
    expected: ['catch_all 0', 'catch_all 1', 'exact_duplicate 1 0', 'catch_all_not_last 0'],
  },
  {
    behaviour: 'a longer path below an earlier prefix is shadowed',
    stubs: [stub([path('/v1', 'startsWith')]), stub([path('/v1/u')]), stub([path('/v1/', 'startsWith')])],
    expected: ['potentially_shadowed 1 0', 'potentially_shadowed 2 0'],
  },
  {
    behaviour: 'a text that contains what an earlier stub asks for is shadowed',
    stubs: [stub([path('v1', 'contains')]), stub([path('/v1/u')]), stub([path('/v1/', 'startsWith')])],
    expected: ['potentially_shadowed 1 0'],
  },
  {
    behaviour: 'stubs for different methods do not overlap',
    stubs: [
      stub([path('/v1', 'startsWith'), { equals: { method: 'GET' } }]),
      stub([path('/v1/u'), { equals: { method: 'POST' } }]),
    ],
    expected: [],
  },
  {
    behaviour: 'predicates under `rules` count',
    stubs: [
      { rules: [path('/m')], responses: [] },
      { rules: [path('/m')], responses: [] },
    ],
    expected: ['exact_duplicate 1 0'],
  },
  {
    behaviour: 'one id twice',
    stubs: [stub([path('/a')], { id: 'q' }), stub([path('/b')], { id: 'q' }), stub([path('/c')], { id: 'r' })],
    expected: ['duplicate_id 1 0'],
  },
  {
    behaviour: 'stubs of different scenario states do not compete',
    stubs: [
      stub([path('/m')], { scenarioName: 's', requiredScenarioState: 'Started' }),
      stub([path('/m')], { scenarioName: 's', requiredScenarioState: 'done' }),
    ],
    expected: [],
  },
  {
    behaviour: 'a stub of any state shadows one of a certain state, but not the other way round',
    stubs: [
      stub([path('/m')], { scenarioName: 's', required_scenario_state: 'Started' }),
      stub([path('/m')]),
      stub([path('/m')], { scenarioName: 's', requiredScenarioState: 'Started' }),
      stub([path('/m')], { scenarioName: 's', requiredScenarioState: 'done' }),
    ],
    expected: ['exact_duplicate 2 0', 'exact_duplicate 3 1'],
  },
  {
    behaviour: 'a catch-all of one space shadows only the stubs of its space',
    stubs: [stub([], { space: 'a' }), stub([path('/m')], { space: 'b' }), stub([path('/n')], { space: 'a' })],
    expected: ['catch_all 0', 'potentially_shadowed 2 0', 'catch_all_not_last 0'],
  },
  {
    behaviour:
      'operators that do not count, patterns that few requests reach, unknown keys and TLS without effect come first',
    stubs: [
      stub([]),
      stub([{ equals: { path: '/x' }, contains: { path: '/y' } }]),
      stub([{ matches: { headers: { h: '(' } } }]),
      { responses: [{ is: {}, _rift: { tempalted: true } }] },
    ],
    imposter: { protocol: 'https', mutualAuth: true, _rift: { flowstate: {} } },
    expected: [
      'unknown_key',
      'unknown_key 3',
      'ignored_operator 1',
      'invalid_regex 2',
      'mutual_auth_not_enforced',
      'catch_all 0',
      'potentially_shadowed 1 0',
      'potentially_shadowed 2 0',
      'catch_all 3',
      'exact_duplicate 3 0',
      'catch_all_not_last 0',
    ],
  },
];

for (const { behaviour, stubs, imposter, expected } of rows) {
  test(behaviour, () => assert.deepEqual(brief(stubs, imposter), expected));
}

test('messages and keys are in their fixed form', () => {
  const found = warnings([stub([], { id: 'c' }), stub([path('/a')], { id: 'c' }), stub([path('/a')])]);
  assert.equal(
    JSON.stringify(found),
    JSON.stringify([
      {
        warningType: 'catch_all',
        message: 'Stub at index 0 has empty predicates and will match ALL requests',
        stubIndex: 0,
        stubId: 'c',
      },
      {
        warningType: 'duplicate_id',
        message: "Stub at index 1 has duplicate ID 'c' (same as stub at index 0)",
        stubIndex: 1,
        stubId: 'c',
        shadowedByIndex: 0,
      },
      {
        warningType: 'potentially_shadowed',
        message: 'Stub at index 1 may be shadowed by catch-all stub at index 0',
        stubIndex: 1,
        stubId: 'c',
        shadowedByIndex: 0,
      },
      {
        warningType: 'exact_duplicate',
        message: 'Stub at index 2 has identical predicates to stub at index 1 and will never match',
        stubIndex: 2,
        shadowedByIndex: 1,
      },
      {
        warningType: 'potentially_shadowed',
        message: 'Stub at index 2 may be shadowed by catch-all stub at index 0',
        stubIndex: 2,
        shadowedByIndex: 0,
      },
      {
        warningType: 'catch_all_not_last',
        message: 'Catch-all stub at index 0 will shadow 2 stub(s) after it',
        stubIndex: 0,
        stubId: 'c',
      },
    ]),
  );
});

test('a hundred warnings are shown, the others are counted', () => {
  const found = warnings(Array.from({ length: 500 }, () => stub([path('/m')])));
  assert.equal(found.length, 101);
  assert.deepEqual(found[100], {
    warningType: 'truncated',
    message: '399 additional stub warning(s) suppressed (showing first 100)',
  });
});

test('overlap is looked for up to 200 stubs', () => {
  const stubs = [
    stub([path('/a', 'startsWith')]),
    ...Array.from({ length: 200 }, (_, index) => stub([path(`/a/${index}`)])),
  ];
  assert.deepEqual(warnings(stubs), []);
  const found = warnings(stubs.slice(0, 200));
  assert.equal(found.length, 101);
  assert.equal(found[100]!.message, '99 additional stub warning(s) suppressed (showing first 100)');
});

// The definitions once more, by comparing every pair of stubs.
function bruteForce(stubs: readonly StubJson[]): string[] {
  const found: string[] = [];
  const canonical = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(canonical)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, each]) => [key, canonical(each)]),
          )
        : value;
  const predicates = stubs.map(({ predicates }) => predicates as JsonObject[]);
  const set = (at: number) =>
    JSON.stringify([
      predicates[at]!.length,
      [...new Set(predicates[at]!.map((each) => JSON.stringify(canonical(each))))].sort(),
    ]);
  const open = (earlier: StubJson, later: StubJson) =>
    (earlier.space === undefined || earlier.space === later.space) &&
    (earlier.requiredScenarioState === undefined ||
      (earlier.requiredScenarioState === later.requiredScenarioState && earlier.scenarioName === later.scenarioName));
  const texts = (at: number, operator: string) =>
    predicates[at]!.flatMap((predicate) =>
      Object.entries((predicate[operator] ?? {}) as Record<string, unknown>),
    ).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const overlap = (later: number, earlier: number) => {
    for (const [field, value] of texts(later, 'equals')) {
      for (const [other, their] of texts(earlier, 'equals')) if (field === other && value !== their) return false;
    }
    const some = (ours: string, theirs: string, test: (value: string, other: string) => boolean) =>
      texts(later, ours).some(([field, value]) =>
        texts(earlier, theirs).some(([other, their]) => field === other && test(value, their)),
      );
    return (
      some('equals', 'startsWith', (value, their) => value.startsWith(their)) ||
      some('equals', 'contains', (value, their) => value.includes(their)) ||
      some('startsWith', 'startsWith', (value, their) => value.length > their.length && value.startsWith(their))
    );
  };
  stubs.forEach((later, i) => {
    const before = stubs.slice(0, i);
    const id = later.id === undefined ? -1 : before.findIndex((earlier) => earlier.id === later.id);
    if (id >= 0) found.push(`duplicate_id ${i} ${id}`);
    if (predicates[i]!.length === 0) found.push(`catch_all ${i}`);
    const twin = before.findIndex((earlier, j) => open(earlier, later) && set(i) === set(j));
    if (twin >= 0) found.push(`exact_duplicate ${i} ${twin}`);
    if (predicates[i]!.length === 0) return;
    const general = before.findIndex((earlier, j) => open(earlier, later) && predicates[j]!.length === 0);
    if (general >= 0) found.push(`potentially_shadowed ${i} ${general}`);
    before.forEach((earlier, j) => {
      if (open(earlier, later) && overlap(i, j)) found.push(`potentially_shadowed ${i} ${j}`);
    });
  });
  const first = predicates.findIndex(({ length }) => length === 0);
  if (first >= 0 && first < stubs.length - 1) found.push(`catch_all_not_last ${first}`);
  return found;
}

function randomStub(random: Random): StubJson {
  const one = <T>(...choices: T[]) => random.pick(choices);
  const predicates = Array.from({ length: one(0, 1, 1, 1, 2, 2) }, (): JsonObject => {
    const operator = one('equals', 'equals', 'contains', 'startsWith', 'matches');
    const operand: JsonObject = { path: one('/a', '/a/b', '/a/b/c', '/', 'b') };
    if (random.pick([true, false, false])) operand.method = one('GET', 'POST');
    return { [operator]: operand, ...one<JsonObject>({}, {}, {}, { caseSensitive: true }) };
  });
  return {
    ...one<JsonObject>({}, {}, { id: 'x' }, { id: 'y' }),
    ...one<JsonObject>({}, {}, { space: 'a' }, { space: 'b' }),
    ...one<JsonObject>(
      {},
      {},
      { scenarioName: 's' },
      { scenarioName: 's', requiredScenarioState: one('Started', 'end') },
    ),
    predicates,
    responses: [],
  };
}

test('random stubs give the warnings that comparing every pair gives, also when they come one by one', () => {
  const seed = seedOfRun();
  const random = new Random(seed);
  for (let round = 0; round < 1000; round += 1) {
    const stubs = Array.from({ length: 1 + random.below(7) }, () => randomStub(random));
    const expected = bruteForce(stubs);
    assert.deepEqual(brief(stubs), expected, `seed ${seed}, round ${round}: ${JSON.stringify(stubs)}`);
    const growing = new StubWarnings({ protocol: 'http', stubs: [] });
    const lineage = random.below(2) === 0 ? {} : undefined;
    for (let count = 0; count < stubs.length; count += 1) growing.of(listed(stubs.slice(0, count)), lineage);
    const found = all(growing.of(listed(stubs), lineage));
    assert.equal(found.length, expected.length, `seed ${seed}, round ${round}, one by one`);
  }
});

test('the first hundred are the same list for as long as nothing in them changes, and the others are counted', () => {
  const analysis = new StubWarnings({ protocol: 'http', stubs: [] });
  const stubs = Array.from({ length: 102 }, () => stub([path('/m')]));
  const lineage = {};
  const before = analysis.of(listed(stubs), lineage);
  assert.equal(before.kept.length, 100);
  assert.match(before.others!.message, /^1 additional/);
  const after = analysis.of(listed([...stubs, stub([path('/m')])]), lineage);
  assert.equal(after.kept, before.kept);
  assert.match(after.others!.message, /^2 additional/);
  const unknown = analysis.of(
    listed([...stubs, { ...stub([path('/m')]), responses: [{ is: {}, _rift: { colour: 'red' } }] }]),
    {},
  );
  assert.equal(unknown.kept[0]!.warningType, 'unknown_key');
  assert.equal(unknown.kept.length, 100);
  assert.match(unknown.others!.message, /^3 additional/);
});

test('stubs that are taken away take their warnings with them', () => {
  const twice = [stub([path('/a')]), stub([path('/a')])];
  const analysis = new StubWarnings({ protocol: 'http', stubs: [] });
  assert.equal(analysis.of(listed(twice)).kept.length, 1);
  assert.equal(analysis.of(listed(twice.slice(1))).kept.length, 0);
});
