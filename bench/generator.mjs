// A load generator in a process of its own for what wrk cannot do: a fixed arrival rate (open loop), or an exact number of
// requests (closed loop). In an open loop a request's latency counts from when it was due, so that a stall is felt by all that
// should have been sent during it (Gil Tene, "How NOT to measure latency", 2015).
//
//   node generator.mjs '{"port":1,"request":{...},"connections":200,"rate":10000,"seconds":2}'   or   "count":20000
//
// Prints one line of JSON; latencies in milliseconds.
import { openAll } from './client.mjs';

const { port, request, connections, rate, seconds, count } = JSON.parse(process.argv[2]);
const paced = count === undefined;
/** Requests of the first second are not counted: this program is compiled meanwhile. */
const skipped = paced ? rate : 0;
const total = count ?? rate * (seconds + 1);
const latencies = new Float64Array(total);
const lags = new Float64Array(total);
/** A ring of connections without a request. */
const waiting = new Array(connections);
let firstWaiting = 0;
let waitingCount = 0;
let begun = 0;
let sent = 0;
let done = 0;
let counted = 0;
let failed = 0;
let starved = 0;
let lagged = 0;
/** All connections were busy when the last requests became due: later lag is not the generator's. */
let exhausted = false;

const dueAt = (k) => begun + (k * 1000) / rate;

const pool = await openAll({
  ...{ port, request, connections },
  answered(one, ok) {
    if (one.k >= skipped) latencies[counted++] = performance.now() - (paced ? dueAt(one.k) : one.at);
    if (!ok) failed++;
    if (++done === total) report();
  },
  free(one) {
    if (paced) waiting[(firstWaiting + waitingCount++) % connections] = one;
    else if (sent < total) send(one);
  },
});
begun = performance.now();
for (const one of pool.all) {
  if (paced) waiting[waitingCount++] = one;
  else if (sent < total) send(one);
}
if (paced) pump();

function send(one) {
  const k = sent++;
  one.k = k;
  one.at = performance.now();
  if (paced && k >= skipped) {
    if (exhausted) starved++;
    else lags[lagged++] = one.at - dueAt(k);
  }
  pool.send(one);
}

/** Sends what is due, as long as a connection is free. */
function pump() {
  const now = performance.now();
  const due = Math.min(total, Math.floor(((now - begun) * rate) / 1000) + 1);
  while (sent < due && waitingCount > 0) {
    const one = waiting[firstWaiting];
    firstWaiting = (firstWaiting + 1) % connections;
    waitingCount--;
    send(one);
  }
  exhausted = sent < due;
  // answers that are late by the length of the window will not be waited for
  if (now > begun + 1000 + seconds * 2000) report();
  else setImmediate(pump);
}

function report() {
  const elapsed = (performance.now() - begun) / 1000 - (paced ? 1 : 0);
  const sorted = latencies.subarray(0, counted).sort();
  const at = (share, values = sorted) => values[Math.min(values.length - 1, Math.floor(share * values.length))];
  const shown = {
    ...{ requests: counted, issued: sent, seconds: elapsed, rps: counted / elapsed, failed, reopened: pool.reopened() },
    ...(counted > 0 ? { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: sorted[counted - 1] } : {}),
    ...(counted > 0 ? { mean: sorted.reduce((a, b) => a + b, 0) / counted } : {}),
    ...(paced ? { asked: rate, lagP99: at(0.99, lags.subarray(0, lagged).sort()), starved } : {}),
  };
  process.stdout.write(`${JSON.stringify(shown)}\n`, () => process.exit());
}
