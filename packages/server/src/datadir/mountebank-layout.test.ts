import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject, RiftError, StubJson } from '@rift-ts/engine';
import { answering, get, json, newPath, open } from './datadir.test-help.js';

function stubFolders(path: string, port: number): string[] {
  const stubs = json(path, String(port), 'imposter.json').stubs as { meta: { dir: string } }[];
  return stubs.map(({ meta }) => join(path, String(port), meta.dir));
}

test('a cycle of responses goes on after a restart', async (t) => {
  const path = newPath(t);
  const before = await open(t, 'mountebank', path);
  const { port } = await before.imposters.createFrom(answering('a', 'b', 'c'));
  assert.equal((await get(port)) + (await get(port)), 'ab');
  await before.stop();

  await open(t, 'mountebank', path);
  assert.equal((await get(port)) + (await get(port)), 'ca');
});

test('the files have the form that Mountebank gives them', async (t) => {
  const path = newPath(t);
  const { imposters } = await open(t, 'mountebank', path);
  const { port } = await imposters.createFrom({
    protocol: 'http',
    weird: 1,
    requests: [{ path: '/old' }],
    stubs: [
      {
        predicates: [{ equals: { path: '/a' } }],
        responses: [{ is: { body: 'a' }, repeat: 2 }, { is: { body: 'b' } }],
      },
      { responses: [{ is: { body: 'c' } }] },
    ],
  });
  const imposter = json(path, String(port), 'imposter.json');
  assert.deepEqual(Object.keys(imposter), ['protocol', 'weird', 'port', 'stubs']);
  const [first, second] = imposter.stubs as JsonObject[];
  assert.deepEqual(Object.keys(first!), ['meta', 'predicates']);
  assert.deepEqual(Object.keys(second!), ['meta']);
  await get(port, '/a');

  const [folder] = stubFolders(path, port);
  const meta = json(folder!, 'meta.json');
  assert.deepEqual(Object.keys(meta), ['responseFiles', 'orderWithRepeats', 'nextIndex']);
  assert.deepEqual(meta.orderWithRepeats, [0, 0, 1]);
  assert.equal(meta.nextIndex, 1);
  const responses = (meta.responseFiles as string[]).map((file) => readFileSync(join(folder!, file), 'utf8'));
  assert.equal(responses[0], '{\n  "is": {\n    "body": "a"\n  },\n  "repeat": 2\n}');
  assert.match((meta.responseFiles as string[])[0]!, new RegExp(`^responses/\\d{13}-${process.pid}-\\d+\\.json$`));
});

test('recorded requests and matches come back, the count of requests starts anew', async (t) => {
  const path = newPath(t);
  const before = await open(t, 'mountebank', path, { debug: true });
  const { port } = await before.imposters.createFrom({ ...answering('a'), recordRequests: true });
  for (const name of ['/one', '/two', '/three']) await get(port, name);
  const shown = before.imposters.get(String(port))!.toJson('full') as JsonObject;
  assert.equal((shown.requests as unknown[]).length, 3);
  await before.stop();

  const after = await open(t, 'mountebank', path);
  const again = after.imposters.get(String(port))!.toJson('full');
  assert.equal(JSON.stringify(again), JSON.stringify({ ...shown, numberOfRequests: 0 }));
  assert.equal((again.stubs as unknown as { matches: unknown[] }[])[0]!.matches.length, 3);
});

test('requests that were deleted stay deleted', async (t) => {
  const path = newPath(t);
  const before = await open(t, 'mountebank', path);
  const imposter = await before.imposters.createFrom({ ...answering('a'), recordRequests: true });
  await get(imposter.port, '/one');
  await get(imposter.port, '/two');
  imposter.removeRequests(({ request }) => request.path === '/one');
  await imposter.whenKept();
  assert.equal(readdirSync(join(path, String(imposter.port), 'requests')).length, 1);
  imposter.clearRequests();
  await imposter.whenKept();
  assert.deepEqual(readdirSync(join(path, String(imposter.port), 'requests')), []);
});

test('a journal with a cap gives up the files of what it drops', async (t) => {
  const path = newPath(t);
  const { imposters } = await open(t, 'mountebank', path, { journalCap: 2 });
  const { port } = await imposters.createFrom({ ...answering('a'), recordRequests: true });
  for (const name of ['/one', '/two', '/three']) await get(port, name);
  await imposters.get(String(port))!.whenKept();
  const folder = join(path, String(port), 'requests');
  assert.deepEqual(
    readdirSync(folder)
      .map((name) => json(folder, name).path)
      .sort(),
    ['/three', '/two'],
  );
});

