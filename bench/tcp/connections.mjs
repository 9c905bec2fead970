// Memory that a connection of a tcp imposter costs: 5,000 connections, half of them idle, from a process of their own.
//
//   npm run build && node bench/tcp/connections.mjs [connections]
//
// Prints the memory of the serving process before and after, a connection's share of it, and how long a message to one of
// the busy half takes while all are open.
import { fork } from 'node:child_process';
import { connect } from 'node:net';
import { Imposters, tcpProtocol } from '../../packages/engine/dist/index.js';

const total = Number(process.argv[2] ?? 5000);
const clientOf = process.env.BENCH_PORT;
if (clientOf === undefined) await serve();
else await beClients(Number(clientOf));

async function serve() {
  const imposters = new Imposters({ profile: 'rift', protocols: new Map([['tcp', tcpProtocol({ graceMs: 0 })]]) });
  const { port } = await imposters.createFrom({ protocol: 'tcp', stubs: [{ responses: [{ is: { data: 'ok' } }] }] });
  const before = memory();
  const clients = fork(new URL(import.meta.url), [String(total)], {
    env: { ...process.env, BENCH_PORT: String(port) },
    execArgv: [],
  });
  const said = await new Promise((resolve) => clients.once('message', resolve));
  const after = memory();
  const share = (key) => ((after[key] - before[key]) / total / 1024).toFixed(1);
  console.log(`connections           ${total}, ${total / 2} of them idle`);
  console.log(`resident, before      ${(before.rss / 1048576).toFixed(1)} MiB`);
  console.log(`resident, all open    ${(after.rss / 1048576).toFixed(1)} MiB`);
  console.log(`a connection          ${share('rss')} KiB resident, ${share('heapUsed')} KiB of JavaScript heap`);
  console.log(`a message             ${said.median.toFixed(0)} us median, ${said.p99.toFixed(0)} us p99`);
  clients.send('end');
  await imposters.deleteAll();
  process.disconnect?.();
}

function memory() {
  globalThis.gc?.();
  return process.memoryUsage();
}

async function beClients(port) {
  const sockets = [];
  while (sockets.length < total) {
    const batch = Array.from({ length: Math.min(250, total - sockets.length) }, () => connect(port, '127.0.0.1'));
    await Promise.all(batch.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    sockets.push(...batch);
  }
  const times = [];
  for (const socket of sockets.slice(total / 2)) {
    const started = performance.now();
    socket.write('a');
    await new Promise((resolve) => socket.once('data', resolve));
    times.push((performance.now() - started) * 1000);
  }
  times.sort((a, b) => a - b);
  process.on('message', () => process.exit());
  for (const socket of sockets) socket.on('error', () => {});
  process.send({ median: times[times.length >> 1], p99: times[Math.floor(times.length * 0.99)] });
}
