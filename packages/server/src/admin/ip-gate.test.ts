import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { silentLogger } from '@rift-ts/engine';
import { withAdmin } from './admin.test-help.js';
import { ipGate } from './ip-gate.js';

test('the star lets everybody in, unless only this machine may', () => {
  assert.equal(ipGate({ localOnly: false, ipWhitelist: ['*'] })('10.1.2.3'), true);
  assert.equal(ipGate({ localOnly: true, ipWhitelist: ['*'] })('10.1.2.3'), false);
});

test('addresses of this machine are always allowed, those of the list only without localOnly', () => {
  for (const [localOnly, listed] of [
    [false, true],
    [true, false],
  ] as const) {
    const allows = ipGate({ localOnly, ipWhitelist: ['10.1.2.3', 'FE80::1'] });
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1']) assert.equal(allows(address), true);
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fe80::1', 'fe80::1%eth0', '::FFFF:10.1.2.3']) {
      assert.equal(allows(address), listed, address);
    }
    for (const address of ['10.1.2.4', '127.0.0.2', '10.1.2.30', '']) assert.equal(allows(address), false, address);
  }
});

test('an entry is a whole address: no pattern, no network, no blank', () => {
  const allows = ipGate({ localOnly: false, ipWhitelist: ['10.*', '10.1.2.0/24', ' 10.1.2.3'] });
  assert.equal(allows('10.1.2.3'), false);
});

test('a mapped entry lets the plain address in', () => {
  assert.equal(ipGate({ localOnly: false, ipWhitelist: ['::ffff:10.1.2.3'] })('10.1.2.3'), true);
});

test('a connection that is not allowed ends without a byte and is logged with the remedy', async () => {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
  const allows = ipGate({ localOnly: false, ipWhitelist: ['127.0.0.3'] });
  await withAdmin('mountebank', { allows, host: undefined, loggerFor: () => logger }, async ({ server }) => {
    const ask = (localAddress: string) =>
      new Promise<string>((resolve) => {
        let answer = '';
        const socket = connect({ port: server.port, host: '127.0.0.1', localAddress });
        socket.on('data', (chunk) => {
          answer += chunk;
          socket.end();
        });
        socket.once('error', () => resolve(answer));
        socket.once('close', () => resolve(answer));
        socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
      });
    assert.match(await ask('127.0.0.1'), /^HTTP\/1\.1 200 /);
    assert.match(await ask('127.0.0.3'), /^HTTP\/1\.1 200 /);
    assert.equal(await ask('127.0.0.2'), '');
    assert.deepEqual(warnings, [
      'Blocking incoming connection from ::ffff:127.0.0.2. Turn off --localOnly or add to --ipWhitelist to allow',
    ]);
  });
});
