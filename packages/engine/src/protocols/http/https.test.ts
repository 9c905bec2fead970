// TLS of https imposters: which certificate is served, what a client must bring, what is refused and with which words.

import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { connect as connectTcp, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { mountebankLimits } from '@rift-ts/http';
import { RiftError, RiftErrors } from '../../errors.js';
import { Imposters } from '../../imposters.js';
import type { JsonObject, Profile } from '../../model/types.js';
import { certificate } from '../../responding/proxy/certificates.test-help.js';
import { type HttpProtocolOptions, httpsProtocol } from './protocol.js';

const authority = certificate('an authority');
const server = certificate('localhost', authority);
const client = certificate('a client', authority);

function imposters(t: TestContext, profile: Profile, more: Partial<HttpProtocolOptions> = {}): Imposters {
  const protocol = httpsProtocol({ limits: mountebankLimits, graceMs: 0, ...more });
  const made = new Imposters({ profile, protocols: new Map([['https', protocol]]) });
  t.after(() => made.deleteAll());
  return made;
}

/** A connection that has seen one answer. */
function exchange(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () =>
      socket.write('GET / HTTP/1.1\r\nHost: m\r\n\r\n'),
    );
    socket.once('error', reject);
    socket.once('data', () => resolve(socket));
    socket.once('close', () => reject(new Error('closed without an answer')));
  });
}

async function served(port: number, options?: ConnectionOptions): Promise<X509Certificate> {
  const socket = await exchange(port, options);
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return new X509Certificate(raw);
}

async function refusal(made: Imposters, imposter: JsonObject): Promise<RiftError> {
  try {
    await made.createFrom({ protocol: 'https', ...imposter });
  } catch (error) {
    const first = error instanceof RiftErrors ? error.errors[0] : error;
    assert.ok(first instanceof RiftError, String(error));
    return first;
  }
  assert.fail('was accepted');
}

