// Closed-loop load by wrk, one thread on a processor of its own. wrk builds the request once, so that the generator
// leaves the server the bottleneck. Its percentiles are corrected for the requests that a stall kept it from sending.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  for (const key of ['p50', 'p90', 'p99', 'p999', 'mean', 'max']) point[key] = latency[key] / 1000;
  return point;
}
