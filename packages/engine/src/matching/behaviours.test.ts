import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RiftError } from '../errors.js';
import { silentLogger } from '../logger.js';
import { checkPredicates } from './check.js';
import { compilePredicate } from './compile.js';
import { plainView } from './plain-view.js';
import { behaviours, defaultRequest } from './testing/behaviours.fixture.js';

const dummyHttp = { requestFrom: '', method: 'GET', path: '/', query: {}, headers: {}, form: {}, body: '' };

for (const [id, json, request, , ours] of behaviours) {
  test(`${id}: ${json} against ${JSON.stringify(request)} gives ${ours}`, () => {
    const predicate: unknown = JSON.parse(json);
    const binary = 'data' in request;
    const encoding = binary ? 'base64' : 'utf8';
    const refused = checkPredicates([predicate], binary ? { data: 'test' } : dummyHttp, encoding);
    if (ours === '400') {
      assert.ok(refused instanceof RiftError);
      return;
    }
    assert.equal(refused, undefined);
    const compiled = compilePredicate(predicate, { encoding, scripts: undefined, logger: silentLogger });
    const view = plainView(binary ? request : { ...defaultRequest, ...request });
    if (ours === 'error') assert.throws(() => compiled.test(view), RiftError);
    else assert.equal(compiled.test(view), ours === 'match');
  });
}
