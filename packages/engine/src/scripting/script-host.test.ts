import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../logger.js';
import { createScriptHost } from './script-host.js';

const request = {
  requestFrom: '1.2.3.4:5',
  method: 'GET',
  path: '/p',
  query: { k: '1' },
  headers: {},
  body: '',
  ip: '1.2.3.4',
};

test('x', async () => {
  const host = createScriptHost({
    profile: 'mountebank',
    timeoutMs: 1000,
    timeoutGiven: false,
    logger: silentLogger,
    workingDirectory: process.cwd(),
  });
  assert.deepEqual(await host.response('c => ({ statusCode: 201, body: c.request.path })', request), {
    statusCode: 201,
    body: '/p',
  });
  const t = performance.now();
  for (let i = 0; i < 2000; i++) await host.response('c => ({ statusCode: 201, body: c.request.path })', request);
  console.log('sequential us', (performance.now() - t) / 2);
  const t2 = performance.now();
  await Promise.all(
    Array.from({ length: 5000 }, () => host.response('c => ({ statusCode: 201, body: c.request.path })', request)),
  );
  console.log('parallel us', (performance.now() - t2) / 5);
  const t3 = performance.now();
  const loop = host.response('c => { while (true); }', request);
  const others = Promise.all(
    [1, 2, 3].map(() =>
      host.response('c => { c.state.n = (c.state.n||0)+1; return { body: String(c.state.n) } }', request),
    ),
  );
  console.log(await others, performance.now() - t3);
  await assert.rejects(loop, (e: Error) => {
    console.log(e, performance.now() - t3);
    return true;
  });
  console.log(await host.response('c => ({ body: String(c.state.n) })', request), performance.now() - t3);
  await host.close();
});
