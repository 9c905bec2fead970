import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { type Mountebank, startMountebank } from '@rift-ts/oracle';
import type { RiftErrors } from '../../errors.js';
import { Imposters } from '../../imposters.js';
import { type Logger, silentLogger } from '../../logger.js';
import type { JsonObject } from '../../model/types.js';
import { type TcpCase, tcpCases } from './cases.fixture.js';
import { tcpProtocol } from './protocol.js';
import { type Step, type Talk, talk } from './talk.test-help.js';

/** The steps of a case, and one list more for every way to cut its first message in two. */
function waysToSay({ steps, cutAnywhere }: TcpCase): Step[][] {
  const plain = steps.map(([send, receive]) => ({
    send: (Array.isArray(send) ? send : [send]).map((part) => Buffer.from(part)),
    receive: Buffer.from(receive),
  }));
  if (!cutAnywhere) return [plain];
  const whole = Buffer.concat(plain[0].send);
  const [{ receive }, ...rest] = plain;
  const ways: Step[][] = [plain];
  for (let at = 1; at < whole.length; at++) {
    ways.push([{ send: [whole.subarray(0, at), whole.subarray(at)], receive }, ...rest]);
  }
  return ways;
}

function check(tested: TcpCase, { received, end }: Talk): void {
  const expected = Buffer.concat(tested.steps.map(([, receive]) => Buffer.from(receive)));
  assert.equal(received.toString('latin1'), expected.toString('latin1'));
  assert.equal(end, tested.end ?? 'open');
}

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

for (const tested of tcpCases) {
  const json: JsonObject = { protocol: 'tcp', recordRequests: true, ...tested.imposter };

  test(tested.name, async () => {
    for (const steps of waysToSay(tested)) {
      const imposter = await imposters.createFrom(json);
      check(tested, await talk(imposter.port, steps, tested.end !== undefined));
      if (tested.recorded !== undefined) {
        assert.deepEqual(
          [...imposter.journal].map(({ request }) => request.data),
          tested.recorded,
        );
      }
      await imposters.delete(String(imposter.port));
    }
  });

  if (tested.differs !== undefined) continue;
  test(`Mountebank agrees: ${tested.name}`, async () => {
    for (const steps of waysToSay(tested)) {
      const created = await mountebank.admin('POST', '/imposters', json);
      assert.equal(created.status, 201, created.text);
      const { port } = JSON.parse(created.text) as { port: number };
      check(tested, await talk(port, steps, tested.end !== undefined));
      const { text } = await mountebank.admin('DELETE', `/imposters/${port}`);
      const { requests } = JSON.parse(text) as { requests: { data: string }[] };
      if (tested.recorded !== undefined)
        assert.deepEqual(
          requests.map(({ data }) => data),
          tested.recorded,
        );
    }
  });
}

test('a request that waits holds up no other on its connection', async () => {
  const json = {
    protocol: 'tcp',
    stubs: [
      {
        predicates: [{ equals: { data: 'slow' } }],
        responses: [{ is: { data: 'slow' }, behaviors: [{ wait: 100 }] }],
      },
      { responses: [{ is: { data: 'fast' } }] },
    ],
  };
  const imposter = await imposters.createFrom(json);
  const socket = connect({ host: '127.0.0.1', port: imposter.port });
  socket.write('slow');
  while (imposter.numberOfRequests < 1) await new Promise((resolve) => setTimeout(resolve, 1));
  socket.end('x');
  assert.equal(await text(socket), 'fastslow');
});

test('stopping an imposter ends its connections and frees the port', async () => {
  const imposter = await imposters.createFrom({ protocol: 'tcp' });
  const { port } = imposter;
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect');
  const ended = once(socket, 'close');
  await imposters.delete(String(port));
  await ended;
  const again = await imposters.createFrom({ protocol: 'tcp', port });
  assert.equal(again.port, port);
});

test('a port in use is a resource conflict', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, resolve));
  const { port } = other.address() as { port: number };
  await assert.rejects(imposters.createFrom({ protocol: 'tcp', port }), {
    code: 'resource conflict',
    message: `Port ${port} is already in use`,
  });
  other.close();
});

test('a client whose address is not allowed is dropped without a byte, and not counted', async () => {
  const closed = new Imposters({
    profile: 'mountebank',
    protocols: new Map([['tcp', tcpProtocol({ graceMs: 0 })]]),
    allows: () => false,
  });
  const imposter = await closed.createFrom({ protocol: 'tcp', stubs: [{ responses: [{ is: { data: 'x' } }] }] });
  const socket = connect({ host: '127.0.0.1', port: imposter.port });
  socket.write('a');
  assert.equal(await text(socket), '');
  assert.equal(imposter.numberOfRequests, 0);
  await closed.deleteAll();
});

test('the mode must be text or binary, and binary data has no text predicates', async () => {
  const refused = async (json: object): Promise<string> => {
    const error = await imposters.createFrom({ protocol: 'tcp', ...json }).then(
      () => undefined,
      (thrown: RiftErrors) => thrown,
    );
    return error?.errors.map(({ code, message }) => `${code}: ${message}`).join() ?? 'accepted';
  };
  const stubs = (predicate: object) => [{ predicates: [predicate], responses: [{ is: {} }] }];
  assert.equal(await refused({ mode: 'x' }), "bad data: 'mode' must be one of ['text', 'binary']");
  assert.equal(
    await refused({ mode: 'binary', stubs: stubs({ matches: { data: 'x' } }) }),
    'bad data: the matches predicate is not allowed in binary mode',
  );
  for (const parameter of ['jsonpath', 'xpath']) {
    assert.equal(
      await refused({ mode: 'binary', stubs: stubs({ equals: { data: 'eA==' }, [parameter]: { selector: '$.a' } }) }),
      `bad data: the ${parameter} predicate parameter is not allowed in binary mode`,
    );
  }
});

