// Creation requests made by chance, near the border between what is accepted and what is refused. They leave out what
// ends Mountebank's process and the spellings that only Rift accepts, so that every difference is a finding.

import type { Json, JsonObject } from './types.js';

/** A stream of numbers in [0, 1) that is the same for the same seed (linear congruence, Numerical Recipes). */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

export interface GeneratedRequest {
  readonly allowInjection: boolean;
  readonly post: JsonObject;
}

/** An endless stream of creation requests. */
export function* generatedRequests(seed: number): Generator<GeneratedRequest> {
  const random = numbers(seed);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const often = (probability: number) => random() < probability;
  const list = <T>(least: number, most: number, make: () => T): T[] =>
    Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, make);

  const junk = (): Json => pick<Json>([0, 1, -1, 1.5, '', 'x', '5', true, false, [], {}, ['a'], { a: 1 }]);

  /** Some of the parts, now and then in the other order. */
  const some = (parts: JsonObject): JsonObject => {
    const entries = Object.entries(parts).filter(() => often(0.85));
    return Object.fromEntries(often(0.3) ? entries.reverse() : entries);
  };

  const from = (): Json => pick<Json>(['path', { query: 'a' }, { a: 1, b: 2 }, junk()]);
  const using = (): Json =>
    pick<Json>([
      some({ method: pick<Json>(['regex', 'xpath', 'jsonpath', 'zz', 1]), selector: pick<Json>(['.', 1, '//a']) }),
      { method: 'regex', selector: '.' },
      junk(),
    ]);
  const copy = (): Json => pick<Json>([some({ from: from(), into: pick<Json>(['x', 1]), using: using() }), junk()]);
  const csv = (): Json =>
    pick<Json>([
      some({ path: pick<Json>(['p', 1]), keyColumn: pick<Json>(['k', 2]), delimiter: pick<Json>([',', 3]) }),
      junk(),
    ]);
  const lookup = (): Json =>
    pick<Json>([
      some({
        key: pick<Json>([some({ from: from(), using: using() }), junk()]),
        fromDataSource: pick<Json>([{ csv: csv() }, { csv: csv() }, { xml: {} }, { csv: {}, b: 1 }, junk()]),
        into: pick<Json>(['x', 1]),
      }),
      junk(),
    ]);
  const wait = (): Json => pick<Json>([0, 5, -1, '5', '() => 1', true, 1.5]);
  const behavior = (): Json =>
    pick<() => Json>([
      () => ({ wait: wait() }),
      () => ({ copy: copy() }),
      () => ({ lookup: lookup() }),
      () => ({ decorate: pick<Json>(['x', 1, '', true]) }),
      () => ({ shellTransform: pick<Json>(['x', ['a'], 1, '']) }),
      () => some({ copy: copy(), wait: wait(), decorate: 'x', note: 1 }),
      () => pick<Json>([{ zap: 1 }, {}, 1, 'x', []]),
    ])();
  const old = (): JsonObject =>
    some({
      zip: 1,
      decorate: pick<Json>(['x', 1]),
      copy: pick<Json>([copy(), [copy()], []]),
      wait: pick<Json>([wait(), [wait(), wait()]]),
      shellTransform: pick<Json>(['x', ['a', 'b'], []]),
      lookup: pick<Json>([lookup(), [lookup()]]),
      repeat: pick<Json>([1, '2', 0, true]),
    });

  const type = (): JsonObject =>
    pick<() => JsonObject>([
      () => ({ is: pick<Json>([{}, { body: 'x', statusCode: 400 }, { body: { a: [1] } }, 'x']) }),
      () => ({ is: {} }),
      () => ({ inject: pick<Json>(['x', '', 1]) }),
      () => ({ fault: pick<Json>(['CONNECTION_RESET_BY_PEER', 'zz', '', 1]) }),
      () => pick<JsonObject>([{}, { is: '' }, { is: null, proxy: null }, { is: {}, fault: 'x' }]),
      () => ({
        proxy: some({
          to: pick<Json>(['http://h:1', 'http://h:1/x', 'https://h/', 'ftp://u@h/p?q#r']),
          mode: pick<Json>(['proxyOnce', 'zz', 1]),
          predicateGenerators: pick<Json>([[], null, [{ matches: 1 }], [{ inject: 'x' }]]),
          addDecorateBehavior: pick<Json>(['x', '']),
          addWaitBehavior: true,
        }),
      }),
    ])();
  const response = (): JsonObject => {
    const made = type();
    if (often(0.4)) made.behaviors = pick<Json>([list(0, 2, behavior), list(1, 3, behavior), null, '']);
    if (often(0.3)) made._behaviors = pick<Json>([old(), old(), old(), 'x', null, []]);
    if (often(0.3)) made.repeat = pick<Json>([1, 2, '3', 0, -1, '0', true, '', 1.5, [1]]);
    if (often(0.2)) made.note = junk();
    return made;
  };

  const operators = ['equals', 'deepEquals', 'contains', 'startsWith', 'endsWith', 'matches', 'exists'];
  const operands: readonly Json[] = [{ path: '/' }, { method: 'GET' }, { body: 'x' }, { data: 'x' }, {}];
  const predicate = (depth: number): Json =>
    pick<() => Json>([
      () => ({ [pick(operators)]: pick(operands) }),
      () => ({ [pick(operators)]: pick(operands) }),
      (): Json => (depth > 0 ? { not: predicate(depth - 1) } : {}),
      (): Json => (depth > 0 ? { and: list(0, 2, () => predicate(depth - 1)) } : { x: 1 }),
      (): Json => (depth > 0 ? { or: list(0, 2, () => predicate(depth - 1)) } : { caseSensitive: true }),
      () => ({ exists: { body: true }, jsonpath: { selector: '$.a' } }),
      () => ({ equals: { body: 'a' }, xpath: { selector: pick(['//a', '//[']) } }),
      () => pick<Json>([{}, 'x', 1, [], { equal: {} }, { equals: { path: '/' }, note: 1, except: 'x' }]),
    ])();
  const stub = (): Json => {
    if (often(0.05)) return pick<Json>([{}, 1, 'x', []]);
    const parts: JsonObject = {};
    const predicates = () => {
      if (often(0.6)) parts.predicates = pick<Json>([[], list(1, 2, () => predicate(2)), null, '']);
    };
    if (often(0.5)) predicates();
    if (often(0.97)) parts.responses = often(0.95) ? list(1, 2, response) : pick<Json>([[], null]);
    if (parts.predicates === undefined) predicates();
    if (often(0.2)) parts.note = junk();
    return parts;
  };

  while (true) {
    const post: JsonObject = { protocol: pick(['http', 'http', 'http', 'tcp', 'smtp']) };
    if (often(0.03)) post.protocol = pick<Json>(['ftp', '', 1]);
    if (often(0.03)) post.port = pick<Json>([0, -1, 'x', 70_000, 1.5]);
    if (often(0.3)) post.name = junk();
    if (often(0.2)) post.recordRequests = junk();
    if (post.protocol === 'tcp' && often(0.4)) post.mode = pick<Json>(['text', 'binary', 'zz', '', 0]);
    if (often(0.15)) post.endOfRequestResolver = pick<Json>([{ inject: 'x' }, { inject: '' }, {}, 'x', 0]);
    if (often(0.15)) post.defaultResponse = junk();
    post.stubs = list(0, 3, stub);
    yield { allowInjection: often(0.6), post };
  }
}