test('changes of stubs are on the disk when they are settled, and what they replaced is not', async (t) => {
  const path = newPath(t);
  const before = await open(t, 'mountebank', path);
  const imposter = await before.imposters.createFrom(answering('a'));
  const stub = (body: string): StubJson => ({ id: body, responses: [{ is: { body } }] });
  imposter.insertStub(0, stub('first'));
  imposter.insertStub(2, stub('last'));
  await imposter.whenKept();
  imposter.removeStub(1);
  imposter.replaceStub(1, stub('other'));
  imposter.stubs[0]!.addResponse({ is: { body: 'second' } });
  await imposter.whenKept();
  const shown = imposter.toJson('full');
  assert.deepEqual(readdirSync(join(path, String(imposter.port), 'stubs')).length, 2);
  await before.stop();

  const after = await open(t, 'mountebank', path);
  assert.deepEqual(after.imposters.get(String(imposter.port))!.toJson('full'), shown);
});

test('deleting removes the directory of the imposter, deleting all that of the data when nothing else is in it', async (t) => {
  const path = newPath(t);
  const { imposters } = await open(t, 'mountebank', path);
  const { port } = await imposters.createFrom(answering('a'));
  const other = await imposters.createFrom(answering('b'));
  await imposters.delete(String(port));
  assert.deepEqual(readdirSync(path), [String(other.port)]);
  await imposters.deleteAll();
  assert.equal(existsSync(path), false);

  await imposters.createFrom(answering('c'));
  writeFileSync(join(path, 'notes.txt'), 'mine');
  await imposters.deleteAll();
  assert.deepEqual(readdirSync(path), ['notes.txt']);
});

test('replacing all imposters leaves the directories of the new ones alone', async (t) => {
  const path = newPath(t);
  const { imposters } = await open(t, 'mountebank', path);
  const { port } = await imposters.createFrom(answering('old', 'older'));
  await imposters.createFrom(answering('gone'));
  await get(port);
  await imposters.replaceFrom({ imposters: [{ ...answering('new'), port }] });
  assert.deepEqual(readdirSync(path), [String(port)]);
  assert.equal(stubFolders(path, port).length, 1);
  assert.equal(readdirSync(join(path, String(port), 'stubs')).length, 1);
  assert.equal(json(stubFolders(path, port)[0]!, 'meta.json').nextIndex, 0);
});

test('an imposter that cannot be written is not created', async (t) => {
  const path = newPath(t);
  const { imposters } = await open(t, 'mountebank', path);
  writeFileSync(path, 'a file where the directory should be');
  await assert.rejects(imposters.createFrom(answering('a')), /^Error: Persistence error: /);
  assert.deepEqual(imposters.all(), []);
});

test('what is no imposter, cannot be read or has no free port is skipped with a line', async (t) => {
  const path = newPath(t);
  const before = await open(t, 'mountebank', path);
  const good = await before.imposters.createFrom(answering('a', 'b'));
  const recording = await before.imposters.createFrom({ ...answering('a'), recordRequests: true });
  const broken = await before.imposters.createFrom(answering('c'));
  const busy = await before.imposters.createFrom(answering('d'));
  const strange = await before.imposters.createFrom(answering('e'));
  await before.stop();
  const at = (port: number, ...rest: string[]) => join(path, String(port), ...rest);
  mkdirSync(join(path, 'junk'));
  const [firstResponse] = json(stubFolders(path, good.port)[0]!, 'meta.json').responseFiles as string[];
  const response = join(stubFolders(path, good.port)[0]!, firstResponse!);
  writeFileSync(response, '');
  mkdirSync(at(recording.port, 'requests'), { recursive: true });
  writeFileSync(at(recording.port, 'requests', 'x.json'), '');
  writeFileSync(at(broken.port, 'imposter.json'), '{');
  writeFileSync(at(strange.port, 'imposter.json'), '{"protocol":"foo","stubs":[]}');
  const blocker = createServer().listen(busy.port, '127.0.0.1');
  await new Promise((resolve) => blocker.once('listening', resolve));
  t.after(() => blocker.close());

  const { imposters, lines } = await open(t, 'mountebank', path);
  assert.deepEqual(
    imposters
      .all()
      .map(({ port }) => port)
      .sort(),
    [good.port, recording.port].sort(),
  );
  assert.equal(await get(good.port), 'b');
  assert.deepEqual((imposters.get(String(recording.port))!.toJson('full') as JsonObject).requests, []);
  const told = lines.filter((line) => !line.startsWith('info')).sort();
  assert.deepEqual(
    told,
    [
      'warn: Skipping junk during loading; missing imposter.json',
      `error: Corrupted database: invalid JSON for ${response}`,
      `error: Corrupted database: invalid JSON for ${at(recording.port, 'requests', 'x.json')}`,
      `error: Corrupted database: invalid JSON for ${at(broken.port, 'imposter.json')}`,
      `error: Cannot load imposter ${strange.port}; no protocol loaded for foo`,
      told.find((line) => line.includes(`Cannot load imposter ${busy.port};`)),
    ].sort(),
  );
  assert.ok(lines.includes(`info: Loading http:${good.port} from datadir`));
});