test('an imposter without a certificate has one for localhost, the same as every other', async (t) => {
  const made = imposters(t, 'mountebank');
  const first = await made.createFrom({ protocol: 'https' });
  const second = await made.createFrom({ protocol: 'https' });
  const certificate = await served(first.port);
  assert.equal(certificate.subjectAltName, 'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
  assert.equal((await served(second.port)).fingerprint256, certificate.fingerprint256);
  const { cert } = first.toJson('full');
  assert.equal(new X509Certificate(String(cert)).fingerprint256, certificate.fingerprint256);
});

test('a client that trusts the shown certificate can verify the imposter', async (t) => {
  const { port, metadata } = await imposters(t, 'mountebank').createFrom({ protocol: 'https' });
  const socket = await exchange(port, { ca: String(metadata.cert), rejectUnauthorized: true, servername: 'localhost' });
  assert.equal(socket.authorized, true);
  socket.destroy();
});

test('an own pair is served, whatever server name is asked for', async (t) => {
  const { port } = await imposters(t, 'mountebank').createFrom({ protocol: 'https', ...server });
  const { fingerprint256 } = new X509Certificate(server.cert);
  for (const servername of ['localhost', 'other.test', '']) {
    assert.equal((await served(port, { servername })).fingerprint256, fingerprint256);
  }
});

test('a default pair of the server is served by imposters that bring none', async (t) => {
  const made = imposters(t, 'rift', { defaultKeyPair: server });
  const plain = await made.createFrom({ protocol: 'https' });
  const own = await made.createFrom({ protocol: 'https', ...client });
  assert.match((await served(plain.port)).subject, /localhost/);
  assert.match((await served(own.port)).subject, /a client/);
});

test('without generated certificates an imposter must bring one', async (t) => {
  const made = imposters(t, 'rift', { defaultKeyPair: 'none' });
  const { code, message } = await refusal(made, {});
  const text = 'protocol "https" requested but no cert/key provided and self-signed generation is disabled';
  assert.deepEqual({ code, message }, { code: 'bad data', message: `TLS configuration error: ${text}` });
  assert.ok((await made.createFrom({ protocol: 'https', ...server })).port > 0);
});

for (const profile of ['mountebank', 'rift'] as const) {
  const prefix = profile === 'rift' ? 'TLS configuration error: ' : '';
  for (const half of ['key', 'cert'] as const) {
    test(`profile ${profile}: ${half} alone is refused`, async (t) => {
      const { message } = await refusal(imposters(t, profile), { [half]: server[half] });
      assert.equal(message, `${prefix}https imposter must provide both \`cert\` and \`key\`, or neither`);
    });
  }
  for (const [what, fields, code] of [
    ['a certificate that is no PEM', { ...server, cert: 'x' }, 'ERR_OSSL_PEM_NO_START_LINE'],
    ['a pair that does not belong together', { ...server, key: client.key }, 'ERR_OSSL_X509_KEY_VALUES_MISMATCH'],
  ] as const) {
    test(`profile ${profile}: ${what} is refused with the words of the TLS library`, async (t) => {
      const error = await refusal(imposters(t, profile), fields);
      assert.equal(error.code, profile === 'rift' ? 'bad data' : code);
      assert.ok(error.message.startsWith(`${prefix}error:`), error.message);
    });
  }
}

test('passphrase opens an encrypted key', async (t) => {
  const encrypted = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
  const key = createPrivateKey(server.key).export(encrypted).toString();
  const made = imposters(t, 'mountebank');
  const imposter = { protocol: 'https', cert: server.cert, key, passphrase: 'secret' };
  const { port, ...created } = await made.createFrom(imposter);
  assert.match((await served(port)).subject, /localhost/);
  assert.equal(created.metadata.passphrase, 'secret');
  await refusal(made, { cert: server.cert, key, passphrase: 'wrong' });
});

test('ciphers are taken in any case and decide about TLS 1.2', async (t) => {
  const ciphers = 'ecdhe-rsa-aes128-gcm-sha256';
  const { port } = await imposters(t, 'mountebank').createFrom({ protocol: 'https', ...server, ciphers });
  const socket = await exchange(port, { maxVersion: 'TLSv1.2' });
  assert.equal(socket.getCipher().name, 'ECDHE-RSA-AES128-GCM-SHA256');
  socket.destroy();
});

test('http/1.1 is negotiated though HTTP/2 is offered', async (t) => {
  const { port } = await imposters(t, 'rift').createFrom({ protocol: 'https', ...server });
  const socket = await exchange(port, { ALPNProtocols: ['h2', 'http/1.1'] });
  assert.equal(socket.alpnProtocol, 'http/1.1');
  socket.destroy();
});

test('a second connection resumes the session of the first', async (t) => {
  const { port } = await imposters(t, 'mountebank').createFrom({ protocol: 'https', ...server });
  const first = await exchange(port, { maxVersion: 'TLSv1.2' });
  const session = first.getSession();
  first.destroy();
  const second = await exchange(port, { maxVersion: 'TLSv1.2', session });
  assert.equal(second.isSessionReused(), true);
  second.destroy();
});

const verified = { ...server, mutualAuth: true, rejectUnauthorized: true, ca: [authority.cert] };

test('mutualAuth with rejectUnauthorized serves clients that ca verifies, and no others', async (t) => {
  const { port } = await imposters(t, 'mountebank').createFrom({ protocol: 'https', ...verified });
  (await exchange(port, client)).destroy();
  await assert.rejects(exchange(port));
  await assert.rejects(exchange(port, certificate('a stranger')));
});

for (const [what, fields, asked] of [
  ['mutualAuth alone asks for a client certificate', { mutualAuth: true }, true],
  ['rejectUnauthorized alone does not ask for a client certificate', { rejectUnauthorized: true }, false],
] as const) {
  test(`${what} and serves every client`, async (t) => {
    const { port } = await imposters(t, 'mountebank').createFrom({ protocol: 'https', ...server, ...fields });
    const relayed: Buffer[] = [];
    const relay = createServer((near) => {
      const far = connectTcp({ port, host: '127.0.0.1' });
      far.on('data', (chunk) => relayed.push(chunk));
      near.pipe(far).pipe(near);
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    t.after(() => relay.close());
    // up to TLS 1.2 the server's side of the handshake can be read on the way
    const socket = await exchange((relay.address() as { port: number }).port, { maxVersion: 'TLSv1.2' });
    socket.destroy();
    assert.equal(handshakeMessages(Buffer.concat(relayed)).includes(CERTIFICATE_REQUEST), asked);
  });
}

const HANDSHAKE = 22;
const CERTIFICATE_REQUEST = 13;

/** Types of the handshake messages before encryption starts. RFC 5246 sections 6.2.1 and 7.4. */
function handshakeMessages(bytes: Buffer): number[] {
  const fragments: Buffer[] = [];
  for (let at = 0; at + 5 <= bytes.length && bytes[at] === HANDSHAKE; at += 5 + bytes.readUInt16BE(at + 3)) {
    fragments.push(bytes.subarray(at + 5, at + 5 + bytes.readUInt16BE(at + 3)));
  }
  const messages = Buffer.concat(fragments);
  const types: number[] = [];
  for (let at = 0; at + 4 <= messages.length; at += 4 + messages.readUIntBE(at + 1, 3)) types.push(messages[at]!);
  return types;
}
