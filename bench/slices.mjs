// Load in slices of a tenth of a second that go to two or more sides in turn, with the CPU time of each slice: a machine whose
// speed changes by the second changes it for neighbouring slices alike, so their quotient shows differences of a few per cent,
// which windows of seconds cannot. A closed loop; between slices everything in flight is waited for.
//
//   node slices.mjs '{"sides":[{"pid":1,"port":2,"request":{...}},...],"connections":50,"turns":40,"milliseconds":100,"warmup":5}'
//
// Prints one line of JSON: for each turn the CPU µs a request of every side, requests a second, and the generator's share of a processor.
import { setTimeout as sleep } from 'node:timers/promises';
import { openAll } from './client.mjs';
import { cpuBetween, cpuReading } from './process-tree.mjs';

const { sides, connections, turns, milliseconds, warmup } = JSON.parse(process.argv[2]);
/** Time after the last answer for what the engine does after it. */
const SETTLE_MS = 3;

async function prepare({ pid, port, request }) {
  let until = 0;
  let answers = 0;
  let failed = 0;
  let inFlight = 0;
  let drained;
  const send = (one) => {
    inFlight++;
    pool.send(one);
  };
  const pool = await openAll({
    ...{ port, request, connections },
    answered(_one, ok) {
      answers++;
      inFlight--;
      if (!ok) failed++;
    },
    free(one) {
      if (performance.now() < until) send(one);
      else if (inFlight === 0) drained?.();
    },
  });
  return async function slice() {
    const reading = cpuReading(pid);
    const own = process.cpuUsage();
    const begun = performance.now();
    answers = 0;
    until = begun + milliseconds;
    const end = new Promise((resolve) => {
      drained = resolve;
    });
    for (const one of pool.all) send(one);
    await end;
    const seconds = (performance.now() - begun) / 1000;
    await sleep(SETTLE_MS);
    if (failed > 0) throw new Error(`${request.target}: ${failed} failed`);
    const { user, system } = process.cpuUsage(own);
    const cpu = (cpuBetween(reading, cpuReading(pid)) * 1e6) / answers;
    return { cpu, rps: answers / seconds, generatorShare: (user + system) / 1e6 / seconds };
  };
}

const slices = [];
for (const side of sides) slices.push(await prepare(side));
const made = [];
for (let turn = -warmup; turn < turns; turn++) {
  const results = [];
  // A B, B A: what changes steadily changes both alike
  const order = slices.map((_, i) => i);
  if (turn % 2) order.reverse();
  for (const i of order) results[i] = await slices[i]();
  if (turn >= 0) made.push(results);
}
process.stdout.write(`${JSON.stringify(made)}\n`, () => process.exit());
