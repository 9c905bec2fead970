// tcp proxies, ours and Mountebank's alike; where they differ on purpose, the test says so in its name.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import { type Mountebank, startMountebank } from '@rift-ts/oracle';
import { Imposters } from '../../imposters.js';
import type { JsonObject } from '../../model/types.js';
import { tcpProtocol } from './protocol.js';
import { talk, upstream } from './talk.test-help.js';

const imposters = new Imposters({
  profile: 'mountebank',
  allowInjection: true,
  protocols: new Map([['tcp', tcpProtocol({ graceMs: 0 })]]),
});
let mountebank: Mountebank;
before(async () => {
  mountebank = await startMountebank('--allowInjection');
});
after(async () => {
  await mountebank.stop();
  await imposters.deleteAll();
});

/** A server of imposters as these tests see it. */
interface Subject {
  readonly name: string;
  create(json: JsonObject): Promise<number>;
  /** The stubs an imposter would be recreated from, when it is removed. */
  remove(port: number): Promise<JsonObject[]>;
}

const ours: Subject = {
  name: 'ours',
  create: async (json) => (await imposters.createFrom(json)).port,
  async remove(port) {
    const removed = await imposters.delete(String(port));
    return JSON.parse(JSON.stringify(removed!.toJson('replayable'))).stubs;
  },
};
const theirs: Subject = {
  name: 'Mountebank',
  async create(json) {
    const { status, text } = await mountebank.admin('POST', '/imposters', json);
    assert.equal(status, 201, text);
    return JSON.parse(text).port;
  },
  remove: async (port) =>
    JSON.parse((await mountebank.admin('DELETE', `/imposters/${port}?replayable=true`)).text).stubs,
};

/** Says the messages one after the other on one connection; the answers, and the stubs afterwards. */
async function through(
  subject: Subject,
  json: JsonObject,
  ...steps: readonly (readonly [send: string | Buffer | string[], receive: string | Buffer])[]
): Promise<JsonObject[]> {
  const port = await subject.create({ protocol: 'tcp', ...json });
  const plain = steps.map(([send, receive]) => ({
    send: (Array.isArray(send) ? send : [send]).map((part) => Buffer.from(part)),
    receive: Buffer.from(receive),
  }));
  const { received } = await talk(port, plain, false);
  const expected = Buffer.concat(plain.map(({ receive }) => receive));
  assert.equal(received.toString('latin1'), expected.toString('latin1'));
  return subject.remove(port);
}

/** An upstream that answers every chunk with `UP:` and the chunk. */
async function echo(t: TestContext): Promise<{ to: string; seen: string[] }> {
  const seen: string[] = [];
  const port = await upstream(t, (socket) => {
    socket.on('data', (chunk) => {
      seen.push(chunk.toString());
      socket.write(`UP:${chunk}`);
    });
  });
  return { to: `tcp://127.0.0.1:${port}`, seen };
}

const proxied = (proxy: JsonObject, more: JsonObject = {}): JsonObject => ({
  stubs: [{ responses: [{ proxy }] }],
  ...more,
});
const byData = [{ matches: { data: true } }];
/** Recorded responses without the time they took. */
function timeless(stubs: JsonObject[]): unknown {
  return JSON.parse(
    JSON.stringify(stubs, (key, value) => (key === '_proxyResponseTime' || key === 'wait' ? 0 : value)),
  );
}

