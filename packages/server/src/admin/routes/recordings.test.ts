import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engine, freePort, type TestAdmin, withAdmin } from '../admin.test-help.js';

const paths = (json: unknown) => (json as { path: string }[]).map(({ path }) => path);

async function recorder({ call }: TestAdmin, more: object = {}): Promise<number> {
  const port = await freePort();
  await call('POST', '/imposters', { protocol: 'http', port, recordRequests: true, ...more });
  return port;
}

const ask = (port: number, path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);

test('saved requests are read from an index on and the last index is named', () =>
  withAdmin('rift', {}, async (admin) => {
    const port = await recorder(admin);
    for (const path of ['/a', '/b', '/c']) await ask(port, path);
    const saved = `/imposters/${port}/savedRequests`;
    const all = await admin.call('GET', saved);
    assert.deepEqual(paths(all.json()), ['/a', '/b', '/c']);
    assert.equal(all.headers['x-rift-next-index'], '3');
    assert.equal(all.headers['x-rift-truncated'], undefined);
    assert.deepEqual(paths((await admin.call('GET', `${saved}?since=2`)).json()), ['/c']);
    const filtered = await admin.call('GET', `${saved}?since=1&match=path=/zz`);
    assert.equal(filtered.body, '[]');
    assert.equal(filtered.headers['x-rift-next-index'], '3');
    await admin.call('DELETE', saved);
    await ask(port, '/d');
    const later = await admin.call('GET', `${saved}?since=3`);
    assert.equal(later.headers['x-rift-next-index'], '4');
    assert.equal(later.headers['x-rift-truncated'], undefined);
  }));

test('a capped journal says that what was asked for is gone', () => {
  const imposters = engine('rift', { journalCap: 2 }, '127.0.0.1');
  return withAdmin('rift', { imposters }, async (admin) => {
    const port = await recorder(admin);
    for (const path of ['/1', '/2', '/3', '/4', '/5']) await ask(port, path);
    const read = (query: string) => admin.call('GET', `/imposters/${port}/savedRequests${query}`);
    assert.deepEqual(paths((await read('')).json()), ['/4', '/5']);
    assert.equal((await read('')).headers['x-rift-truncated'], undefined);
    assert.equal((await read('?since=2')).headers['x-rift-truncated'], 'true');
    assert.equal((await read('?since=3')).headers['x-rift-truncated'], undefined);
  });
});

test('match clauses select by header, method, path and flow id, all of them together', () =>
  withAdmin('mountebank', {}, async (admin) => {
    const port = await recorder(admin, { _rift: { flowState: { flowIdSource: 'header:X-Flow' } } });
    await ask(port, '/a', { headers: { 'X-Flow': 'f1', 'X-T': '1' } });
    await ask(port, '/a', { method: 'POST', headers: { 'X-Flow': 'f2', 'X-T': '1' } });
    await ask(port, '/b', { headers: { 'X-T': '2' } });
    const found = async (...clauses: string[]) => {
      const query = clauses.map((clause) => `match=${encodeURIComponent(clause)}`).join('&');
      const answer = await admin.call('GET', `/imposters/${port}/requests?${query}`);
      return (answer.json() as unknown as { method: string; path: string }[]).map(
        ({ method, path }) => `${method} ${path}`,
      );
    };
    assert.deepEqual(await found('header:x-t=1'), ['GET /a', 'POST /a']);
    assert.deepEqual(await found('header:x-t=1', 'method=POST'), ['POST /a']);
    assert.deepEqual(await found('method=post'), []);
    assert.deepEqual(await found('path=/b'), ['GET /b']);
    assert.deepEqual(await found('flow_id=f1'), ['GET /a']);
    assert.deepEqual(await found(`flow_id=${port}`), []);
    const all = `/imposters/${port}/savedRequests`;
    const counted = (await admin.call('DELETE', `${all}?match=path=/a`)).json();
    assert.equal(counted.numberOfRequests, 3);
    assert.deepEqual(paths((await admin.call('GET', all)).json()), ['/b']);
  }));

test('clauses and cursors that are none are refused with what they should be', () =>
  withAdmin('mountebank', {}, async (admin) => {
    const port = await recorder(admin);
    for (const [query, message] of [
      ['match=header:X', "invalid match clause 'header:X' (expected header:<Name>=<Value>)"],
      ['match=header:=1', "invalid match clause 'header:=1' (empty header name)"],
      [
        'match=body=x',
        "unsupported match clause 'body=x' (expected header:<Name>=<Value>, flow_id=<Value>, method=<Verb> or path=<Path>)",
      ],
      ['since=-1', "invalid since cursor '-1' (expected a non-negative integer)"],
      ['since=', "invalid since cursor '' (expected a non-negative integer)"],
      // a message is text: a dollar sign in a clause is a dollar sign
      [
        "match=$'",
        "unsupported match clause '$'' (expected header:<Name>=<Value>, flow_id=<Value>, method=<Verb> or path=<Path>)",
      ],
    ] as const) {
      const answer = await admin.call('GET', `/imposters/${port}/savedRequests?${query}`);
      assert.equal(answer.status, 400, query);
      assert.deepEqual(answer.json(), { errors: [{ code: '400', type: 'bad data', message }] });
    }
    const absent = await admin.call('GET', '/imposters/1/savedRequests');
    assert.equal(absent.status, 404);
    assert.deepEqual(absent.json(), {
      errors: [{ code: '404', type: 'no such resource', message: 'Imposter not found on port 1' }],
    });
  }));

test('the old alias clears recorded requests in profile rift only', async () => {
  for (const [profile, left] of [
    ['rift', 0],
    ['mountebank', 1],
  ] as const) {
    await withAdmin(profile, {}, async (admin) => {
      const port = await recorder(admin);
      await ask(port, '/');
      const answer = await admin.call('DELETE', `/imposters/${port}/requests`);
      assert.equal((answer.json().requests as unknown[]).length, left, profile);
    });
  }
});
