// `_rift.fault` and `fault` on the wire.

import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { Meters } from '../../metering/meters.js';
import type { JsonObject, Profile } from '../../model/types.js';
import { type Random, seededRandom } from '../../random.js';
import { imposters, send } from '../proxy/proxy.test-help.js';

const PROFILES = ['mountebank', 'rift'] as const;
const MOUNTEBANK_BYTES = 'Htijy%@tWXJ/hQ#[Q:7G@dH4"gu[QaX&';
const RANDOM_BYTES = Buffer.from('00fffefd1337deadbeef', 'hex').toString('latin1');
const MALFORMED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZZZZ not a valid chunk size\r\n';

interface Given {
  readonly profile?: Profile;
  readonly protocol?: 'http' | 'https';
  readonly random?: Random;
  readonly meters?: Meters;
  readonly warnings?: string[];
  readonly imposter?: JsonObject;
}

async function serving(t: TestContext, responses: unknown, given: Given = {}) {
  const { profile = 'rift', protocol = 'http', random, meters, warnings = [], imposter } = given;
  const logger = {
    debug() {},
    info() {},
    error() {},
    warn: (message: string, ...args: unknown[]) => void warnings.push([message, ...args].join(' ')),
    enabled: () => true,
  };
  const all = imposters(t, profile, { random, meters, loggerFor: () => logger });
  const { port } = await all.createFrom({ protocol, stubs: [{ id: 's', responses }], ...imposter });
  return port;
}

interface Raw {
  readonly bytes: string;
  readonly end: 'closed' | 'reset';
  /** Milliseconds from the request to the end. */
  readonly took: number;
}

/** Sends one request and reads until the server ends the connection. */
function raw(port: number): Promise<Raw> {
  return new Promise((resolve, reject) => {
    let bytes = '';
    let started = 0;
    const onReady = (): void => {
      started = performance.now();
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    };
    const done = (end: Raw['end']): void => {
      resolve({ bytes, end, took: performance.now() - started });
      socket.destroy();
    };
    const socket = connect({ host: '127.0.0.1', port }, onReady);
    socket.setTimeout(20_000, () => reject(new Error(`still open after ${bytes}`)));
    socket.on('data', (data) => (bytes += data.toString('latin1')));
    socket.on('end', () => done('closed'));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') done('reset');
      else reject(error);
    });
  });
}

interface WireCase {
  readonly fault: string;
  readonly bytes: string;
  readonly end: Raw['end'];
}

const WIRE_CASES: readonly WireCase[] = [
  { fault: 'CONNECTION_RESET_BY_PEER', bytes: '', end: 'reset' },
  { fault: 'reset', bytes: '', end: 'reset' },
  { fault: 'EMPTY_RESPONSE', bytes: '', end: 'closed' },
  { fault: 'empty', bytes: '', end: 'closed' },
  { fault: 'RANDOM_DATA_THEN_CLOSE', bytes: RANDOM_BYTES, end: 'closed' },
  { fault: 'random', bytes: RANDOM_BYTES, end: 'closed' },
  { fault: 'garbage', bytes: RANDOM_BYTES, end: 'closed' },
  { fault: 'MALFORMED_RESPONSE_CHUNK', bytes: MALFORMED, end: 'closed' },
  { fault: 'malformed', bytes: MALFORMED, end: 'closed' },
];

for (const profile of PROFILES) {
  for (const { fault, bytes, end } of WIRE_CASES) {
    const own = fault === 'RANDOM_DATA_THEN_CLOSE' && profile === 'mountebank' ? MOUNTEBANK_BYTES : bytes;
    test(`profile ${profile}: the bytes of fault ${fault}`, async (t) => {
      const { took, ...seen } = await raw(await serving(t, [{ fault }], { profile }));
      assert.deepEqual(seen, { bytes: own, end });
    });

    test(`profile ${profile}: the bytes of _rift.fault.tcp ${fault}`, async (t) => {
      const response = { is: { body: 'never seen' }, _rift: { fault: { tcp: fault } } };
      const { took, ...seen } = await raw(await serving(t, [response], { profile }));
      assert.deepEqual(seen, { bytes, end });
    });
  }
}

test('on https the bytes and the reset are below TLS', async (t) => {
  for (const { fault, bytes, end } of WIRE_CASES) {
    const port = await serving(t, [{ fault }], { protocol: 'https' });
    const seen = await rawBelowTls(port);
    assert.equal(seen.end, end, fault);
    assert.ok(seen.bytes.endsWith(bytes), `${fault}: ${seen.bytes}`);
    // records of TLS come before them; without a fault's bytes the last thing seen is such a record
    assert.equal(seen.application, '', fault);
  }
});

test("profile mountebank: Mountebank's random data is inside TLS", async (t) => {
  const port = await serving(t, [{ fault: 'RANDOM_DATA_THEN_CLOSE' }], { protocol: 'https', profile: 'mountebank' });
  assert.equal((await rawBelowTls(port)).application, MOUNTEBANK_BYTES);
});

