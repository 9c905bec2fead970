// Whole processes over the module of examples/impostersRepository.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exchange, folder, read, run, serve } from '../cli/program.test-help.js';

const example = fileURLToPath(new URL('../../../../examples/impostersRepository/repository.cjs', import.meta.url));
const logging = `
const { appendFileSync } = require('node:fs');
exports.create = (config, logger) => {
  const repository = require(${JSON.stringify(example)}).create(config, logger);
  appendFileSync('options.json', JSON.stringify(config));
  return Object.fromEntries(Object.entries(repository).map(([name, method]) => [name, (...args) => {
    appendFileSync('calls', name + '\\n');
    return method(...args);
  }]));
};`;

const args = ['--impostersRepository', 'logging.cjs'];
const is = (body: string) => ({ is: { body } });

async function served(t: TestContext, module = logging, ...more: string[]) {
  const cwd = folder(t, { 'logging.cjs': module });
  const server = await serve(t, 'mb', [...args, ...more], { cwd });
  return { cwd, server };
}

async function upstream(t: TestContext): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end(`answer ${requests.length}`);
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

test('the module is called in the order in which Mountebank calls it', async (t) => {
  const { cwd, server } = await served(t, logging, '--fancy', 'x');
  const stubs = [{ responses: [is('a')] }];
  const created = await server.call('/imposters', { method: 'POST', body: { protocol: 'http', stubs } });
  const { port } = created.json();
  assert.equal((await server.call(`/imposters/${port}`)).status, 200);
  const without = await server.call(`/imposters/${port}/stubs/0`, { method: 'DELETE' });
  assert.deepEqual(without.json().stubs, []);
  assert.equal((await server.call(`/imposters/${port}`, { method: 'DELETE' })).status, 200);
  await server.stop();
  assert.equal(
    read(cwd, 'calls').trim().split('\n').join(', '),
    'loadAll, stubsFor, add, exists, get, exists, get, stubsFor, get, del, stopAllSync',
  );
  const options = JSON.parse(read(cwd, 'options.json'));
  assert.deepEqual([options.fancy, options.impostersRepository, options.debug], ['x', 'logging.cjs', false]);
});

test('requests are answered from the module: predicates, scripts among them, turns and repeats', async (t) => {
  const { server } = await served(t, logging, '--allowInjection', '--debug');
  const body = {
    protocol: 'http',
    recordRequests: true,
    stubs: [
      { predicates: [{ inject: '({ request }) => request.path === "/scripted"' }], responses: [is('scripted')] },
      { predicates: [{ equals: { path: '/a' } }], responses: [{ ...is('a'), repeat: 2 }, is('b')] },
      { responses: [is('rest')] },
    ],
  };
  const { port } = (await server.call('/imposters', { method: 'POST', body })).json() as { port: number };
  const bodies: string[] = [];
  for (const path of ['/scripted', '/a', '/a', '/a', '/a', '/z']) bodies.push((await exchange({ port }, path)).body);
  assert.deepEqual(bodies, ['scripted', 'a', 'a', 'b', 'a', 'rest']);
  const shown = (await server.call(`/imposters/${port}`)).json() as {
    numberOfRequests: number;
    requests: { path: string }[];
    stubs: { matches: unknown[] }[];
  };
  assert.equal(shown.numberOfRequests, 6);
  assert.deepEqual(
    shown.requests.map(({ path }) => path),
    ['/scripted', '/a', '/a', '/a', '/a', '/z'],
  );
  assert.deepEqual(
    shown.stubs.map(({ matches }) => matches.length),
    [1, 4, 1],
  );
});

