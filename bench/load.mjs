// Closed-loop load by wrk, one thread on a processor of its own. wrk builds the request once, so that the generator
// leaves the server the bottleneck. Its percentiles are corrected for the requests that a stall kept it from sending.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const scratch = mkdtempSync(join(tmpdir(), 'rift-bench-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const run = promisify(execFile);
const lua = (text) => `"${text.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"`;

function scriptOf({ method, headers, body }) {
  return `
wrk.method = ${lua(method)}
${Object.entries(headers)
  .map(([name, value]) => `wrk.headers[${lua(name)}] = ${lua(value)}`)
  .join('\n')}
${body ? `wrk.body = ${lua(body)}` : ''}
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('\\nRESULT {"requests":%d,"microseconds":%d,"failed":%d,"timeouts":%d,"p50":%.1f,"p90":%.1f,"p99":%.1f,"p999":%.1f,"mean":%.1f,"max":%.1f}\\n',
    summary.requests, summary.duration, e.connect + e.read + e.write + e.status, e.timeout,
    latency:percentile(50), latency:percentile(90), latency:percentile(99), latency:percentile(99.9), latency.mean, latency.max))
end
`;
}

let files = 0;

/**
 * Fires one request over and over. Latencies are in milliseconds. `mayStall`: no answer within the window is no error.
 * @returns {Promise<{requests: number, seconds: number, rps: number, p50: number, p90: number, p99: number, p999: number, mean: number, max: number}>}
 */
export async function fire(port, request, { seconds, connections, cpus, mayStall = false }) {
  const script = join(scratch, `${files++}.lua`);
  writeFileSync(script, scriptOf(request));
  const argv = ['wrk', '-t1', `-c${connections}`, `-d${Math.ceil(seconds)}s`, '--timeout', '30s', '-s', script];
  argv.push(`http://127.0.0.1:${port}${request.target}`);
  const { stdout } = await run(cpus ? 'taskset' : argv[0], cpus ? ['-c', cpus, ...argv] : argv.slice(1));
  const line = /RESULT (.*)/.exec(stdout);
  if (!line) throw new Error(stdout);
  const { requests, microseconds, failed, ...latency } = JSON.parse(line[1]);
  if (failed > 0 || (requests === 0 && !mayStall))
    throw new Error(`${request.target}: ${failed} failed of ${requests}\n${stdout}`);
  const point = { requests, seconds: microseconds / 1e6, rps: (requests * 1e6) / microseconds };
  // without an answer there are no percentiles: they stay away, instead of being 0
  for (const key of ['p50', 'p90', 'p99', 'p999', 'mean', 'max']) if (requests > 0) point[key] = latency[key] / 1000;
  return point;
}

/** Runs one of the programs here on the generator's processor; gives what it prints. */
async function child(program, cpus, task) {
  const argv = [process.execPath, fileURLToPath(new URL(program, import.meta.url)), JSON.stringify(task)];
  const command = cpus ? ['taskset', '-c', cpus, ...argv] : argv;
  const { stdout } = await run(command[0], command.slice(1), { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout);
}

async function generate(cpus, task) {
  const point = await child('generator.mjs', cpus, task);
  if (point.failed > 0 || point.requests === 0)
    throw new Error(`${task.request.target}: ${point.failed} failed of ${point.requests}`);
  return point;
}

/** A generator that sends `rate` requests a second, whatever comes back (open loop); latency counts from the due time. */
export const atRate =
  (rate) =>
  (port, request, { seconds, connections, cpus }) =>
    generate(cpus, { port, request, connections, seconds, rate });

/** Exactly `count` requests in a closed loop. */
export const fireCount = (port, request, count, { connections, cpus }) =>
  generate(cpus, { port, request, connections, count });

/**
 * Slices of load that go to all sides in turn, see slices.mjs.
 * @param {{pid: number, port: number, request: object}[]} sides
 * @returns {Promise<{cpu: number, rps: number}[][]>} for each turn, of every side the CPU µs a request and requests a second
 */
export const fireSlices = (sides, { connections, turns, milliseconds, warmup, cpus }) =>
  child('slices.mjs', cpus, { sides, connections, turns, milliseconds, warmup });
