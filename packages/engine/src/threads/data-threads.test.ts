import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { mountebankLimits } from '@rift-ts/http';
import { freePort } from '@rift-ts/oracle';
import { Imposters } from '../imposters.js';
import { httpProtocol } from '../protocols/http/protocol.js';
import { DataThreads } from './data-threads.js';

/** Imposters that one data thread serves (several cannot open one port on every runtime), and what became of it. */
function withThread(t: TestContext) {
  const replaced: string[] = [];
  const workers: Worker[] = [];
  const noteWorker = (worker: Worker) => workers.push(worker);
  process.on('worker', noteWorker);
  const protocol = { host: '127.0.0.1', limits: mountebankLimits };
  const threads = new DataThreads({
    count: 1,
    profile: 'mountebank',
    strictBehaviors: false,
    workingDirectory: process.cwd(),
    requestLogLevel: 'debug',
    protocol,
    graceMs: () => 0,
    onReplaced: (why) => replaced.push(why),
  });
  const imposters = new Imposters({
    profile: 'mountebank',
    protocols: new Map([['http', httpProtocol({ ...protocol, graceMs: 0 })]]),
    threads,
  });
  t.after(async () => {
    await threads.end();
    process.off('worker', noteWorker);
  });
  return { imposters, replaced, workers };
}

const stub = (path: string, ...bodies: string[]) => ({
  predicates: [{ equals: { path } }],
  responses: bodies.map((body) => ({ is: { body } })),
});

async function get(port: number, path: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}

test('a data thread that ends is replaced by one that serves what it served', async (t) => {
  const { imposters, replaced, workers } = withThread(t);
  const stubs = [stub('/gone', 'gone'), stub('/turns', 'first', 'second'), stub('/other', 'other')];
  const imposter = await imposters.createFrom({ protocol: 'http', port: await freePort(), stubs });
  const off = await imposters.createFrom({ protocol: 'http', port: await freePort(), stubs: [stub('/turns', 'on')] });
  imposter.insertStub(0, stub('/inserted', 'inserted'));
  imposter.removeStub(1);
  imposter.replaceStub(2, stub('/other', 'another'));
  off.replaceStubs([stub('/turns', 'new')]);
  await Promise.all([imposter.settled, off.settled]);
  assert.equal(await get(imposter.port, '/turns'), 'first');
  for (let time = 1; time <= 2; time++) {
    const worker = workers[workers.length - 1]!;
    const ended = once(worker, 'exit');
    await worker.terminate();
    await ended;
    // told while the new thread opens what the old one served
    imposter.insertStub(0, stub(`/after${time}`, `after ${time}`));
    await imposter.settled;
    assert.equal(replaced.length, time);
    assert.equal(workers.length, time + 1);
  }
  const paths = ['/turns', '/inserted', '/other', '/gone', '/after1', '/after2'];
  const bodies = [];
  for (const path of paths) bodies.push(await get(imposter.port, path));
  assert.deepEqual(bodies, ['second', 'inserted', 'another', '', 'after 1', 'after 2']);
  assert.equal(await get(off.port, '/turns'), 'new');
  assert.equal(imposter.totalRequests, 1 + paths.length, 'what the old thread counted counts');
});

test('a data thread that is held by a request is replaced when its imposter is to be closed', async (t) => {
  const { imposters, replaced, workers } = withThread(t);
  const kept = await imposters.createFrom({ protocol: 'http', port: await freePort(), stubs: [stub('/', 'kept')] });
  const imposter = await imposters.createFrom({ protocol: 'http', port: await freePort(), stubs: [stub('/', 'x')] });
  const [worker] = workers;
  // as if it never came to its orders
  worker!.postMessage = () => {};
  await imposter.stop();
  assert.deepEqual(replaced, ['a request has held it for 2000 ms']);
  assert.equal(workers.length, 2);
  assert.equal(await get(kept.port, '/'), 'kept');
  await assert.rejects(get(imposter.port, '/'));
});
