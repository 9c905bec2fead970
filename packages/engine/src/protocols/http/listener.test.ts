// Whom an http imposter serves, and what becomes of its connections when it stops.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { mountebankLimits } from '@rift-ts/http';
import { rawExchange } from '@rift-ts/oracle';
import { get, is, raw } from '../../differential/case.fixture.js';
import { Imposters, type ImpostersOptions } from '../../imposters.js';
import { httpProtocol } from './protocol.js';

function imposters(t: TestContext, options: Partial<ImpostersOptions> & { graceMs?: number } = {}): Imposters {
  const { graceMs = 0, ...more } = options;
  const protocols = new Map([['http', httpProtocol({ limits: mountebankLimits, graceMs })]]);
  const made = new Imposters({ profile: 'mountebank', protocols, ...more });
  t.after(() => made.deleteAll());
  return made;
}

/** What a connection receives until it ends. */
async function received(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve)); // a reset is an end as well
  return Buffer.concat(chunks).toString('latin1');
}

async function connected(port: number, request?: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  if (request !== undefined) socket.write(request);
  return socket;
}

/** Resolves when the imposter has taken so many requests. */
async function taken(imposter: { numberOfRequests: number }, count: number): Promise<void> {
  while (imposter.numberOfRequests < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('an address that is not allowed gets no byte, is not counted, and the log says so', async (t) => {
  const lines: string[] = [];
  const write = (text: string) => lines.push(text);
  const made = imposters(t, {
    allows: () => false,
    loggerFor: () => ({ debug() {}, info() {}, warn: write, error: write, enabled: () => true }),
  });
  const imposter = await made.createFrom({ protocol: 'http', recordRequests: true });
  const { bytes, end } = await rawExchange(imposter.port, [
    raw('POST / HTTP/1.1', 'Host: m', 'Content-Length: 1').concat('x'),
  ]);
  assert.deepEqual([bytes.length, end === 'open'], [0, false]);
  const { numberOfRequests, requests } = imposter.toJson('full');
  assert.deepEqual([numberOfRequests, requests], [0, []]);
  const refused = 'Turn off --localOnly or add to --ipWhitelist to allow';
  assert.deepEqual(lines, [`Blocking incoming connection from ::ffff:127.0.0.1. ${refused}`]);
});

test('an imposter that stops ends its connections at once, those that wait for their answer, too', async (t) => {
  const made = imposters(t);
  const imposter = await made.createFrom({ protocol: 'http', ...is({ body: 'x' }, { behaviors: [{ wait: 60_000 }] }) });
  const waiting = received(await connected(imposter.port, get()));
  const silent = received(await connected(imposter.port));
  const halfway = received(await connected(imposter.port, 'GET / HT'));
  await taken(imposter, 1);
  await made.delete(String(imposter.port));
  assert.deepEqual(await Promise.all([waiting, silent, halfway]), ['', '', '']);
});

test('an imposter with a grace period answers what it has begun, and closes idle connections at once', async (t) => {
  const made = imposters(t, { graceMs: 10_000, profile: 'rift' });
  const imposter = await made.createFrom({ protocol: 'http', ...is({ body: 'x' }, { behaviors: [{ wait: 100 }] }) });
  const waiting = received(await connected(imposter.port, get()));
  await taken(imposter, 1);
  const idle = received(await connected(imposter.port));
  await made.delete(String(imposter.port));
  assert.equal(await idle, '');
  assert.match(await waiting, /^HTTP\/1\.1 200 OK\r\n.*\r\nConnection: close\r\n.*\r\n\r\nx$/s);
});

test('the port is free as soon as the imposter has stopped', async (t) => {
  const made = imposters(t);
  const imposter = await made.createFrom({
    protocol: 'http',
    ...is({ body: 'x', headers: { Connection: 'keep-alive' } }),
  });
  const open = await connected(imposter.port, get());
  await once(open, 'data');
  await made.delete(String(imposter.port));
  const again = await made.createFrom({ protocol: 'http', port: imposter.port });
  assert.equal(again.port, imposter.port);
  open.destroy();
});

test('a host that is no address counts as none', async (t) => {
  const made = imposters(t);
  for (const host of ['', 5, {}, false, null]) {
    const imposter = await made.createFrom({ protocol: 'http', host, ...is({ body: 'x' }) });
    assert.match(await received(await connected(imposter.port, get())), /^HTTP\/1\.1 200 /, JSON.stringify(host));
  }
});
