// `PUT /imposters` in profile rift: only what differs is changed.
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { freePorts } from '@rift-ts/oracle';
import { type TestAdmin, withAdmin } from './admin.test-help.js';

const stub = (path: string, ...bodies: string[]) => ({
  predicates: [{ equals: { path } }],
  responses: bodies.map((body) => ({ is: { body } })),
});
const many = Array.from({ length: 9 }, (_, i) => stub(`/${i}`, 'x'));

function ask(port: number, path: string, agent: Agent | false = false): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    }).on('error', reject);
  });
}

const put = (admin: TestAdmin, ...imposters: object[]) => admin.call('PUT', '/imposters', { imposters });
const shown = async ({ call }: TestAdmin, port: number) => (await call('GET', `/imposters/${port}`)).json();

test('an imposter that is declared as it runs keeps counters, turns and connections', () =>
  withAdmin('rift', {}, async (admin) => {
    const [port, other] = await freePorts(2);
    const kept = { protocol: 'http', port, recordRequests: true, stubs: [stub('/t', 'one', 'two', 'three'), ...many] };
    await put(admin, kept);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let connections = 0;
    const createConnection = agent.createConnection.bind(agent);
    agent.createConnection = ((...args: Parameters<typeof createConnection>) => {
      connections++;
      return createConnection(...args);
    }) as typeof agent.createConnection;
    assert.equal(await ask(port, '/t', agent), 'one');
    assert.equal((await put(admin, kept, { protocol: 'http', port: other, stubs: [] })).status, 200);
    assert.equal(await ask(port, '/t', agent), 'two');
    assert.equal(connections, 1);
    assert.equal((await shown(admin, port)).numberOfRequests, 2);
    agent.destroy();
  }));

test('a stub that changed is patched in place, the others keep their turn wherever they stand', () =>
  withAdmin('rift', {}, async (admin) => {
    const [port] = await freePorts(1);
    const turning = stub('/t', 'one', 'two');
    await put(admin, {
      protocol: 'http',
      port,
      recordRequests: true,
      stubs: [{ id: 's', ...stub('/s', 'old') }, turning, ...many],
    });
    assert.equal(await ask(port, '/t'), 'one');
    await put(admin, {
      protocol: 'http',
      port,
      recordRequests: true,
      stubs: [turning, { id: 's', ...stub('/s', 'new') }, ...many],
    });
    assert.equal(await ask(port, '/t'), 'two');
    assert.equal(await ask(port, '/s'), 'new');
    assert.equal((await shown(admin, port)).numberOfRequests, 3);
  }));

test('an imposter starts anew when something beside its stubs or most of its stubs differ', () =>
  withAdmin('rift', {}, async (admin) => {
    const [port] = await freePorts(1);
    const counted = async () => {
      await ask(port, '/a');
      return (await shown(admin, port)).numberOfRequests;
    };
    await put(admin, { protocol: 'http', port, stubs: [stub('/a', 'a')] });
    assert.equal(await counted(), 1);
    await put(admin, { protocol: 'http', port, recordRequests: true, stubs: [stub('/a', 'a')] });
    assert.equal(await counted(), 1);
    await put(admin, { protocol: 'http', port, recordRequests: true, stubs: [stub('/b', 'b')] });
    assert.equal(await counted(), 1);
  }));

test('enabled is switched in place; what is no longer declared is deleted', () =>
  withAdmin('rift', {}, async (admin) => {
    const [port, other] = await freePorts(2);
    const one = { protocol: 'http', port, stubs: [stub('/a', 'a')] };
    await put(admin, one, { protocol: 'http', port: other, stubs: [] });
    await ask(port, '/a');
    await put(admin, { ...one, enabled: false });
    assert.equal((await shown(admin, port)).enabled, false);
    assert.equal((await shown(admin, port)).numberOfRequests, 1);
    await assert.rejects(ask(other, '/'));
    await put(admin, one);
    assert.equal(await ask(port, '/a'), 'a');
  }));

test('of a set of which some cannot start the rest is in force, and the answer names what failed', () =>
  withAdmin('rift', {}, async (admin) => {
    const [port, busy] = await freePorts(2);
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(busy, resolve));
    const answer = await put(
      admin,
      { protocol: 'http', port: busy },
      { protocol: 'http', port, stubs: [stub('/a', 'good')] },
    );
    assert.equal(answer.status, 500);
    const json = answer.json() as { errors: { code: string; type: string; message: string }[]; failed: string[] };
    assert.deepEqual([json.errors[0].code, json.errors[0].type], ['500', 'internal error']);
    assert.match(json.errors[0].message, new RegExp(`^Replace partially failed: ${busy}: `));
    assert.equal(json.failed.length, 1);
    assert.deepEqual((answer.json() as { created: number[] }).created, [port]);
    assert.equal(await ask(port, '/a'), 'good');
    await new Promise((resolve) => blocker.close(resolve));
  }));

test('a set that names a port twice changes nothing', () =>
  withAdmin('rift', {}, async (admin) => {
    const [port] = await freePorts(1);
    await put(admin, { protocol: 'http', port, stubs: [stub('/a', 'still')] });
    const answer = await put(admin, { protocol: 'http', port }, { protocol: 'http', port });
    assert.equal(answer.status, 400);
    assert.match(answer.body, /Invalid imposter set \(imposters unchanged\): port \d+ is declared twice/);
    assert.equal(await ask(port, '/a'), 'still');
  }));
