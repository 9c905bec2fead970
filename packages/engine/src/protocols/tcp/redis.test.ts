// A real client: `redis` talks to a tcp imposter that plays a small exchange of RESP, the protocol of Redis.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from 'redis';
import { Imposters } from '../../imposters.js';
import { tcpProtocol } from './protocol.js';

/** A command is complete when it has as many elements as its first line announces, each of the announced length. */
const endOfCommand = `data => {
  const lines = data.split('\\r\\n');
  const count = Number(lines[0].slice(1));
  return lines.length === 2 * count + 2 && lines[lines.length - 1] === '';
}`;

const command = (...words: string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
const on = (data: string, ...answers: string[]) => ({
  predicates: [{ equals: { data } }],
  responses: answers.map((answer) => ({ is: { data: answer } })),
});

test('a Redis client gets and sets, and sees errors, in the answers of stubs', async (t) => {
  const imposters = new Imposters({
    profile: 'rift',
    allowInjection: true,
    protocols: new Map([['tcp', tcpProtocol({ graceMs: 0 })]]),
  });
  const imposter = await imposters.createFrom({
    protocol: 'tcp',
    recordRequests: true,
    endOfRequestResolver: { inject: endOfCommand },
    stubs: [
      on(command('SET', 'city', 'Bern'), '+OK\r\n'),
      on(command('GET', 'city'), '$4\r\nBern\r\n', '$-1\r\n'),
      on(command('INCR', 'visits'), ':41\r\n', ':42\r\n'),
      on(command('LRANGE', 'list', '0', '-1'), '*2\r\n$1\r\na\r\n$2\r\nbc\r\n'),
      on(command('QUIT'), '+OK\r\n'),
      { responses: [{ is: { data: '-ERR unknown command\r\n' } }] },
    ],
  });
  const client = createClient({
    RESP: 2,
    socket: { host: '127.0.0.1', port: imposter.port, reconnectStrategy: false },
    // a client without a name and version of its own sends no command unasked
    disableClientInfo: true,
  });
  client.on('error', () => {});
  t.after(async () => {
    if (client.isOpen) client.destroy();
    await imposters.deleteAll();
  });
  await client.connect();
  assert.equal(await client.set('city', 'Bern'), 'OK');
  assert.equal(await client.get('city'), 'Bern');
  assert.equal(await client.get('city'), null);
  assert.deepEqual([await client.incr('visits'), await client.incr('visits')], [41, 42]);
  assert.deepEqual(await client.lRange('list', 0, -1), ['a', 'bc']);
  await assert.rejects(client.del('city'), { message: 'ERR unknown command' });
  assert.equal([...imposter.journal].at(-1)?.request.data, command('DEL', 'city'));
});
