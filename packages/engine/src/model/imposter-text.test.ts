import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ImposterParts, imposterToJson } from './imposter-json.js';
import { prettyJson } from './imposter-text.js';
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
    warnings: [],
  };
}

const stub = (index: number) => ({
  7: 'first',
  predicates: [{ equals: { path: `/${index}\n"stubs": []` } }],
  responses: [{ is: { body: { é: ['\n    }', '$&', {}, []] } } }],
});

/** The text, which has to be the one of JSON.stringify. */
function text(parts: ImposterParts, removeProxies = false): string {
  const json = imposterToJson(parts, 'full', { profile: 'mountebank', linkBase: 'http://h', removeProxies });
  const made = prettyJson(json);
  assert.equal(made, JSON.stringify(json, null, 2));
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