test('an imposter that is switched off accepts and ends connections without a byte', async () => {
  const imposter = await imposters.createFrom({ protocol: 'tcp', stubs: [{ responses: [{ is: { data: 'on' } }] }] });
  const open = connect({ host: '127.0.0.1', port: imposter.port });
  open.write('a');
  assert.equal(String((await once(open, 'data'))[0]), 'on');
  imposter.enabled = false;
  open.write('b');
  assert.equal(await text(open), '');
  const next = connect({ host: '127.0.0.1', port: imposter.port });
  assert.equal(await text(next), '');
  imposter.enabled = true;
  assert.equal(imposter.numberOfRequests, 1);
});

/** What a client gets for each message; the next is sent when something came, and at last the end is waited for. */
async function answers(port: number, ...messages: string[]): Promise<string> {
  const steps = messages.map((message) => ({ send: Buffer.from(message), receive: Buffer.from('?') }));
  return (await talk(port, steps, false)).received.toString();
}

test('scenarios move from chunk to chunk', async () => {
  const imposter = await imposters.createFrom({
    protocol: 'tcp',
    stubs: [
      {
        scenarioName: 's',
        requiredScenarioState: 'Started',
        newScenarioState: 'next',
        responses: [{ is: { data: '1' } }],
      },
      { scenarioName: 's', requiredScenarioState: 'next', responses: [{ is: { data: '2' } }] },
    ],
  });
  assert.equal(await answers(imposter.port, 'a', 'b', 'c'), '122');
});

test('injected faults break the connection, with their own bytes also in profile mountebank', async () => {
  const fault = (tcp: string) => ({
    responses: [{ is: { data: 'x' }, _rift: { fault: { latency: { ms: 10 }, tcp } } }],
  });
  const random = await imposters.createFrom({ protocol: 'tcp', stubs: [fault('RANDOM_DATA_THEN_CLOSE')] });
  const socket = connect({ host: '127.0.0.1', port: random.port });
  socket.write('a');
  assert.equal((await buffer(socket)).toString('hex'), '00fffefd1337deadbeef');
  const reset = await imposters.createFrom({ protocol: 'tcp', stubs: [fault('reset')] });
  const said = await talk(reset.port, [{ send: Buffer.from('a'), receive: Buffer.alloc(0) }], true);
  assert.deepEqual([said.received.length, said.end], [0, 'reset']);
});

test('what only http knows is kept, ignored and warned of once', async () => {
  const warned: string[] = [];
  const log = { ...silentLogger, warn: (text: string) => warned.push(text) };
  const others = new Imposters({ profile: 'rift', protocols: imposters.options.protocols, loggerFor: () => log });
  const response = { is: { data: 'x' }, _rift: { templated: true, fault: { error: { status: 500 } } } };
  const imposter = await others.createFrom({
    protocol: 'tcp',
    defaultForward: 'http://127.0.0.1:1',
    stubs: [{ routePattern: '/a/:b', predicates: [{ equals: { data: 'a' } }], responses: [response, response] }],
  });
  assert.equal(await answers(imposter.port, 'a'), 'x');
  const names = ['defaultForward', 'routePattern', '_rift.templated', '_rift.fault.error'];
  assert.deepEqual(
    warned.filter((text) => text.includes('has no effect')),
    names.map((name) => `${name} has no effect on a tcp imposter: only http and https know it`),
  );
  await others.deleteAll();
});

test('at level debug the log follows a connection, in the words of Mountebank', async () => {
  const lines: string[] = [];
  let heard = (): void => {};
  const write = (text: string): void => {
    lines.push(text.replace(/^\S*127\.0\.0\.1:\d+/, 'CLIENT'));
    heard();
  };
  const log: Logger = { debug: write, info: write, warn: write, error: write, enabled: () => true };
  const logging = new Imposters({
    profile: 'mountebank',
    protocols: imposters.options.protocols,
    loggerFor: () => log,
  });
  const imposter = await logging.createFrom({
    protocol: 'tcp',
    stubs: [{ predicates: [{ contains: { data: '0' } }], responses: [{ is: { data: 'ok' } }] }],
  });
  const socket = connect({ host: '127.0.0.1', port: imposter.port });
  socket.write('0123456789012345678901234');
  await once(socket, 'data');
  socket.end();
  while (!lines.includes('CLIENT CLOSED')) await new Promise<void>((resolve) => (heard = resolve));
  await logging.deleteAll();
  assert.deepEqual(lines, [
    'Open for business...',
    'CLIENT ESTABLISHED',
    'CLIENT => 01234567890123456789...',
    'CLIENT => "0123456789012345678901234"',
    'using predicate match: [{"contains":{"data":"0"}}]',
    'generating response from {"is":{"data":"ok"}}',
    'CLIENT <= "ok"',
    'CLIENT LAST-ACK',
    'CLIENT CLOSED',
    'Ciao for now',
  ]);
});
