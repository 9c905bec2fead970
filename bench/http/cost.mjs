// CPU time a request of the wire layer, next to nginx `return 200` with the same body. Linux only; needs wrk, and nginx
// for the comparison. Usage: node bench/http/cost.mjs [--rounds 3] [--seconds 3] RUNTIME[=SCRIPT] ...
// e.g. node bench/http/cost.mjs node /opt/node24/bin/node bun
// Server on CPU 0, load on CPU 1, 50 kept connections; rounds are interleaved, the medians are printed.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const args = process.argv.slice(2);
const option = (name, fallback) => {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(args.splice(at, 2)[1]);
};
const rounds = option('rounds', 3);
const seconds = option('seconds', 3);
const constantServer = fileURLToPath(new URL('./constant-server.mjs', import.meta.url));
const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const scratch = mkdtempSync(join(tmpdir(), 'wire-cost-'));

const servers = [{ name: 'nginx', start: startNginx }];
for (const arg of args) {
  const [runtime, script] = arg.split('=');
  servers.push({ name: arg, start: (port) => run(runtime, [script ?? constantServer, String(port)]) });
}

function run(command, argv) {
  const child = spawn('taskset', ['-c', '0', command, ...argv], { stdio: ['ignore', 'ignore', 'inherit'] });
  return { pid: child.pid, stop: () => child.kill('SIGTERM') };
}

function startNginx(port) {
  const config = join(scratch, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${scratch}/nginx.pid; error_log stderr crit;
     events { worker_connections 1024; }
     http { access_log off; keepalive_requests 1000000000; client_body_temp_path ${scratch}; proxy_temp_path ${scratch};
       fastcgi_temp_path ${scratch}; uwsgi_temp_path ${scratch}; scgi_temp_path ${scratch};
       server { listen 127.0.0.1:${port}; location / { default_type application/json; return 200 '{"status":"ok","n":123}'; } } }`,
  );
  return run('nginx', ['-c', config]);
}

/** Seconds of CPU a process has used. */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function ready(url) {
  for (let i = 0; i < 100; i++) {
    try {
      const answer = await fetch(url);
      if ((await answer.text()) === '{"status":"ok","n":123}') return;
    } catch {}
    await sleep(50);
  }
  throw new Error(`${url} does not answer`);
}

function load(url, duration) {
  const out = execFileSync('taskset', ['-c', '1', 'wrk', '-t1', '-c50', `-d${duration}s`, url], { encoding: 'utf8' });
  if (/Non-2xx|Socket errors/.test(out)) throw new Error(out);
  return Number(/(\d+) requests in/.exec(out)[1]);
}

const results = new Map(servers.map(({ name }) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const { name, start } of servers) {
    const port = await freePort();
    const server = start(port);
    try {
      const url = `http://127.0.0.1:${port}/api/health`;
      await ready(url);
      load(url, 1);
      const before = cpuSeconds(server.pid);
      const begun = performance.now();
      const requests = load(url, seconds);
      const wall = (performance.now() - begun) / 1000;
      const used = cpuSeconds(server.pid) - before;
      results.get(name).push({ cost: (used * 1e6) / requests, rate: requests / wall });
    } finally {
      server.stop();
      await sleep(100);
    }
  }
}
rmSync(scratch, { recursive: true });

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const nginx = median(results.get('nginx').map(({ cost }) => cost));
console.log('| server | µs of CPU a request | least | nginx = 1 | requests/s |\n|---|--:|--:|--:|--:|');
for (const [name, points] of results) {
  const cost = median(points.map((point) => point.cost));
  const least = Math.min(...points.map((point) => point.cost));
  const rate = median(points.map((point) => point.rate));
  console.log(
    `| ${name} | ${cost.toFixed(1)} | ${least.toFixed(1)} | ${(cost / nginx).toFixed(2)} | ${Math.round(rate)} |`,
  );
}