test('scripts from the disk run without the flag in profile mountebank, as there, and not in profile rift', async (t) => {
  const path = newPath(t);
  const before = await open(t, 'mountebank', path, { allowInjection: true });
  const { port } = await before.imposters.createFrom({
    protocol: 'http',
    stubs: [{ responses: [{ inject: '() => ({ body: "scripted" })' }] }],
  });
  await before.stop();

  const rift = await open(t, 'rift', path);
  assert.deepEqual(rift.imposters.all(), []);
  assert.match(rift.lines.join('\n'), new RegExp(`^error: Cannot load imposter ${port};.*allowInjection`, 'm'));
  await rift.stop();

  await open(t, 'mountebank', path);
  assert.equal(await get(port), 'scripted');
});

test('a huge repeat is kept without being spelled out', async (t) => {
  const path = newPath(t);
  const before = await open(t, 'mountebank', path);
  const { port } = await before.imposters.createFrom({
    protocol: 'http',
    stubs: [{ responses: [{ is: { body: 'a' } }, { is: { body: 'b' }, repeat: 1e9 }] }],
  });
  assert.equal((await get(port)) + (await get(port)), 'ab');
  await before.stop();
  const meta = json(stubFolders(path, port)[0]!, 'meta.json');
  assert.deepEqual([meta.orderWithRepeats, meta.nextIndex], [[0, 1], 1]);

  await open(t, 'mountebank', path);
  assert.equal(await get(port), 'b');
});

test('what others change on the disk is followed: stubs at once, requests when the imposter is shown', async (t) => {
  const path = newPath(t);
  const { imposters, datadir, lines } = await open(t, 'mountebank', path);
  const imposter = await imposters.createFrom({ ...answering('a'), recordRequests: true });
  const { port } = imposter;
  const show = async () => {
    await datadir.refresh?.(imposters, 'GET', '/imposters/:id', String(port));
    return imposter.toJson('full') as JsonObject & { requests: JsonObject[]; stubs: JsonObject[] };
  };
  await get(port, '/one');
  const file = join(path, String(port), 'imposter.json');
  const written = json(file);
  writeFileSync(`${file}.new`, JSON.stringify({ ...written, stubs: [] }));
  renameSync(`${file}.new`, file);
  while ((await get(port)) === 'a') await new Promise((resolve) => setTimeout(resolve, 5));
  writeFileSync(file, JSON.stringify(written));
  const requests = join(path, String(port), 'requests');
  const [first] = readdirSync(requests);
  writeFileSync(join(requests, '1-1-1.json'), readFileSync(join(requests, first!), 'utf8').replace('/one', '/theirs'));
  writeFileSync(join(requests, 'x.json'), '');
  const shown = await show();
  assert.deepEqual(shown.stubs.length, 1);
  assert.deepEqual([shown.requests[0]!.path, shown.requests.at(-1)!.path], ['/one', '/theirs']);
  await show();
  assert.deepEqual(
    lines.filter((line) => line.startsWith('error')),
    [`error: Corrupted database: invalid JSON for ${join(requests, 'x.json')}`],
  );
  assert.equal(await get(port), 'a');

  writeFileSync(file, '{');
  await assert.rejects(show(), (error: RiftError) => {
    assert.deepEqual([error.code, error.message], ['corrupted database', `invalid JSON in ${file}`]);
    return true;
  });
  rmSync(file);
  await assert.rejects(show(), /file not found/);
  await datadir.refresh?.(imposters, 'DELETE', '/imposters/:id', String(port));
  await imposters.delete(String(port));
  assert.deepEqual(readdirSync(path), []);
});
