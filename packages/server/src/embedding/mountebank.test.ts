import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { answers, exchange, folder, read } from '../cli/program.test-help.js';
import { create, createApp } from './mountebank.js';

const imposter = { protocol: 'http', stubs: [{ responses: [{ is: { body: 'hello' } }] }] };

test('create serves the admin API until close, which stops the imposters as well', async (t) => {
  const path = join(folder(t), 'own.log');
  const log = { level: 'info', transports: { file: { path, format: 'json' } } };
  const server = await create({ port: 0, log, ipWhitelist: ['*'] });
  const created = await exchange({ port: server.port, method: 'POST', body: imposter }, '/imposters');
  assert.equal(created.status, 201);
  const port = Number(created.json().port);
  assert.equal((await exchange({ port }, '/')).body, 'hello');
  await new Promise<void>((resolve) => void server.close(resolve));
  assert.deepEqual([await answers(server.port), await answers(port)], [false, false]);
  const lines = read(path).trim().split('\n');
  assert.match(lines[0]!, /now taking orders/);
  assert.match(lines.at(-1)!, /Adios - see you soon\?/);
});

test('a port that is taken rejects, and options of the command line that are none here are left alone', async (t) => {
  const cwd = folder(t);
  const log = { level: 'info', transports: {} };
  const first = await create({ port: 0, log, logfile: join(cwd, 'not.log'), pidfile: join(cwd, 'not.pid') });
  t.after(() => first.close());
  await assert.rejects(create({ port: first.port, log }), /already in use/);
  assert.deepEqual([existsSync(join(cwd, 'not.log')), existsSync(join(cwd, 'not.pid'))], [false, false]);
});

test('createApp is a handler that can be mounted under a path; links do not contain it', async (t) => {
  const app = await createApp({ log: { level: 'info', transports: {} } });
  const server = createServer((request, response) => {
    request.url = request.url?.slice('/mountebank'.length) || '/';
    app(request, response);
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const created = await exchange({ port, method: 'POST', body: imposter }, '/mountebank/imposters');
  assert.equal(created.status, 201);
  assert.equal(created.headers.location, `http://127.0.0.1:${port}/imposters/${created.json().port}`);
  assert.equal((await exchange({ port: Number(created.json().port) }, '/')).body, 'hello');
  const deleted = await exchange({ port, method: 'DELETE' }, '/mountebank/imposters');
  assert.equal(deleted.status, 200);
});

test('a CommonJS program may require the package', () => {
  const required = createRequire(import.meta.url)('rift-ts/mountebank') as Record<string, unknown>;
  assert.deepEqual(Object.keys(required).sort(), ['create', 'createApp']);
});
