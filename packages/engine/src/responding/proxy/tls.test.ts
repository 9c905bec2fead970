import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import type { JsonObject } from '../../model/types.js';
import { certificate } from './certificates.test-help.js';
import { imposter, imposters, origin, send } from './proxy.test-help.js';

const authority = certificate('authority');
const server = certificate('upstream.test', authority);
const client = certificate('client', authority);

async function through(t: TestContext, proxy: JsonObject) {
  const { port } = await imposter(t, [{ responses: [{ proxy: { mode: 'proxyTransparent', ...proxy } }] }]);
  return send(port, '/');
}

test('an https upstream whose certificate nobody trusts', async (t) => {
  const { url } = await origin(t, undefined, server);
  const answer = await through(t, { to: url });
  assert.deepEqual([answer.status, answer.body], [200, 'n1']);
});

test('an https imposter in front of an http upstream', async (t) => {
  const { url } = await origin(t);
  const { port } = await imposters(t).createFrom({
    protocol: 'https',
    stubs: [{ responses: [{ proxy: { to: url } }] }],
  });
  assert.equal((await send(port, '/', { tls: true })).body, 'n1');
});

test('the server name asked for is that of the Host header, none for an address', async (t) => {
  const names: (string | false | null)[] = [];
  const { url } = await origin(
    t,
    (message, response) => {
      names.push((message.socket as TLSSocket & { servername: string | false | null }).servername);
      response.end();
    },
    server,
  );
  await through(t, { to: url });
  await through(t, { to: url, injectHeaders: { host: 'tenant.test:99' } });
  assert.deepEqual(names, [false, 'tenant.test']);
});

const demanding = { ...server, ca: [authority.cert], requestCert: true, rejectUnauthorized: true };

test('a client certificate is shown to the upstream', async (t) => {
  const { url } = await origin(
    t,
    (message, response) => response.end((message.socket as TLSSocket).getPeerCertificate().subject.CN),
    demanding,
  );
  const answer = await through(t, { to: url, key: client.key, cert: client.cert });
  assert.deepEqual([answer.status, answer.body], [200, 'client']);
});

test('the key of a client certificate may be encrypted', async (t) => {
  const { url } = await origin(t, undefined, demanding);
  const key = createPrivateKey(client.key).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'secret',
  });
  const { status } = await through(t, { to: url, key: String(key), cert: client.cert, passphrase: 'secret' });
  assert.equal(status, 200);
});

test('without the client certificate that is asked for the error has the TLS alert', async (t) => {
  const { url } = await origin(t, undefined, demanding);
  const answer = await through(t, { to: url });
  assert.equal(answer.status, 500);
  const [error] = JSON.parse(answer.body).errors;
  assert.deepEqual([error.code, error.message], ['invalid proxy', `Unable to connect to "${url}"`]);
  assert.match(error.data, /^ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: .*alert certificate required/);
});

test('TLS to an upstream that speaks plain HTTP', async (t) => {
  const { port } = await origin(t);
  const to = `https://127.0.0.1:${port}`;
  const answer = await through(t, { to });
  assert.equal(answer.status, 500);
  const [error] = JSON.parse(answer.body).errors;
  assert.deepEqual([error.code, error.message], ['invalid proxy', `Unable to connect to "${to}"`]);
  assert.match(error.data, /^(?:EPROTO|ERR_SSL_[A-Z_]+): /);
});

const broken: [name: string, options: JsonObject][] = [
  ['a key that is none', { key: 'no key', cert: client.cert }],
  ['a certificate that is none', { key: client.key, cert: 'none' }],
  ['a wrong passphrase', { key: client.key, cert: server.cert }],
  ['ciphers that do not exist', { ciphers: 'NO-SUCH-CIPHER' }],
  ['a protocol that does not exist', { secureProtocol: 'TLSv9_method' }],
];
for (const [name, options] of broken) {
  test(`${name}: the upstream cannot be reached`, async (t) => {
    const { url, seen } = await origin(t, undefined, server);
    const answer = await through(t, { to: url, ...options });
    assert.equal(answer.status, 500);
    assert.deepEqual(JSON.parse(answer.body).errors, [
      { code: 'invalid proxy', message: `Unable to connect to "${url}"`, name: 'Error' },
    ]);
    assert.equal(seen.length, 0);
  });
}

test('protocol and ciphers of the call are those configured', async (t) => {
  const { url } = await origin(
    t,
    (message, response) => {
      const socket = message.socket as TLSSocket;
      response.end(`${socket.getProtocol()} ${socket.getCipher().name}`);
    },
    server,
  );
  const options = { secureProtocol: 'TLSv1_2_method', ciphers: 'ECDHE-RSA-AES256-GCM-SHA384' };
  assert.equal((await through(t, { to: url, ...options })).body, 'TLSv1.2 ECDHE-RSA-AES256-GCM-SHA384');
  assert.match((await through(t, { to: url })).body, /^TLSv1.3 /);
});
