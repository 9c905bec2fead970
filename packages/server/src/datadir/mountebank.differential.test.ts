// One data directory, written by a real Mountebank 2.9.1 and read here, and the other way round.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '@rift-ts/engine';
import { freePort, startMountebank } from '@rift-ts/oracle';
import { get, json, newPath, open } from './datadir.test-help.js';

const stubs = [
  {
    predicates: [{ equals: { path: '/a' } }, { not: { exists: { query: { q: true } } } }],
    responses: [
      { is: { statusCode: 201, body: 'a' }, repeat: 2, behaviors: [{ wait: 1 }] },
      { is: { body: { nested: ['json'] } } },
    ],
  },
  { responses: [{ is: { body: 'rest' } }] },
];

/** Without what differs between the products or with time. */
function comparable(imposter: JsonObject): string {
  const { requests, _links, ...rest } = imposter;
  const paths = (requests as JsonObject[]).map(({ method, path, query, body }) => ({ method, path, query, body }));
  const shown = (rest.stubs as JsonObject[]).map(({ _links: _, matches, ...stub }) => ({
    ...stub,
    matches: Array.isArray(matches) ? matches.length : 0,
  }));
  return JSON.stringify({ ...rest, numberOfRequests: 0, requests: paths, stubs: shown }, null, 2);
}

test('a directory that Mountebank wrote is served as Mountebank left it', async (t) => {
  const path = newPath(t);
  const port = await freePort();
  const mountebank = await startMountebank('--datadir', path, '--debug');
  t.after(() => mountebank.stop());
  const created = await mountebank.admin('POST', '/imposters', {
    protocol: 'http',
    port,
    name: 'shared',
    recordRequests: true,
    defaultResponse: { headers: { 'x-default': 'yes' } },
    stubs,
  });
  assert.equal(created.status, 201, created.text);
  assert.deepEqual([await get(port, '/a'), await get(port, '/a'), await get(port, '/z')], ['a', 'a', 'rest']);
  const theirs = JSON.parse((await mountebank.admin('GET', `/imposters/${port}`)).text);
  await mountebank.stop();

  const { imposters, lines } = await open(t, 'mountebank', path);
  assert.deepEqual(lines, [`info: Loading http:${port} from datadir`]);
  const ours = imposters.get(String(port))!;
  assert.equal(comparable(ours.toJson('full')), comparable(theirs));
  assert.deepEqual(JSON.parse(await get(port, '/a')), { nested: ['json'] });
  assert.equal(await get(port, '/a'), 'a');
});

test('a directory written here is served by Mountebank', async (t) => {
  const path = newPath(t);
  const port = await freePort();
  const { imposters, stop } = await open(t, 'mountebank', path, { debug: true });
  const imposter = await imposters.createFrom({ protocol: 'http', port, recordRequests: true, stubs });
  assert.deepEqual([await get(port, '/a'), await get(port, '/a'), await get(port, '/z')], ['a', 'a', 'rest']);
  imposter.insertStub(0, { predicates: [{ equals: { path: '/n' } }], responses: [{ is: { body: 'new' } }] });
  await imposter.whenKept();
  const ours = imposter.toJson('full');
  await stop();

  const mountebank = await startMountebank('--datadir', path);
  t.after(() => mountebank.stop());
  const theirs = JSON.parse((await mountebank.admin('GET', `/imposters/${port}`)).text);
  assert.equal(comparable(theirs), comparable(JSON.parse(JSON.stringify(ours))));
  assert.equal(await get(port, '/n'), 'new');
  assert.deepEqual(JSON.parse(await get(port, '/a')), { nested: ['json'] });
  const [, { meta }] = json(path, String(port), 'imposter.json').stubs as [unknown, { meta: { dir: string } }];
  assert.equal(json(join(path, String(port), meta.dir), 'meta.json').nextIndex, 0);
});
