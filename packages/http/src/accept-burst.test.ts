import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { AcceptBurst } from './accept-burst.js';
import type { Transport } from './transport.js';

function recorder() {
  const read: string[] = [];
  return { read, transport: (name: string) => ({ resume: () => read.push(name) }) as unknown as Transport };
}

test('a connection that comes alone is read at once', async () => {
  const burst = new AcceptBurst(() => Number.POSITIVE_INFINITY);
  const { read, transport } = recorder();
  burst.start(transport('first'));
  assert.deepEqual(read, ['first']);
  await turn();
  await turn();
  burst.start(transport('second'));
  assert.deepEqual(read, ['first', 'second']);
});

test('connections that follow each other turn by turn are read, in order, after a turn without any', async () => {
  const burst = new AcceptBurst(() => Number.POSITIVE_INFINITY);
  const { read, transport } = recorder();
  burst.start(transport('first'));
  for (const name of ['second', 'third', 'fourth']) {
    await turn();
    burst.start(transport(name));
    assert.deepEqual(read, ['first']);
  }
  await turn();
  assert.deepEqual(read, ['first']);
  await turn();
  assert.deepEqual(read, ['first', 'second', 'third', 'fourth']);
});

test('a burst that lasts too long is read, though it goes on', async () => {
  const burst = new AcceptBurst(() => 0);
  const { read, transport } = recorder();
  burst.start(transport('first'));
  burst.start(transport('second'));
  assert.deepEqual(read, ['first']);
  await turn();
  assert.deepEqual(read, ['first', 'second']);
});
