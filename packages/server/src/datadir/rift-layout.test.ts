import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { answering, get, json, newPath, open } from './datadir.test-help.js';

test('each imposter is a file with its whole configuration, written after each change, removed with it', async (t) => {
  const path = newPath(t);
  const { imposters } = await open(t, 'rift', path);
  const imposter = await imposters.createFrom({ ...answering('a'), name: 'n', recordRequests: true });
  const file = `${imposter.port}.json`;
  await get(imposter.port);
  assert.deepEqual(json(path, file), {
    protocol: 'http',
    port: imposter.port,
    name: 'n',
    recordRequests: true,
    enabled: true,
    stubs: [{ responses: [{ is: { body: 'a' } }] }],
  });
  assert.match(readFileSync(join(path, file), 'utf8'), /^\{\n {2}"protocol": "http",\n/);

  imposter.insertStub(0, { id: 's', responses: [{ is: { body: 'b' } }] });
  imposter.enabled = false;
  await imposter.whenKept();
  assert.deepEqual([json(path, file).enabled, (json(path, file).stubs as object[]).length], [false, 2]);
  assert.deepEqual(readdirSync(path), [file]);
  await imposters.deleteAll();
  assert.deepEqual(readdirSync(path), []);
});

test('imposters are there again after a restart in the middle of their turns, those that cannot be served are listed in one line', async (t) => {
  const path = newPath(t);
  const before = await open(t, 'rift', path);
  const { port } = await before.imposters.createFrom(answering('a', 'b', 'c'));
  assert.equal(await get(port), 'a');
  await before.stop();
  writeFileSync(join(path, '1.json'), '{');
  writeFileSync(
    join(path, '2.json'),
    JSON.stringify({ protocol: 'http', port: 2, stubs: [{ responses: [{ inject: '() => ({})' }] }] }),
  );
  const { imposters, lines } = await open(t, 'rift', path);
  assert.deepEqual(
    imposters.all().map((imposter) => imposter.port),
    [port],
  );
  assert.equal(await get(port), 'b');
  const errors = lines.filter((line) => line.startsWith('error'));
  assert.equal(errors.length, 1);
  assert.match(
    errors[0]!,
    /^error: 2 imposter file\(s\) in the datadir were skipped and are NOT being served: 1\.json: .*; 2\.json: .*allowInjection/,
  );
  await imposters.createFrom(answering('c'));
  assert.ok(existsSync(join(path, '1.json')), 'what could not be read is left alone');
});

test('an imposter that cannot be written is not created', async (t) => {
  const path = newPath(t);
  const { imposters } = await open(t, 'rift', path);
  writeFileSync(path, 'a file where the directory should be');
  await assert.rejects(imposters.createFrom(answering('a')), /^Error: Persistence error: /);
  assert.deepEqual(imposters.all(), []);
});

test('a file is no data directory', async (t) => {
  const path = newPath(t);
  writeFileSync(path, '{}');
  for (const profile of ['rift', 'mountebank'] as const) {
    await assert.rejects(open(t, profile, path), /--datadir .* is a file; name a directory/);
  }
});

test('the content decides the layout, whatever the profile; both in one directory are refused', async (t) => {
  const path = newPath(t);
  const before = await open(t, 'mountebank', path);
  const { port } = await before.imposters.createFrom(answering('a'));
  await before.stop();
  const rift = await open(t, 'rift', path);
  assert.equal(await get(port), 'a');
  await rift.stop();
  writeFileSync(join(path, '6101.json'), '{"protocol":"http","port":6101}');
  await assert.rejects(
    open(t, 'rift', path),
    /has imposters in two layouts: directories such as \d+ and files such as 6101\.json/,
  );

  const other = newPath(t);
  mkdirSync(other);
  writeFileSync(join(other, `${port}.json`), JSON.stringify({ ...answering('b'), port }));
  const mountebank = await open(t, 'mountebank', other);
  assert.equal(await get(port), 'b');
  const created = await mountebank.imposters.createFrom(answering('c'));
  assert.ok(existsSync(join(other, `${created.port}.json`)));
});
