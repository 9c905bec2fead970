import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RiftError } from '../errors.js';
import { silentLogger } from '../logger.js';
import type { ScriptHost } from '../scripting/types.js';
import { compilePredicate } from './compile.js';
import { linearMatch } from './linear.js';
import { plainView } from './plain-view.js';
import { type MatchableStub, Program } from './program.js';
import { defaultRequest } from './testing/behaviours.fixture.js';

interface NamedStub extends MatchableStub {
  readonly name: string;
}

function stub(name: string, predicates: unknown[], scripts?: ScriptHost, gate?: () => boolean): NamedStub {
  const context = { encoding: 'utf8', scripts, logger: silentLogger } as const;
  return { name, gate, predicates: predicates.map((predicate) => compilePredicate(predicate, context)) };
}

const path = (value: string) => ({ equals: { path: value } });
const view = (request: object) => plainView({ ...defaultRequest, ...request });

/** Answers every predicate script with the verdict written in its text, later. */
const scripts = {
  predicate: async (source: string) => {
    await new Promise((resolve) => setImmediate(resolve));
    return source === 'true';
  },
} as unknown as ScriptHost;

test('the first stub whose predicates all hold wins, and without a script there is no promise', () => {
  const program = Program.of([
    stub('a', [path('/a'), { equals: { method: 'POST' } }]),
    stub('b', [path('/a')]),
    stub('all', []),
  ]);
  assert.equal((program.match(view({ path: '/a' })) as NamedStub).name, 'b');
  assert.equal((program.match(view({ path: '/a', method: 'POST' })) as NamedStub).name, 'a');
  assert.equal((program.match(view({ path: '/b' })) as NamedStub).name, 'all');
  assert.equal(Program.of([stub('a', [path('/a')])]).match(view({ path: '/b' })), undefined);
});

test('members with the empty name are told apart from those above and below them', () => {
  const bodies = [{ '': { b: 'x' } }, { b: 'x' }, { '': { '': 'x' } }, { '': 'x' }, { b: { '': 'x' } }];
  const others = Array.from({ length: 12 }, (_, at) => ({ [`other${at}`]: 'x' }));
  const stubs = [...others, ...bodies].map((body) => stub(JSON.stringify(body), [{ equals: { body } }]));
  const program = Program.of(stubs);
  for (const body of bodies) {
    const request = view({ body: JSON.stringify(body) });
    assert.equal((program.match(request) as NamedStub | undefined)?.name, JSON.stringify(body));
  }
});

test('an edited program has the stub at its new place, and the program it was made from is as before', () => {
  const before = Program.of([stub('a', [path('/a')]), stub('all', [])]);
  const after = before.insert(0, stub('first', [path('/a')]));
  assert.equal((after.match(view({ path: '/a' })) as NamedStub).name, 'first');
  assert.equal((before.match(view({ path: '/a' })) as NamedStub).name, 'a');
  assert.deepEqual(
    [...after.remove(1)].map(({ name }) => name),
    ['first', 'all'],
  );
  assert.equal((before.replace(0, stub('b', [path('/b')])).match(view({ path: '/a' })) as NamedStub).name, 'all');
  assert.equal(after.length, 3);
  assert.equal(after.at(1).name, 'a');
});

test('a stub whose gate is shut does not take part', () => {
  const program = Program.of([stub('a', [], undefined, () => false), stub('b', [])]);
  assert.equal((program.match(view({})) as NamedStub).name, 'b');
});

test('matching goes on behind a script that says no, and stops at one that says yes', async () => {
  const stubs = [
    stub('no', [{ inject: 'false' }], scripts),
    stub('later predicate', [{ inject: 'true' }, path('/x')], scripts),
    stub('shut', [], scripts, () => false),
    stub('nested', [{ not: { inject: 'false' } }, { or: [path('/q'), { inject: 'true' }] }], scripts),
    stub('all', []),
  ];
  const matched = Program.of(stubs).match(view({ path: '/a' }));
  assert.ok(matched instanceof Promise);
  assert.equal((await matched)?.name, 'nested');
  assert.equal((await Program.of(stubs).match(view({ path: '/x' })))?.name, 'later predicate');
  assert.equal((await linearMatch(stubs, view({ path: '/a' })))?.name, 'nested');
});

test('a predicate that cannot be evaluated ends the match, later stubs are not tried', async () => {
  const broken = { equals: { body: 'x' }, xpath: { selector: '//q:a' } };
  const program = Program.of([stub('broken', [broken]), stub('all', [])]);
  assert.throws(() => program.match(view({ body: '<a/>' })), RiftError);
  assert.equal((program.match(view({ body: 'plain' })) as NamedStub).name, 'all');
  const behindScript = Program.of([stub('script', [{ inject: 'true' }, broken], scripts), stub('all', [])]);
  await assert.rejects(Promise.resolve(behindScript.match(view({ body: '<a/>' }))), RiftError);
});

// found by a run of a million pairs
test('a null that a text operator finds inside an inner array is not ruled out by the index', async () => {
  const request = view({ body: '{"c":["n-1",null],"d":{},"e":[["n",null]]}' });
  for (const predicate of [
    { endsWith: { body: null }, jsonpath: { selector: '$.*' } },
    { contains: { body: null }, jsonpath: { selector: '$.*' } },
    { contains: { body: { e: null } } },
    { contains: { body: { e: [null] } } },
  ]) {
    const wanted = stub('wanted', [predicate]);
    const others = Array.from({ length: 20 }, (_, i) => stub(`other ${i}`, [path(`/other/${i}`)]));
    const program = Program.of([...others, wanted]);
    const expected = await linearMatch([...others, wanted], request);
    assert.equal(program.match(request), expected);
    assert.equal(expected?.name, 'wanted');
  }
});
