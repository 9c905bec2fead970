// The fixture against the engine of this repository: what is measured is what it should be. Needs `npm run build`.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { enginesOf } from './engines.mjs';
import { imposters, recordingImposter } from './fixture.mjs';
import { call, verify } from './http.mjs';
import { fireCount } from './load.mjs';
import { comparison, dimensions, recordingOn } from './scenarios.mjs';
import { stubsOf } from './suites/admin.mjs';
import { sweepWork } from './suites/sweep.mjs';

const { node20: engine } = enginesOf();
let running;

before(async () => {
  assert.equal(engine.missing(), undefined);
  running = await engine.start({ engine: 'node20', args: engine.unlimited });
});
after(() => running?.stop());

const bodies = {
  api_first: '{"items": [{"id": 1}, {"id": 2}], "total": 2}',
  api_middle: '{"id": 5, "name": "resource5_5"}',
  api_last: '{"id": 10, "name": "resource10_10"}',
  no_match: '',
  jsonpath: '{"jsonpath_matched": true, "user_id": 25}',
  xpath: '<response><id>25</id></response>',
  template: '{"template": 25, "path": "/template/25", "query": ""}',
};

test('every scenario is answered by its stub, with all imposters resident', async () => {
  for (const imposter of imposters) await running.create(imposter);
  for (const scenario of [...comparison, ...dimensions]) {
    const port = await running.prepare({ name: scenario.imposter });
    await verify('node20', port, scenario);
    const { body, status } = await call(port, scenario.request.target, scenario.request);
    assert.equal(status, 200);
    assert.equal(body, bodies[scenario.name] ?? scenario.answer.body, scenario.name);
  }
});

test('50,000 recorded requests are counted, and 10,000 of them are kept', async () => {
  const { port } = await running.create(recordingImposter);
  await fireCount(port, recordingOn.request, 50_000, { connections: 50 });
  const { numberOfRequests, requests } = JSON.parse((await call(running.admin, `/imposters/${port}`)).body);
  assert.equal(numberOfRequests, 50_000);
  assert.equal(requests.length, 10_000);
});

for (const [shape, n, count, last] of [
  ['identical', 100, 99, 'exact_duplicate'],
  ['identical', 1000, 101, 'truncated'],
  ['distinct', 1000, 0, undefined],
]) {
  test(`${n} ${shape} stubs are created with ${count} warnings`, async () => {
    const { answer } = await running.create({ protocol: 'http', name: `${shape} ${n}`, stubs: stubsOf(shape, n) });
    const warnings = JSON.parse(answer.body)._rift?.warnings ?? [];
    assert.equal(answer.status, 201);
    assert.equal(warnings.length, count);
    assert.equal(warnings.at(-1)?.warningType, last);
  });
}

test('the stub that a sweep asks for answers, whichever family and number', async () => {
  for (const family of ['path', 'prefix', 'regex', 'header', 'bodytext', 'jsonbody', 'bodyfield']) {
    for (const n of [1, 10, 1000]) {
      const { imposter, scenario } = sweepWork(family, n);
      const { port } = await running.create(imposter);
      const { body } = await call(port, scenario.request.target, scenario.request);
      assert.equal(body, scenario.marker, scenario.name);
      await running.release(imposter);
    }
  }
  assert.equal(sweepWork('path', 1000).scenario.marker, '{"swept": 1000}');
  assert.equal(sweepWork('bodyfield', 1000).scenario.request.body, '{"orderId":"ord-500","channel":"web"}');
});

test('an engine that has ended leaves its ports', async () => {
  const another = await engine.start({ engine: 'node20' });
  const { port } = await another.create(imposters[0]);
  assert.equal((await call(port, '/health')).body, 'OK');
  await another.stop();
  await assert.rejects(call(port, '/health'), /ECONNREFUSED/);
});
