// A hundred clients at once: whatever the order in which their changes are made, every answer is one that some order
// explains, and at the end nothing is left open.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { freePort, withAdmin } from './admin.test-help.js';

const clients = 100;
const numbers = Array.from({ length: clients }, (_, i) => i);
const stub = (id: string) => ({ id, predicates: [{ equals: { path: `/${id}` } }], responses: [{ is: { body: id } }] });

async function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

test('a hundred clients that create, change, use and delete imposters of their own do not meet', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const ports = await Promise.all(
      numbers.map(async (i) => {
        const created = await call('POST', '/imposters', { protocol: 'http', name: `n${i}`, stubs: [stub('a')] });
        assert.equal(created.status, 201, created.body);
        const port = Number(created.json().port);
        assert.equal((await call('POST', `/imposters/${port}/stubs`, { stub: stub(`s${i}`) })).status, 200);
        assert.equal(await (await fetch(`http://127.0.0.1:${port}/s${i}`)).text(), `s${i}`);
        assert.equal((await call('DELETE', `/imposters/${port}/stubs/0`)).status, 200);
        const seen = (await call('GET', `/imposters/${port}`)).json();
        assert.equal(seen.name, `n${i}`);
        assert.deepEqual(
          (seen.stubs as { id: string }[]).map(({ id }) => id),
          [`s${i}`],
        );
        assert.equal(seen.numberOfRequests, 1);
        if (i % 2 === 0) {
          const deleted = await call('DELETE', `/imposters/${port}`);
          assert.equal(deleted.json().name, `n${i}`);
          assert.equal(await listens(port), false);
        }
        return port;
      }),
    );
    const left = ports.filter((_, i) => i % 2 === 1).sort((a, b) => a - b);
    const listed = (await call('GET', '/imposters')).json().imposters as { port: number }[];
    assert.deepEqual(
      listed.map(({ port }) => port),
      left,
    );
    await call('DELETE', '/imposters');
    assert.deepEqual(
      await Promise.all(ports.map(listens)),
      ports.map(() => false),
    );
  }));

test('of a hundred clients that create the same port one succeeds', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const port = await freePort();
    const answers = await Promise.all(numbers.map(() => call('POST', '/imposters', { protocol: 'http', port })));
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    for (const { status, body } of answers.filter(({ status }) => status !== 201)) {
      assert.equal(status, 400);
      assert.match(body, new RegExp(`"resource conflict"[\\s\\S]*Port ${port} is already in use`));
    }
  }));

test('a hundred stubs added at once are all there, each once', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const port = await freePort();
    await call('POST', '/imposters', { protocol: 'http', port });
    const answers = await Promise.all(
      numbers.map((i) => call('POST', `/imposters/${port}/stubs`, { index: 0, stub: stub(`s${i}`) })),
    );
    // each answer shows one stub more than the one before it
    assert.deepEqual(
      answers.map((answer) => (answer.json().stubs as unknown[]).length).sort((a, b) => a - b),
      numbers.map((i) => i + 1),
    );
    const { stubs } = (await call('GET', `/imposters/${port}/stubs`)).json() as { stubs: { id: string }[] };
    assert.deepEqual(stubs.map(({ id }) => id).sort(), numbers.map((i) => `s${i}`).sort());
    await Promise.all(numbers.map((i) => call('DELETE', `/imposters/${port}/stubs/by-id/s${i}`)));
    assert.equal((await call('GET', `/imposters/${port}/stubs`)).body, '{\n  "stubs": []\n}');
  }));

test('creating and deleting one port in turns never fails: a deleted port is free', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const port = await freePort();
    // sent together: the server makes them in the order of arrival or refuses a second creation, and loses none
    const created: number[] = [];
    for (let round = 0; round < 20; round++) {
      const [deleted, again] = await Promise.all([
        call('DELETE', `/imposters/${port}`),
        call('POST', '/imposters', { protocol: 'http', port, name: `r${round}` }),
      ]);
      assert.equal(deleted.status, 200);
      if (again.status === 201) created.push(round);
      else assert.match(again.body, /already in use/);
      assert.equal((await call('GET', `/imposters/${port}`)).status === 200, await listens(port));
    }
    assert.ok(created.length > 0);
  }));

test('replacing the set while others create leaves exactly what listens', () =>
  withAdmin('mountebank', {}, async ({ call }) => {
    const [a, b] = [await freePort(), await freePort()];
    const set = {
      imposters: [
        { protocol: 'http', port: a },
        { protocol: 'http', port: b },
      ],
    };
    const answers = await Promise.all(
      numbers.map((i) => {
        if (i % 10 === 0) return call('PUT', '/imposters', set);
        if (i % 25 === 1) return call('DELETE', '/imposters');
        return call('POST', '/imposters', { protocol: 'http', name: `n${i}` });
      }),
    );
    for (const { status, body } of answers) assert.ok(status === 200 || status === 201, body);
    const ports = new Set([
      a,
      b,
      ...answers.filter(({ status }) => status === 201).map((answer) => Number(answer.json().port)),
    ]);
    const listed = new Set(
      ((await call('GET', '/imposters')).json().imposters as { port: number }[]).map(({ port }) => port),
    );
    for (const port of ports) assert.equal(await listens(port), listed.has(port), String(port));
    // the last replacement was complete when it was answered
    const last = await call('PUT', '/imposters', set);
    assert.deepEqual(
      (last.json().imposters as { port: number }[]).map(({ port }) => port),
      [a, b],
    );
    assert.equal(((await call('GET', '/imposters')).json().imposters as unknown[]).length, 2);
  }));

test('when all is closed no listener and no worker is left', async () => {
  await withAdmin('mountebank', {}, async ({ call }) => {
    for (let i = 0; i < 5; i++) await call('POST', '/imposters', { protocol: 'http' });
    await call('PUT', '/imposters', { imposters: [{ protocol: 'http' }, { protocol: 'https' }] });
  });
  const open = () =>
    process.getActiveResourcesInfo().filter((name) => /^(TCPServerWrap|Worker|MessagePort)$/.test(name));
  // the system's close callbacks come in a later turn of the event loop
  for (let turn = 0; turn < 1000 && open().length > 0; turn++) await setImmediate();
  assert.deepEqual(open(), []);
});
