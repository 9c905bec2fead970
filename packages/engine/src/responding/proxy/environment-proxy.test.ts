import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { certificate } from './certificates.test-help.js';
import { bodies, imposter, origin, send } from './proxy.test-help.js';

/** A forward proxy that notes what it is asked; it refuses tunnels with `refuse`. */
async function forwardProxy(t: TestContext, refuse = false) {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const server = createServer((message, response) => {
    asked.push(`${message.method} ${message.url}`);
    authorizations.push(message.headers['proxy-authorization']);
    const call = request(message.url!, { method: message.method, headers: message.headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    call.on('error', () => response.destroy());
    message.pipe(call);
  });
  server.on('connect', (message, socket, head) => {
    asked.push(`CONNECT ${message.url}`);
    authorizations.push(message.headers['proxy-authorization']);
    if (refuse) {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const { hostname, port } = new URL(`http://${message.url}`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [socket, upstream]) end.on('error', () => end.destroy());
    t.after(() => {
      socket.destroy();
      upstream.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked, authorizations };
}

const NAMES = ['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);

/** Only these variables for the length of the test. */
function environment(t: TestContext, variables: { [name: string]: string }): void {
  const before = NAMES.map((name) => [name, process.env[name]] as const);
  for (const name of NAMES) delete process.env[name];
  Object.assign(process.env, variables);
  t.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}

const upstreamCertificate = certificate('upstream.test');

for (const name of ['http_proxy', 'HTTP_PROXY']) {
  test(`${name}: requests to http upstreams go to the proxy with the whole URL`, async (t) => {
    const { url, seen } = await origin(t);
    const proxy = await forwardProxy(t);
    environment(t, { [name]: `http://user:p%40ss@${proxy.address}` });
    const { port } = await imposter(t, [{ responses: [{ proxy: { to: url, mode: 'proxyTransparent' } }] }]);
    assert.deepEqual(await bodies(port, '/a?x=+', 'http://other.test/abs'), ['n1', 'n2']);
    assert.deepEqual(proxy.asked, [`GET ${url}/a?x=+`, `GET ${url}/abs`]);
    assert.equal(seen[0].headers.host, url.slice('http://'.length));
    assert.equal(proxy.authorizations[0], `Basic ${Buffer.from('user:p@ss').toString('base64')}`);
  });
}

test('https_proxy: requests to https upstreams go through a tunnel', async (t) => {
  const { url, port: upstreamPort, seen } = await origin(t, undefined, upstreamCertificate);
  const proxy = await forwardProxy(t);
  environment(t, { https_proxy: `http://user:pass@${proxy.address}` });
  const { port } = await imposter(t, [{ responses: [{ proxy: { to: url, mode: 'proxyTransparent' } }] }]);
  assert.deepEqual(await bodies(port, '/a', '/b'), ['n1', 'n2']);
  assert.equal(proxy.asked[0], `CONNECT 127.0.0.1:${upstreamPort}`);
  assert.equal(proxy.authorizations[0], `Basic ${Buffer.from('user:pass').toString('base64')}`);
  assert.deepEqual(
    seen.map((message) => message.url),
    ['/a', '/b'],
  );
});

test('no_proxy: upstreams that it names are called directly', async (t) => {
  const { url } = await origin(t);
  const proxy = await forwardProxy(t);
  environment(t, { http_proxy: `http://${proxy.address}`, no_proxy: 'example.test,127.0.0.1' });
  const { port } = await imposter(t, [{ responses: [{ proxy: { to: url } }] }]);
  assert.deepEqual(await bodies(port, '/'), ['n1']);
  assert.deepEqual(proxy.asked, []);
});

test('a proxy that refuses the tunnel, and one that is not there', async (t) => {
  const { url } = await origin(t, undefined, upstreamCertificate);
  const proxy = await forwardProxy(t, true);
  for (const address of [proxy.address, '127.0.0.1:1']) {
    environment(t, { https_proxy: `http://${address}` });
    const { port } = await imposter(t, [{ responses: [{ proxy: { to: url } }] }]);
    const answer = await send(port, '/');
    assert.equal(answer.status, 500);
    assert.deepEqual(JSON.parse(answer.body).errors, [
      { code: 'invalid proxy', message: `Unable to connect to "${url}"`, name: 'Error' },
    ]);
  }
});