for (const subject of [ours, theirs]) {
  const says = (name: string, run: (t: TestContext) => Promise<void>): void => {
    test(`${subject.name}: ${name}`, run);
  };

  says('proxyOnce records one stub for each request', async (t) => {
    const { to, seen } = await echo(t);
    const json = proxied({ to, predicateGenerators: byData });
    const stubs = await through(subject, json, ['a', 'UP:a'], ['a', 'UP:a'], ['b', 'UP:b']);
    assert.deepEqual(seen, ['a', 'b']);
    assert.deepEqual(timeless(stubs), [
      { predicates: [{ deepEquals: { data: 'a' } }], responses: [{ is: { data: 'UP:a' } }] },
      { predicates: [{ deepEquals: { data: 'b' } }], responses: [{ is: { data: 'UP:b' } }] },
      ...(json.stubs as object[]),
    ]);
  });

  says('proxyAlways collects responses behind the proxy', async (t) => {
    const { to, seen } = await echo(t);
    const json = proxied({ to, mode: 'proxyAlways', predicateGenerators: byData });
    const stubs = await through(subject, json, ['a', 'UP:a'], ['a', 'UP:a']);
    assert.deepEqual(seen, ['a', 'a']);
    assert.deepEqual(timeless(stubs), [
      ...(json.stubs as object[]),
      { predicates: [{ deepEquals: { data: 'a' } }], responses: [{ is: { data: 'UP:a' } }, { is: { data: 'UP:a' } }] },
    ]);
  });

  says('proxyTransparent records nothing', async (t) => {
    const { to } = await echo(t);
    const json = proxied({ to, mode: 'proxyTransparent' });
    assert.deepEqual(await through(subject, json, ['a', 'UP:a']), json.stubs);
  });

  says('the old form of the target is rewritten', async (t) => {
    const { to } = await echo(t);
    const json = proxied({ to: { host: '127.0.0.1', port: Number(new URL(to).port) }, mode: 'proxyTransparent' });
    assert.deepEqual(await through(subject, json, ['a', 'UP:a']), proxied({ to, mode: 'proxyTransparent' }).stubs);
  });

  says('binary data is passed on and recorded as base64', async (t) => {
    const port = await upstream(t, (socket) => {
      socket.on('data', (chunk) => socket.write(Buffer.concat([Buffer.from([0xff]), chunk])));
    });
    const json = proxied({ to: `tcp://127.0.0.1:${port}` }, { mode: 'binary' });
    const stubs = await through(subject, json, [Buffer.from([0xfe, 0]), Buffer.from([0xff, 0xfe, 0])]);
    assert.deepEqual((stubs[0].responses as object[])[0], { is: { data: '//4A' } });
  });

  says('without a resolver the first chunk is the answer, with one all until it says so', async (t) => {
    const port = await upstream(t, (socket) => {
      // the second part follows only where somebody waits for it
      socket.on('data', (chunk) => {
        socket.write('part1,');
        if (chunk.includes(';')) setTimeout(() => socket.write('part2;'), 20);
      });
    });
    const proxy = { to: `tcp://127.0.0.1:${port}`, mode: 'proxyTransparent' };
    await through(subject, proxied(proxy), ['a', 'part1,']);
    const endOfRequestResolver = { inject: "data => data.indexOf(';') > 0" };
    await through(subject, proxied(proxy, { endOfRequestResolver }), ['a;', 'part1,part2;']);
  });

  says('decorated answers are recorded as decorated', async (t) => {
    const { to } = await echo(t);
    const json = proxied({ to, predicateGenerators: byData, addDecorateBehavior: 'c => { c.response.data += "!"; }' });
    const stubs = await through(subject, json, ['a', 'UP:a'], ['a', 'UP:a!']);
    assert.deepEqual((stubs[0].responses as object[])[0], {
      is: { data: 'UP:a' },
      behaviors: [{ decorate: 'c => { c.response.data += "!"; }' }],
    });
  });

  says('keepalive leaves the connection to the upstream open', async (t) => {
    const open = new Set<Socket>();
    const port = await upstream(t, (socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      socket.on('data', (chunk) => socket.write(chunk));
    });
    const proxy = { to: `tcp://127.0.0.1:${port}`, mode: 'proxyTransparent', keepalive: true };
    await through(subject, proxied(proxy), ['a', 'a']);
    if (subject === theirs) assert.equal(open.size, 1);
  });

  says('a target that is not tcp fails when it is called', async () => {
    const to = 'http://127.0.0.1:1';
    const message = 'Unable to proxy to any protocol other than tcp';
    await through(subject, proxied({ to }), [
      'a',
      JSON.stringify({ errors: [{ code: 'invalid proxy', message, source: to }] }),
    ]);
  });

  says('an upstream that refuses, and a name that does not resolve', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    const refusing = `tcp://127.0.0.1:${port}`;
    await through(subject, proxied({ to: refusing }), [
      'a',
      JSON.stringify({ errors: [{ code: 'invalid proxy', message: `Unable to connect to "${refusing}"` }] }),
    ]);
    const unknown = 'tcp://no-such-host.invalid:81';
    await through(subject, proxied({ to: unknown }), [
      'a',
      JSON.stringify({ errors: [{ code: 'invalid proxy', message: `Cannot resolve "${unknown}"` }] }),
    ]);
  });
}

test('an upstream that closes before it has answered is an invalid proxy, and nothing is recorded', async (t) => {
  for (const bytes of ['', 'half']) {
    const port = await upstream(t, (socket) => {
      socket.once('data', () => socket.end(bytes));
    });
    const to = `tcp://127.0.0.1:${port}`;
    const endOfRequestResolver = { inject: "data => data.indexOf(';') > 0" };
    const json = proxied({ to }, { endOfRequestResolver });
    const error = { code: 'invalid proxy', message: `Unable to connect to "${to}"` };
    assert.deepEqual(await through(ours, json, ['a;', JSON.stringify({ errors: [error] })]), json.stubs);
  }
});

test('keepalive uses a connection again, and opens a new one when the upstream has ended it', async (t) => {
  const sockets: Socket[] = [];
  const port = await upstream(t, (socket) => {
    sockets.push(socket);
    socket.on('data', (chunk) => socket.write(`${sockets.length}${chunk}`));
  });
  const json = proxied({ to: `tcp://127.0.0.1:${port}`, mode: 'proxyTransparent', keepalive: true });
  const imposter = await ours.create({ protocol: 'tcp', ...json });
  const ask = async (send: string, receive: string): Promise<void> => {
    const { received } = await talk(imposter, [{ send: Buffer.from(send), receive: Buffer.from(receive) }], false);
    assert.equal(received.toString(), receive);
  };
  await ask('a', '1a');
  await ask('b', '1b');
  sockets[0].destroy();
  await ask('c', '2c');
  const ended = once(sockets[1], 'close');
  await ours.remove(imposter);
  await ended;
});

test('a target without a port is refused at creation', async () => {
  await assert.rejects(imposters.createFrom({ protocol: 'tcp', ...proxied({ to: 'tcp://localhost' }) }), {
    message: /^proxy\.to must have a port/,
  });
});
