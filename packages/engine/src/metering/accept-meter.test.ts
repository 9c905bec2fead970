import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format } from 'node:util';
import { AcceptLoop, AcceptMeter } from './accept-meter.js';

function loop() {
  const meter = new AcceptMeter();
  const lines: string[] = [];
  const line =
    (level: string) =>
    (message: string, ...args: unknown[]) => {
      lines.push(`${level} ${format(message, ...args)}`);
    };
  const logger = { debug: line('debug'), info: line('info'), error: line('error') };
  return { meter, lines, loop: new AcceptLoop(meter, () => logger) };
}

const failure = (code: string) => Object.assign(new Error(`accept ${code}`), { code });

test('a peer that went away is a transient error and no outage', () => {
  const { meter, lines, loop: one } = loop();
  one.failed(failure('ECONNABORTED'));
  assert.deepEqual([meter.transientErrors, meter.systemicErrors, meter.failing], [1, 0, 0]);
  assert.deepEqual(lines, ['debug a connection was lost before it was accepted: accept ECONNABORTED']);
});

test('running out of file descriptors is an outage until a connection is accepted', () => {
  const { meter, lines, loop: one } = loop();
  for (let i = 0; i < 3; i++) one.failed(failure('EMFILE'));
  assert.deepEqual([meter.transientErrors, meter.systemicErrors, meter.failing], [0, 3, 1]);
  one.accepted();
  one.accepted();
  assert.deepEqual([meter.accepted, meter.systemicErrors, meter.failing], [2, 3, 0]);
  assert.deepEqual(lines, [
    'error connections cannot be accepted: accept EMFILE; raise the limit of open files (ulimit -n)',
    'info connections are accepted again after 3 errors',
  ]);
});

test('a long outage is told at its beginning and after each 600 silent errors', () => {
  const { lines, loop: one } = loop();
  for (let i = 0; i < 1 + 600 + 601; i++) one.failed(failure('ENFILE'));
  assert.deepEqual(
    lines.map((line) => /(\d+) errors so far/.exec(line)?.[1]),
    [undefined, '601', '1202'],
  );
});

test('a listener that is closed while it fails is no outage any more', () => {
  const { meter, loop: one } = loop();
  one.failed(failure('EMFILE'));
  one.closed();
  one.closed();
  assert.equal(meter.failing, 0);
});

test('a listener that is no listener any more is reported and not counted', () => {
  const { meter, lines, loop: one } = loop();
  one.failed(failure('EBADF'));
  assert.deepEqual([meter.transientErrors, meter.systemicErrors, meter.failing], [0, 0, 0]);
  assert.deepEqual(lines, ['error the listener has failed and takes no connections any more: accept EBADF']);
});
