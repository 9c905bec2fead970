import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStream } from './event-stream.js';

const names = (text: string) => [...text.matchAll(/^event: (.*)$/gm)].map((match) => match[1]);

function offer(stream: EventStream, from: number, to: number): void {
  for (let sequence = from; sequence <= to; sequence++) {
    stream.offer({ kind: 'lifecycle', action: 'stubsChanged', port: 4545 }, sequence);
  }
}

/** What can be read without waiting. */
async function read(stream: EventStream): Promise<string> {
  let text = '';
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) {
    text += String(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return text;
}

test('a reader that falls behind gets what was kept for it, then how many events it missed, then what is new', async () => {
  let left = 0;
  const stream = new EventStream(
    () => true,
    () => left++,
  );
  stream.begin({});
  offer(stream, 1, 5000);
  const first = await read(stream);
  const ids = [...first.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
  assert.ok(ids.length >= 1024 && ids.length < 5000, `${ids.length} events came`);
  assert.deepEqual(
    ids,
    ids.map((_, at) => at + 1),
  );
  assert.equal(names(first)[0], 'hello');
  assert.equal(names(first).at(-1), 'lagged');
  assert.match(first, new RegExp(`event: lagged\ndata: \\{"missed":${5000 - ids.length}\\}\n\n$`));
  offer(stream, 5001, 5001);
  assert.match(await read(stream), /^event: imposter\nid: 5001\ndata: \{"action":"stubsChanged","port":4545\}\n\n$/);
  assert.equal(left, 0);
  const ended = new Promise((resolve) => stream.resume().once('close', resolve));
  stream.end();
  await ended;
  assert.ok(left > 0);
});

test('a stream gets only what it wants', async () => {
  const stream = new EventStream(
    (event) => event.kind === 'lifecycle' && event.action === 'created',
    () => {},
  );
  offer(stream, 1, 3);
  stream.offer({ kind: 'lifecycle', action: 'created', port: 1 }, 4);
  assert.deepEqual(names(await read(stream)), ['imposter']);
  stream.destroy();
});
