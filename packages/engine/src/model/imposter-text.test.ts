import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random, seedOfRun } from '../matching/testing/random.fixture.js';
import { type ImposterParts, imposterToJson } from './imposter-json.js';
import { prettyBytes } from './imposter-text.js';
import type { Warning } from './read-options.js';
import { ShownStubs } from './shown-stubs.js';
import type { ImposterJson, StubJson } from './types.js';

function many(count: number, make: (index: number) => object): ImposterParts {
  const stubs = Array.from({ length: count }, (_, index) => make(index) as StubJson);
  return {
    creation: {
      protocol: 'http',
      name: '\n  "stubs": []',
      defaultResponse: { stubs: [], body: '$& $1' },
      stubs,
    } as unknown as ImposterJson,
    port: 1,
    numberOfRequests: 0,
    enabled: true,
    metadata: {},
    requests: [{ stubs: [] }],
    stubs: stubs.map((json) => ({ json })),
    warnings: { kept: [] },
  };
}

const stub = (index: number) => ({
  7: 'first',
  predicates: [{ equals: { path: `/${index}\n"stubs": []` } }],
  responses: [{ is: { body: { é: ['\n    }', '$&', {}, []] } } }],
});

function prettyJson(value: unknown): string {
  const bytes = prettyBytes(value);
  return typeof bytes === 'string' ? bytes : Buffer.concat([...bytes]).toString();
}

/** The text, which has to be the one of JSON.stringify. */
function text(parts: ImposterParts, removeProxies = false, linkBase = 'http://h'): string {
  const json = imposterToJson(parts, 'full', { profile: 'mountebank', linkBase, removeProxies });
  const made = prettyJson(json);
  assert.ok(made === JSON.stringify(json, null, 2), 'the text is not the one of JSON.stringify');
  return made;
}

test('the text of an imposter with many stubs is the one of JSON.stringify, again and again', () => {
  const parts = many(100, stub);
  assert.equal(text(parts), text(parts));
  text(parts, true);
});

test('a response that a proxy appends to a stub shows', () => {
  const parts = many(100, stub);
  text(parts);
  parts.stubs[50]!.json.responses.push({ is: { body: 'appended' } });
  assert.match(text(parts), /appended/);
});

test('stubs that changed places have the link of the new place', () => {
  const parts = many(100, stub);
  text(parts);
  text({ ...parts, stubs: [...parts.stubs].reverse() });
});

test('stubs with matches, empty stubs and other values have the text of JSON.stringify', () => {
  const parts = many(100, stub);
  text({ ...parts, stubs: parts.stubs.map(({ json }, index) => ({ json, matches: index === 9 ? [{ a: 1 }] : [] })) });
  text(many(100, () => ({})));
  text(many(3, stub));
  for (const value of [null, 1, [], { stubs: 5 }, { stubs: Array(100).fill({ a: 1 }) }]) {
    assert.equal(prettyJson(value), JSON.stringify(value, null, 2));
  }
});

test('stubs that come, go, move and grow show as they are, whatever was shown before', () => {
  const seed = seedOfRun();
  const random = new Random(seed);
  const shown = new ShownStubs();
  const parts = many(40, stub);
  let stubs = [...parts.stubs];
  let linkBase = 'http://h';
  let lineage: object | undefined = {};
  for (let step = 0; step < 300; step++) {
    const at = random.below(stubs.length);
    const fresh = { json: stub(1000 + step) as unknown as StubJson };
    const change = random.below(7);
    const matches = random.below(50) === 0 ? [{ a: 1 }] : undefined;
    // stubs that come at the end, and other links, leave the others as they were
    if ((change !== 0 && change !== 5) || matches !== undefined) lineage = random.below(5) === 0 ? undefined : {};
    switch (change) {
      case 0:
        stubs = [...stubs, fresh];
        break;
      case 1:
        stubs = stubs.toSpliced(at, 0, fresh, { json: {} as StubJson });
        break;
      case 2:
        if (stubs.length > 33) stubs = stubs.toSpliced(at, 1);
        break;
      case 3:
        stubs = stubs.with(at, fresh);
        break;
      case 4:
        stubs[at]!.json.responses?.push({ is: { body: `ü${step}` } });
        break;
      case 5:
        linkBase = random.pick(['http://h', 'http://h:2525', 'http://ä']);
        break;
      case 6:
        if (random.below(10) === 0) stubs = stubs.toReversed();
    }
    const now = matches === undefined ? stubs : stubs.with(at, { ...stubs[at]!, matches });
    try {
      text({ ...parts, stubs: now, shown, lineage }, false, linkBase);
    } catch (error) {
      throw new Error(`seed ${seed}, step ${step}: ${String(error)}`);
    }
  }
});

test('what was given away does not change when stubs do', () => {
  const parts = many(40, stub);
  const shown = new ShownStubs();
  const given = (count: number) => [...shown.bytes(parts.stubs.slice(0, count), 'l')];
  const first = given(33);
  const before = Buffer.concat(first).toString();
  given(40);
  given(20);
  given(39);
  assert.equal(Buffer.concat(first).toString(), before);
});

test('warnings show as they are, the same ones again and others', () => {
  const warning = (index: number) => ({ warningType: 'w', message: `"warnings": [] é ${index}`, stubIndex: index });
  const parts = { ...many(40, stub), shown: new ShownStubs() };
  const json = (kept: Warning[], flowState?: object, others?: Warning) => {
    const warnings = { kept, others };
    const creation = { ...parts.creation, _rift: { warnings: [], ...(flowState && { flowState }) } } as ImposterJson;
    const made = imposterToJson({ ...parts, creation, warnings }, 'full', { profile: 'rift' });
    assert.equal(prettyJson(made), JSON.stringify(made, null, 2));
  };
  const list = Array.from({ length: 5 }, (_, index) => warning(index));
  json(list);
  json(list, undefined, warning(5));
  json(list, undefined, warning(6));
  json([...list.slice(0, 4), warning(9)]);
  json(list.slice(0, 1));
  json(list.slice(0, 2), { backend: 'inmemory' });
  json(list.toReversed(), { backend: 'inmemory' });
  json([], { backend: 'inmemory' });
});

test('very many stubs are shown piece by piece', () => {
  const parts = many(20_001, (index) => ({ responses: [{ is: { body: index } }] }));
  const json = imposterToJson(parts, 'full', { profile: 'mountebank' });
  assert.ok(!Array.isArray(prettyBytes(json)));
  text(parts);
});

test('stubs with very long bodies are shown piece by piece', () => {
  const parts = many(40, (index) => ({ responses: [{ is: { body: `${index}`.repeat(300_000) } }] }));
  const shown = new ShownStubs();
  for (let time = 0; time < 2; time++) text({ ...parts, shown });
  assert.ok(!Array.isArray(shown.bytes(parts.stubs, 'l')));
});
