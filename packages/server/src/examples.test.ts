// Every file in examples/ loads as it is, in both profiles.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exchange, folder, freePorts, serve } from './cli/program.test-help.js';

const examples = fileURLToPath(new URL('../../../examples/', import.meta.url));
const files = readdirSync(examples).filter((name) => /\.(json|ya?ml|ejs)$/.test(name));

/** A copy of an example with its ports replaced by free ones. */
async function withFreePorts(name: string): Promise<{ text: string; ports: number[] }> {
  let text = readFileSync(join(examples, name), 'utf8');
  const written = [...text.matchAll(/"?port"?\s*:\s*(\d+)/g)].map(([, port]) => port);
  const ports = await freePorts(written.length);
  for (const [index, port] of written.entries()) {
    text = text.replace(new RegExp(`("?port"?\\s*:\\s*)${port}\\b`), `$1${ports[index]}`);
  }
  return { text, ports };
}

for (const name of files) {
  for (const executable of ['mb', 'rift'] as const) {
    test(`examples/${name} loads in ${executable}`, async (t) => {
      const { text, ports } = await withFreePorts(name);
      assert.ok(ports.length > 0);
      const args = ['--configfile', name, '--allowInjection', '--pidfile', 'pid'];
      const server = await serve(t, executable, args, { cwd: folder(t, { [name]: text }) });
      for (const port of ports) await server.says(new RegExp(`:${port}[ \\]].*Open for business`));
    });
  }
}

test('the petstore answers as its stubs say', async (t) => {
  const { text, ports } = await withFreePorts('petstore.json');
  const cwd = folder(t, { 'petstore.json': text });
  await serve(t, 'rift', ['--configfile', 'petstore.json'], { cwd });
  const [port] = ports;
  const ask = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await exchange({ port, method, body, headers }, path);
    return [answer.status, answer.body.startsWith('{') || answer.body.startsWith('[') ? answer.json() : answer.body];
  };
  const login = { Authorization: 'Bearer x' };
  const expected: [Parameters<typeof ask>, unknown][] = [
    [
      ['GET', '/pets?kind=cat'],
      [200, [{ id: 2, name: 'Tom', kind: 'cat' }]],
    ],
    [
      ['GET', '/pets/1'],
      [200, { id: 1, name: 'Rex', kind: 'dog', tags: ['good boy'] }],
    ],
    [
      ['POST', '/pets', { name: 'Rex', kind: 'dog' }],
      [201, { id: 4, kind: 'dog' }],
    ],
    [
      ['POST', '/pets', { kind: 'fish' }],
      [201, { id: 5 }],
    ],
    [
      ['POST', '/pets', { kind: 'dragon' }],
      [422, { error: 'kind must be dog, cat or fish' }],
    ],
    [
      ['DELETE', '/pets/1'],
      [401, { error: 'log in first' }],
    ],
    [
      ['DELETE', '/pets/1', undefined, login],
      [204, ''],
    ],
    [
      ['PUT', '/pets/1', { name: 'Max' }, login],
      [200, { updated: true }],
    ],
    [
      ['GET', '/pets/search?status=sold&page=2'],
      [200, { page: 2, results: [] }],
    ],
    [
      ['GET', '/pets/search?q=r'],
      [200, { page: 1, results: [{ id: 1, name: 'Rex' }] }],
    ],
    [
      ['GET', '/health'],
      [200, 'ok'],
    ],
    [
      ['GET', '/nosuch'],
      [404, { error: 'no such resource' }],
    ],
  ];
  for (const [request, answer] of expected)
    assert.deepEqual(await ask(...request), answer, request.slice(0, 2).join(' '));
  const photo = await fetch(`http://127.0.0.1:${port}/pets/3/photo`);
  assert.equal(Buffer.from(await photo.arrayBuffer()).toString('latin1', 0, 6), 'GIF89a');
});

test('the first imposter of the README answers', async (t) => {
  const readme = readFileSync(join(examples, '..', 'README.md'), 'utf8');
  const [, body] = /-d '(\{[\s\S]*?\n\})'/.exec(readme) ?? [];
  const [, path] = /curl http:\/\/localhost:4546(\S+)/.exec(readme) ?? [];
  const [port] = await freePorts(1);
  for (const name of ['mb', 'rift'] as const) {
    const server = await serve(t, name);
    const created = await server.call('/imposters', { method: 'POST', body: body.replace('4546', String(port)) });
    assert.equal(created.status, 201);
    assert.equal((await exchange({ port }, path)).body, 'Hello, world');
    await server.stop();
  }
});