/** What a TLS client receives: all bytes on the wire, and those that TLS hands to the application. */
async function rawBelowTls(port: number): Promise<{ bytes: string; application: string; end: Raw['end'] }> {
  let bytes = '';
  let application = '';
  let ended = (_end: Raw['end']): void => {};
  const end = new Promise<Raw['end']>((resolve) => (ended = resolve));
  // in between, because a TLS client has no eyes for what is below TLS
  const relay = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port });
    near.on('data', (data) => far.write(data)).on('error', () => {});
    far.on('data', (data) => {
      bytes += data.toString('latin1');
      near.write(data);
    });
    far.on('end', () => ended('closed')).on('error', () => ended('reset'));
    far.on('close', () => near.end());
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const secure = connectTls({ port: (relay.address() as AddressInfo).port, rejectUnauthorized: false }, () =>
    secure.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  );
  secure.on('data', (data) => (application += data.toString('latin1')));
  secure.on('error', () => {}); // bytes below TLS are no TLS record
  const closed = new Promise((resolve) => secure.on('close', resolve));
  const how = await end;
  await closed;
  relay.close();
  return { bytes, application, end: how };
}

test('an unknown fault', async (t) => {
  const rift = await send(await serving(t, [{ fault: 'NO_SUCH' }]), '/');
  assert.deepEqual([rift.status, rift.body], [500, 'Unknown fault: NO_SUCH']);
  assert.equal(rift.headers['x-rift-fault'], 'NO_SUCH');
  assert.equal(rift.headers['x-rift-imposter'], undefined);
  const mountebank = await send(await serving(t, [{ fault: 'NO_SUCH' }], { profile: 'mountebank' }), '/');
  assert.deepEqual([mountebank.status, mountebank.body], [200, '']);
  assert.equal(mountebank.headers['x-rift-fault'], undefined);
});

test('an unknown fault of letters that no header can have', async (t) => {
  const answer = await send(await serving(t, [{ fault: 'ä\r\nX-Bad: Ωx' }]), '/');
  assert.equal(answer.headers['x-rift-fault'], 'äX-Bad: x');
  assert.equal(answer.body, 'Unknown fault: ä\r\nX-Bad: Ωx');
});

for (const profile of PROFILES) {
  const faulty = (fault: unknown, more: JsonObject = { is: { body: 'fine' } }) => ({ ...more, _rift: { fault } });

  test(`profile ${profile}: latency holds the answer back`, async (t) => {
    const port = await serving(t, [faulty({ latency: { ms: 80 } })], { profile });
    const started = performance.now();
    assert.equal((await send(port, '/')).body, 'fine');
    assert.ok(performance.now() - started >= 79);
  });

  test(`profile ${profile}: latency and a wait add up`, async (t) => {
    const response = faulty({ latency: { ms: 60 } }, { is: { body: 'fine' }, behaviors: [{ wait: 60 }] });
    const started = performance.now();
    await send(await serving(t, [response], { profile }), '/');
    assert.ok(performance.now() - started >= 118);
  });

  test(`profile ${profile}: probability 0 never fires`, async (t) => {
    const never = { probability: 0 };
    const fault = {
      error: { ...never, status: 500 },
      tcp: { ...never, type: 'reset' },
      latency: { ...never, ms: 1e9 },
    };
    const port = await serving(t, [faulty(fault)], { profile });
    for (let i = 0; i < 50; i++) assert.equal((await send(port, '/')).body, 'fine');
  });

  test(`profile ${profile}: an error stands in the place of the response, without behaviors and defaults`, async (t) => {
    const response = faulty({ error: { probability: 1 } }, { is: { body: 'fine' }, behaviors: [{ wait: 1e9 }] });
    const imposter = { defaultResponse: { body: 'default', headers: { 'X-Default': 'd' } } };
    const answer = await send(await serving(t, [response], { profile, imposter }), '/');
    assert.deepEqual([answer.status, answer.body], [503, '']);
    assert.equal(answer.headers['x-rift-fault'], 'error');
    for (const name of ['content-type', 'x-default', 'x-rift-imposter']) assert.equal(answer.headers[name], undefined);
  });

  test(`profile ${profile}: status, headers and body of an error`, async (t) => {
    const error = { status: 429, body: 'slow "down"', headers: { 'Retry-After': '30' } };
    const answer = await send(await serving(t, [faulty({ error })], { profile }), '/');
    assert.deepEqual([answer.status, answer.body], [429, 'slow "down"']);
    assert.equal(answer.headers['retry-after'], '30');
  });

  test(`profile ${profile}: a tcp fault comes after the latency and before the error`, async (t) => {
    const fault = { latency: { ms: 50 }, tcp: 'reset', error: { probability: 1 } };
    const { took, ...seen } = await raw(await serving(t, [faulty(fault)], { profile }));
    assert.deepEqual(seen, { bytes: '', end: 'reset' });
    assert.ok(took >= 49, `${took} ms`);
  });

  test(`profile ${profile}: a tcp fault that is not known is a warning, and the rest goes on`, async (t) => {
    const warnings: string[] = [];
    const port = await serving(t, [faulty({ tcp: 'NO_SUCH' }), faulty({ tcp: 'Reset', error: {} })], {
      profile,
      warnings,
    });
    assert.equal((await send(port, '/')).body, 'fine');
    assert.equal((await send(port, '/')).status, 503);
    assert.equal(warnings.filter((line) => /no fault .* NO_SUCH|NO_SUCH/.test(line)).length, 1);
    assert.equal(warnings.filter((line) => line.includes('Reset')).length, 1);
  });

  test(`profile ${profile}: every type of response can have faults`, async (t) => {
    const error = { error: { status: 599 } };
    const responses = [
      faulty(error, { proxy: { to: 'http://127.0.0.1:1' } }),
      faulty(error, { inject: 'config => { throw Error("not run"); }' }),
      faulty(error, { fault: 'CONNECTION_RESET_BY_PEER' }),
      faulty(error, {}),
    ];
    const port = await serving(t, responses, { profile });
    for (const _ of responses) assert.equal((await send(port, '/')).status, 599);
  });

  test(`profile ${profile}: a response of nothing but faults that do not fire is an empty answer`, async (t) => {
    const port = await serving(t, [faulty({ error: { probability: 0 } }, {})], { profile });
    const { status, body } = await send(port, '/');
    assert.deepEqual([status, body], [200, '']);
  });
}