test('changes of stubs come to the module and are served from there', async (t) => {
  const { server } = await served(t);
  const body = { protocol: 'http', stubs: [{ predicates: [{ equals: { path: '/a' } }], responses: [is('a')] }] };
  const { port } = (await server.call('/imposters', { method: 'POST', body })).json() as { port: number };
  const change = async (method: string, path: string, change: object) => {
    const answer = await server.call(`/imposters/${port}${path}`, { method, body: change });
    assert.equal(answer.status, 200, answer.body);
    return (await exchange({ port }, '/a')).body + (await exchange({ port }, '/z')).body;
  };
  assert.equal(await change('POST', '/stubs', { stub: { responses: [is('end')] } }), 'aend');
  assert.equal(await change('POST', '/stubs', { index: 0, stub: { responses: [is('first')] } }), 'firstfirst');
  assert.equal(
    await change('PUT', '/stubs/0', { predicates: [{ equals: { path: '/z' } }], responses: [is('z')] }),
    'az',
  );
  assert.equal(await change('PUT', '/stubs', { stubs: [{ responses: [is('only')] }] }), 'onlyonly');
  const put = { imposters: [{ protocol: 'http', port, stubs: [{ responses: [is('new')] }] }] };
  assert.equal((await server.call('/imposters', { method: 'PUT', body: put })).status, 200);
  assert.equal((await exchange({ port }, '/a')).body, 'new');
});

test('what proxies record is in the module: proxyOnce asks once, proxyAlways collects', async (t) => {
  const { server } = await served(t);
  const { url, requests } = await upstream(t);
  const proxied = (mode: string) => ({
    protocol: 'http',
    stubs: [{ responses: [{ proxy: { to: url, mode, predicateGenerators: [{ matches: { path: true } }] } }] }],
  });
  const create = async (body: object) =>
    (await server.call('/imposters', { method: 'POST', body })).json() as { port: number };
  const once = await create(proxied('proxyOnce'));
  for (const path of ['/a', '/a', '/b']) await exchange({ port: once.port }, path);
  assert.deepEqual(requests, ['/a', '/b']);
  const always = await create(proxied('proxyAlways'));
  for (const path of ['/a', '/a', '/b']) await exchange({ port: always.port }, path);
  assert.equal(requests.length, 5);

  const recorded = async (port: number) => {
    const shown = (await server.call(`/imposters/${port}?replayable=true&removeProxies=true`)).json();
    return (shown.stubs as { responses: { is: { body: string } }[] }[]).map(({ responses }) =>
      responses.map((response) => response.is.body),
    );
  };
  assert.deepEqual(await recorded(once.port), [['answer 1'], ['answer 2']]);
  assert.deepEqual(await recorded(always.port), [['answer 3', 'answer 4'], ['answer 5']]);
  await server.call(`/imposters/${always.port}/savedProxyResponses`, { method: 'DELETE' });
  assert.deepEqual(await recorded(always.port), []);
});

test('the module may start imposters of its own when the server starts', async (t) => {
  const { server } = await served(
    t,
    `exports.create = (config, logger) => {
      const repository = require(${JSON.stringify(example)}).create(config, logger);
      const stub = { responses: [{ is: { body: 'loaded' } }] };
      return {
        ...repository,
        async loadAll(protocols) {
          const imposter = await protocols.http.createImposterFrom({ protocol: 'http', name: 'kept', stubs: [stub] });
          imposter.creationRequest.stubs = [stub];
          await repository.add(imposter);
        },
      };
    };`,
  );
  const [listed] = (await server.call('/imposters')).json().imposters as { port: number; name: string }[];
  assert.equal(listed?.name, 'kept');
  assert.equal((await exchange({ port: listed!.port }, '/')).body, 'loaded');
});

test('a module that is not there is warned of, one that fails ends the start', async (t) => {
  const cwd = folder(t, { 'bad.cjs': 'exports.create = () => { throw new Error("no database"); };' });
  const server = await serve(t, 'mb', ['--impostersRepository', 'gone.cjs'], { cwd });
  assert.ok(
    server.stdout().includes(`Imposters Respository ${join(cwd, 'gone.cjs')} does not exist. The default will be used`),
  );
  await server.stop();
  const { code, stdout } = await run(t, 'mb', ['--impostersRepository', 'bad.cjs', '--port', '0'], { cwd });
  assert.equal(code, 1);
  assert.match(stdout, /An error occured while creating custom impostersRepository:\s+Error: no database/);
});
