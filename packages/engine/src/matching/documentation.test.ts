// The examples of docs/predicates.md, as they are written there.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { RiftError } from '../errors.js';
import { silentLogger } from '../logger.js';
import { compilePredicate } from './compile.js';
import { plainView } from './plain-view.js';
import { Program } from './program.js';
import { defaultRequest } from './testing/behaviours.fixture.js';

interface Example {
  readonly predicate: unknown;
  readonly request: object;
  readonly result: 'match' | 'no' | 'error';
}

const page = readFileSync(new URL('../../../../docs/predicates.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => JSON.parse(text) as Example);

test('the page of predicates has examples', () => assert.ok(examples.length > 20));

for (const { predicate, request, result } of examples) {
  test(`documented: ${JSON.stringify(predicate)} on ${JSON.stringify(request)}: ${result}`, async () => {
    const compiled = compilePredicate(predicate, { encoding: 'utf8', scripts: undefined, logger: silentLogger });
    const stub = { predicates: [compiled] };
    const match = async () => Program.of([stub]).match(plainView({ ...defaultRequest, ...request }));
    if (result === 'error') await assert.rejects(match, RiftError);
    else assert.equal((await match()) === stub, result === 'match');
  });
}
