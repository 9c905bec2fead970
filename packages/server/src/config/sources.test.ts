import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ExitError } from '../cli/errors.js';
import { folder } from '../cli/program.test-help.js';
import { readSources } from './sources.js';

function load(options: { configfile?: string; imposters?: string[]; noParse?: boolean }, warnings: string[] = []) {
  const { configfile, imposters = [], noParse = false } = options;
  return readSources({ configfile, imposters, noParse, warn: (message) => warnings.push(message) });
}

const refused = (pattern: RegExp) => (error: unknown) =>
  error instanceof ExitError && error.kind === 'configuration' && pattern.test(error.message);

/** Address of an HTTP server that answers with `listener`. */
async function web(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

test('nothing asked for is nothing', async () => {
  assert.equal(await load({}), undefined);
});

test('several sources are merged in order; an imposter without port may come from each', async (t) => {
  const dir = folder(t, { 'a.json': [{ port: 1 }, {}], 'b.yml': '- port: 2\n- name: x\n' });
  const document = await load({ imposters: [join(dir, 'a.json'), `file:${join(dir, 'b.yml')}`] });
  assert.deepEqual(document, { imposters: [{ port: 1 }, {}, { port: 2 }, { name: 'x' }] });
});

test('a directory gives its configuration files by name, not those below or of other kinds', async (t) => {
  const files = { 'b.json': { port: 2 }, 'a.ejs': '{"port":<%= 1 %>}', 'c.txt': 'x', 'd/e.json': { port: 9 } };
  assert.deepEqual(await load({ configfile: folder(t, files) }), { imposters: [{ port: 1 }, { port: 2 }] });
});

test('a port in two sources, or twice in one, is refused with the names', async (t) => {
  const dir = folder(t, { 'a.json': { port: 1 }, 'b.json': { port: '1' }, 'c.json': [{ port: 3 }, { port: 3 }] });
  const [a, b, c] = ['a', 'b', 'c'].map((name) => join(dir, `${name}.json`));
  const both = `imposter sources \`${a}\` and \`${b}\` both declare port 1; each port may be declared by exactly one source`;
  await assert.rejects(load({ imposters: [a, b] }), (error: Error) => error.message === both);
  await assert.rejects(load({ imposters: [c] }), refused(/c\.json: port 3 is declared twice/));
});

test('a block in two sources is refused with both names', async (t) => {
  const dir = folder(t, { 'a.json': { imposters: [], routes: {} }, 'b.json': { imposters: [], routes: {} } });
  await assert.rejects(load({ configfile: dir }), refused(/a\.json` and `.*b\.json` both have a block "routes"/));
});

test('a scheme nobody serves is refused with the known ones; a drive letter is a path', async () => {
  const message =
    'no imposter source is registered for the `ftp:` scheme (from `ftp://h/x.json`); known schemes: file, http, https';
  await assert.rejects(load({ imposters: ['ftp://h/x.json'] }), (error: Error) => error.message === message);
  await assert.rejects(load({ imposters: ['mailto:x'] }), refused(/the `mailto:` scheme/));
  await assert.rejects(load({ imposters: ['C:\\x.json'] }), refused(/^No such file: C:\\x\.json/));
});

test('a saved body with template tags loads as it is, with a warning, when the file is no template', async (t) => {
  const warnings: string[] = [];
  const saved = { port: 1, stubs: [{ responses: [{ is: { body: '<% raw' } }] }] };
  const dir = folder(t, { 'saved.json': saved, 'fails.json': { name: '<%= nosuch %>' } });
  assert.deepEqual(await load({ configfile: join(dir, 'saved.json') }, warnings), { imposters: [saved] });
  assert.match(warnings.join(), /saved\.json is not a valid template .*loaded as plain JSON/);
  await assert.rejects(load({ configfile: join(dir, 'fails.json') }), refused(/nosuch is not defined/));
  const options = { configfile: join(dir, 'fails.json'), noParse: true };
  assert.deepEqual(await load(options), { imposters: [{ name: '<%= nosuch %>' }] });
});

test('a remote document is read through redirects, environment variables put in', async (t) => {
  process.env.RIFT_TEST_TEAM = '<a>';
  t.after(() => delete process.env.RIFT_TEST_TEAM);
  const text = `{"name":"<%= process.env.RIFT_TEST_TEAM %>|<%- process.env.RIFT_TEST_TEAM %>|<%= process.env.RIFT_NO_SUCH || 'none' %>|<%= process.env.RIFT_NO_SUCH %>"}`;
  const address = await web(t, ({ url }, response) => {
    if (url === '/end') response.end(text);
    else response.writeHead(302, { Location: '/end' }).end();
  });
  assert.deepEqual(await load({ imposters: [`${address}/x`] }), { imposters: [{ name: '&lt;a&gt;|<a>|none|' }] });
});

test('a remote document that fails, runs code, loops, is too large or no UTF-8 is refused', async (t) => {
  let written = 0;
  const address = await web(t, ({ url }, response) => {
    if (url === '/500') response.writeHead(500).end();
    else if (url === '/code') response.end(`{"name":"<% include 'x' %>"}`);
    else if (url === '/open') response.end('{"name":"<%= 1"}');
    else if (url === '/loop') response.writeHead(301, { Location: '/loop' }).end();
    else if (url === '/away') response.writeHead(301, { Location: 'file:///etc/hostname' }).end();
    else if (url === '/bytes') response.end(Buffer.from([0x7b, 0xff, 0x7d]));
    else {
      const chunk = Buffer.alloc(64 * 1024, ' ');
      const more = () => {
        while (!response.destroyed && written < 40 * 1024 * 1024) {
          written += chunk.length;
          if (!response.write(chunk)) return response.once('drain', more);
        }
        return response.end();
      };
      more();
    }
  });
  const expected: [string, RegExp][] = [
    ['/500', /^imposter source http:\/\/\S+\/500 returned HTTP 500$/],
    ['/code', /contains template code.*<% include 'x' %>/],
    ['/open', /contains template code/],
    ['/loop', /redirects more than 10 times/],
    ['/away', /redirects to file:/],
    ['/bytes', /is not UTF-8/],
    ['/large', /is larger than 10485760 bytes/],
  ];
  for (const [path, pattern] of expected)
    await assert.rejects(load({ imposters: [address + path] }), refused(pattern), path);
  assert.ok(written < 20 * 1024 * 1024, `read on after the limit: ${written} bytes`);
});

test('a remote that is not there is refused with the reason', async () => {
  await assert.rejects(
    load({ imposters: ['http://127.0.0.1:1/x'] }),
    refused(/cannot be read: .*ECONNREFUSED|bad port/),
  );
});
