import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { Imposters } from '../../imposters.js';
import { tcpProtocol } from './protocol.js';

const CONNECTIONS = 5000;
const AT_ONCE = 250;

test('of 5,000 open connections the idle half does not keep the others from being served', async () => {
  const imposters = new Imposters({
    profile: 'rift',
    protocols: new Map([['tcp', tcpProtocol({ graceMs: 0 })]]),
  });
  const behaviors = [{ copy: { from: 'data', into: '${n}', using: { method: 'regex', selector: '\\d+' } } }];
  const imposter = await imposters.createFrom({
    protocol: 'tcp',
    stubs: [{ responses: [{ is: { data: 'got ${n}' }, behaviors }] }],
  });
  const sockets: Socket[] = [];
  while (sockets.length < CONNECTIONS) {
    const batch = Array.from({ length: AT_ONCE }, () => connect({ host: '127.0.0.1', port: imposter.port }));
    await Promise.all(batch.map((socket) => once(socket, 'connect')));
    sockets.push(...batch);
  }
  const answers = await Promise.all(
    sockets.slice(CONNECTIONS / 2).map(async (socket, n) => {
      socket.write(`message ${n}`);
      const [chunk] = await once(socket, 'data');
      return String(chunk) === `got ${n}`;
    }),
  );
  assert.equal(answers.filter(Boolean).length, CONNECTIONS / 2);
  assert.equal(imposter.numberOfRequests, CONNECTIONS / 2);
  const closed = Promise.all(sockets.map((socket) => once(socket, 'close')));
  await imposters.deleteAll();
  await closed;
});