test('latency is a whole number of its range', async (t) => {
  const meters = new Meters();
  const latency = { minMs: 3, maxMs: 5 };
  const port = await serving(t, [{ is: {}, _rift: { fault: { latency } } }], { meters, random: seededRandom(5) });
  for (let i = 0; i < 20; i++) await send(port, '/');
  const [[labels, histogram]] = [...meters.faults.latency];
  assert.deepEqual([labels, histogram.count], [['s'], 20]);
  assert.ok(Number.isInteger(histogram.sum) && histogram.sum > 60 && histogram.sum < 100, `${histogram.sum}`);
});

test('faults are counted by type and rule', async (t) => {
  const meters = new Meters();
  const responses = [
    { is: {}, _rift: { fault: { latency: { ms: 1 }, error: { status: 500 } } } },
    { is: {}, _rift: { fault: { error: { status: 503 } } } },
    { is: {}, _rift: { fault: { tcp: 'empty', error: {} } } },
  ];
  const port = await serving(t, responses, { meters });
  for (let i = 0; i < 5; i++) await send(port, '/').catch(() => {});
  assert.deepEqual(
    [...meters.faults.injected],
    [
      [['latency', 's', 'v1'], 2],
      [['error', 's', 'v1'], 4],
      [['tcp', 's', 'v1'], 1],
    ],
  );
  assert.deepEqual(
    [...meters.faults.errorStatus],
    [
      [['500', 's'], 2],
      [['503', 's'], 2],
    ],
  );
});

test('what scripts do to a connection is counted as theirs', async (t) => {
  const meters = new Meters();
  const script = (code: string) => ({ _rift: { script: { engine: 'javascript', code } } });
  const port = await serving(t, [script('delay(1)'), script('reset()'), script('http(503)')], { meters });
  for (let i = 0; i < 3; i++) await send(port, '/').catch(() => {});
  assert.deepEqual(
    [...meters.faults.injected],
    [
      [['latency', 's', 'script'], 1],
      [['tcp', 's', 'script'], 1],
    ],
  );
});

test('a stub without id is named by port and position', async (t) => {
  const meters = new Meters();
  const all = imposters(t, 'rift', { meters });
  const fault = { is: {}, _rift: { fault: { error: {} } } };
  const made = await all.createFrom({
    protocol: 'http',
    stubs: [{ predicates: [{ equals: { path: '/a' } }], responses: [{ is: {} }] }, { responses: [fault] }],
  });
  await send(made.port, '/');
  made.removeStub(0);
  await send(made.port, '/');
  const rules = [...meters.faults.injected].map(([labels]) => labels[1]);
  assert.deepEqual(rules, [`${made.port}:1`, `${made.port}:0`]);
});

test('two imposters with one seed give one sequence of faults on the wire, at the rate of the probability', async (t) => {
  const seed = 20_2607;
  const count = 400;
  const probability = 0.3;
  const sequence = async () => {
    const fault = { error: { probability, status: 500 }, latency: { probability: 0.5, minMs: 0, maxMs: 1 } };
    const port = await serving(t, [{ is: {}, _rift: { fault } }], { random: seededRandom(seed) });
    let seen = '';
    for (let i = 0; i < count; i++) seen += (await send(port, '/')).status === 500 ? 'x' : '.';
    return seen;
  };
  const first = await sequence();
  assert.equal(await sequence(), first);
  const fired = first.replaceAll('.', '').length;
  // 3.29 standard deviations: the 99.9 % band of the binomial distribution
  const band = 3.29 * Math.sqrt(count * probability * (1 - probability));
  assert.ok(Math.abs(fired - count * probability) <= band, `seed ${seed}: ${fired} of ${count}`);
});
