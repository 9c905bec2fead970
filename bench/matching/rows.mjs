// Nanoseconds of CPU that a request of each scenario takes from its bytes to the bytes of its answer, without a socket: what
// a profile or a change of a few per cent needs, which a load run does not show.
//   npm run build && node bench/matching/rows.mjs [SCENARIO ...] [--fresh] [--ms=100] [--profile=DIR]
// `--fresh`: no body and no target comes a second time, so that nothing that was read before is found again.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { Imposters } from '../../packages/engine/dist/imposters.js';
import { decodeBody } from '../../packages/engine/dist/protocols/http/content-encoding.js';
import { filledBytes } from '../../packages/engine/dist/protocols/http/filled-response.js';
import { httpProtocol } from '../../packages/engine/dist/protocols/http/protocol.js';
import { HttpRequestView } from '../../packages/engine/dist/protocols/http/request-view.js';
import { responseParts } from '../../packages/engine/dist/protocols/http/response.js';
import { Connection } from '../../packages/http/dist/connection.js';
import { PreparedResponse } from '../../packages/http/dist/index.js';
import { stubsOf } from '../fixture.mjs';
import { comparison, dimensions } from '../scenarios.mjs';

const ROUNDS = 6;
const FRESH = 5000;
const option = (name) =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? undefined;
const ms = Number(option('ms') ?? 100);
const fresh = process.argv.includes('--fresh');
const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

const limits = {
  maxHeadBytes: 16_384,
  maxHeaderLines: 2000,
  maxBodyBytes: 10_485_760,
  headTimeoutMs: 60_000,
  bodyTimeoutMs: 300_000,
  keepAliveTimeoutMs: 5000,
};

// as the transports do it
const onBun = process.versions.bun !== undefined;
const lending = Buffer.allocUnsafeSlow(65_536);

/** The imposters of the fixture, listening nowhere. */
async function coresOfFixture() {
  const cores = new Map();
  let port = 1;
  const listen = async (core) => {
    cores.set(core.creation.name, core);
    return { port: port++, close: async () => {} };
  };
  const protocols = new Map([['http', { ...httpProtocol({ limits, graceMs: 0 }), listen }]]);
  const imposters = new Imposters({ profile: 'rift', protocols });
  for (const [name, stubs] of Object.entries(stubsOf))
    await imposters.createFrom({ protocol: 'http', name, port, stubs });
  return cores;
}

/** As the listener does it. */
function answer(core, exchange) {
  const view = new HttpRequestView(exchange.request, decodeBody(exchange.request), true);
  const outcome = core.handle(view);
  if (outcome.filling !== undefined) {
    exchange.sendRaw(filledBytes(outcome.filling, core), false);
    return;
  }
  if (outcome.slot.serialized === undefined) {
    const { statusCode, headers, body, ownLength } = responseParts(outcome, core, view.method);
    const parts = { statusCode, headers, body, ownLength, framing: 'content-length', connection: 'keep' };
    outcome.slot.serialized = new PreparedResponse(parts);
  }
  exchange.send(outcome.slot.serialized);
}

function bytesOf({ method, target, headers, body }) {
  const all = { Host: '127.0.0.1:4545', ...headers, ...(body ? { 'Content-Length': Buffer.byteLength(body) } : {}) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** Requests that mean the same and are written differently. */
function freshRequests({ request, name }) {
  return Array.from({ length: FRESH }, (_, i) => {
    const number = 100_000 + i;
    if (!request.body)
      return bytesOf({ ...request, target: `${request.target}${request.target.includes('?') ? '&' : '?'}n=${number}` });
    const blanks = [i % 71, Math.floor(i / 71)].map((count) => ' '.repeat(count));
    const body = name.startsWith('deep')
      ? request.body.replace('{', `{${blanks[0]}`).replace(',', `${blanks[1]},`)
      : request.body.replace(/\}$/, `,"n":${number}}`).replace('<root>', `<root n="${number}">`);
    return bytesOf({ ...request, body });
  });
}

function rowOf(scenario, core) {
  let written;
  const transport = {
    remoteAddress: '127.0.0.1',
    remotePort: 1,
    localPort: 2,
    touched: true,
    attach() {},
    write(bytes) {
      written = bytes;
      return true;
    },
  };
  const refuse = (refusal) => {
    throw new Error(`${scenario.name}: ${refusal}`);
  };
  const host = { limits, now: 0, draining: false, onRequest: (exchange) => answer(core, exchange), refuse };
  const connection = new Connection(host, transport, false);
  const requests = fresh ? freshRequests(scenario) : [bytesOf(scenario.request)];
  let at = 0;
  const once = () => {
    if (onBun) connection.received(Buffer.from(requests[at]));
    else connection.lent(lending, requests[at].copy(lending));
    if (++at === requests.length) at = 0;
  };
  for (let i = 0; i < requests.length; i++) {
    once();
    if (!written.includes(scenario.marker)) throw new Error(`${scenario.name}: ${written}`);
  }
  return { name: scenario.name, once, best: Number.POSITIVE_INFINITY };
}

/** Nanoseconds of CPU a call. */
function timed({ once }, forMs) {
  const end = performance.now() + forMs;
  const before = process.cpuUsage();
  let calls = 0;
  for (; performance.now() < end; calls += 200) for (let i = 0; i < 200; i++) once();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / calls;
}

const cores = await coresOfFixture();
const chosen = [...comparison, ...dimensions].filter(({ name }) => names.length === 0 || names.includes(name));
const rows = chosen.map((scenario) => rowOf(scenario, cores.get(scenario.imposter)));
for (const row of rows) timed(row, 2 * ms);
for (let round = 0; round < ROUNDS; round++) for (const row of rows) row.best = Math.min(row.best, timed(row, ms));
for (const { name, best } of rows) console.log(`${name.padEnd(18)} ${best.toFixed(0).padStart(6)} ns`);

if (option('profile') !== undefined) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 100 });
  for (const row of rows) {
    await session.post('Profiler.start');
    timed(row, 2000);
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(join(option('profile'), `${row.name}.cpuprofile`), JSON.stringify(profile));
  }
}
process.exit(0);
