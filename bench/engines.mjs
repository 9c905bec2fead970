// What can be measured. Every engine is started the same way and then asked to `prepare` an imposter for a scenario,
// which gives the port to fire at. Ours and Mountebank keep many imposters at once; WireMock has one JVM whose mappings
// are replaced, so that it stays compiled; nginx answers one constant and matches nothing: what HTTP costs on the machine.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { call } from './http.mjs';
import { expectFree, freePorts, start } from './process-tree.mjs';
import { mappingsOf } from './wiremock.mjs';

const READY_MS = 60_000;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const ours = here('../packages/server/bin/rift.js');
const mountebank = here('node_modules/mountebank/bin/mb');
const wiremockJar = here('node_modules/wiremock/build/wiremock-standalone-3.13.2.jar');
const scratch = mkdtempSync(join(tmpdir(), 'rift-bench-engines-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));

const JSON_TYPE = { 'Content-Type': 'application/json' };

function firstLine(command, args) {
  const { error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return error ? undefined : `${stdout}${stderr}`.trim().split('\n')[0];
}

async function ready(running, path) {
  for (const end = performance.now() + READY_MS; performance.now() < end; await sleep(20)) {
    const answer = await call(running.admin, path).catch(() => undefined);
    if (answer?.status === 200) return;
  }
  await running.stop();
  throw new Error(`${running.engine} is not ready after ${READY_MS / 1000} s: ${running.output()}`);
}

/** The imposter with answers after which Mountebank keeps the connection: default headers do not merge with others. */
function keptAlive({ stubs, ...imposter }) {
  const headers = { Connection: 'keep-alive' };
  return {
    ...imposter,
    defaultResponse: { headers },
    stubs: stubs.map(({ predicates, responses }) => ({
      predicates,
      responses: responses.map(({ is }) => ({ is: { ...is, headers: { ...is.headers, ...headers } } })),
    })),
  };
}

/** A variant that is compared must be the one that runs: the engine says so in the log of a start of its own. */
async function expectLabel(label, { engine, argv, admin, ...options }) {
  const informative = argv.map((part, i) => (argv[i - 1] === '--loglevel' ? 'info' : part));
  const running = { engine, admin, ...start(informative[0], informative.slice(1), options) };
  await ready(running, '/imposters');
  await running.stop();
  if (!running.output().includes(label))
    throw new Error(`${engine}: its log does not say "${label}": ${running.output()}`);
}

/** An engine that takes imposters: `command(port)` starts it; `label` is what its log must say of a variant. */
function imposterEngine({ title, version, missing, command, env, unlimited, change = (imposter) => imposter }) {
  return {
    title,
    /** Arguments that lift the limit on the size of a creation; only ours has one. */
    unlimited,
    version,
    missing,
    imposters: true,
    async start({ cpus, args = [], engine, label }) {
      const [admin, metrics] = await freePorts(2);
      const argv = [...command(admin, metrics), ...args];
      if (label) await expectLabel(label, { engine, argv, admin, cpus, env, cwd: scratch });
      const begun = performance.now();
      const running = { engine, admin, command: argv, ...start(argv[0], argv.slice(1), { cpus, env, cwd: scratch }) };
      await ready(running, '/imposters');
      running.readyMs = performance.now() - begun;
      const ports = new Map();
      const stopProcess = running.stop;
      running.stop = async () => {
        await stopProcess();
        for (const port of [admin, ...ports.values()]) await expectFree(port, engine);
      };
      /** Creates an imposter; gives its port and the answer of the creation. */
      running.create = async (imposter) => {
        const [port] = await freePorts(1);
        const body = Buffer.from(JSON.stringify({ port, ...change(imposter) }));
        const answer = await call(admin, '/imposters', { method: 'POST', headers: JSON_TYPE, body });
        if (answer.status !== 201) throw new Error(`${engine}: ${answer.status} ${answer.body.slice(0, 500)}`);
        ports.set(imposter.name, port);
        return { port, answer };
      };
      running.prepare = async (imposter) => ports.get(imposter.name) ?? (await running.create(imposter)).port;
      running.release = async (imposter) => {
        const port = ports.get(imposter.name);
        ports.delete(imposter.name);
        if (port !== undefined) await call(admin, `/imposters/${port}`, { method: 'DELETE' });
      };
      return running;
    },
  };
}

function rift(runtime, title) {
  return imposterEngine({
    title,
    version: () =>
      `${JSON.parse(execFileSync('cat', [here('../packages/server/package.json')])).version} on ${firstLine(runtime, ['--version'])}`,
    missing: () =>
      firstLine(runtime, ['--version']) === undefined
        ? `${title} is left out: ${runtime} does not run; npm install brings it`
        : existsSync(here('../packages/server/dist/main.js'))
          ? undefined
          : `${title} is left out: not built; run npm run build in the repository`,
    command: (port, metrics) => [
      runtime,
      ours,
      ...['--port', `${port}`, '--host', '127.0.0.1', '--allow-injection', '--loglevel', 'warn'],
      ...['--metrics-port', `${metrics}`],
    ],
    unlimited: ['--max-admin-body', '0'],
  });
}

function mountebankEngine(title, change) {
  return imposterEngine({
    title,
    version: () => `2.9.1 on Node ${process.version}`,
    missing: () => (existsSync(mountebank) ? undefined : `${title} is left out: run npm install in bench/`),
    command: (port) => [
      process.execPath,
      mountebank,
      ...['start', '--port', `${port}`, '--host', '127.0.0.1', '--allowInjection', '--loglevel', 'warn'],
      ...['--nologfile', '--pidfile', join(scratch, `mb-${port}.pid`)],
    ],
    change,
  });
}

function wiremockEngine(title, { stockThreads = false } = {}) {
  return {
    title,
    version: () => `3.13.2 on ${firstLine('java', ['-version'])}`,
    missing: () =>
      firstLine('java', ['-version']) === undefined
        ? `${title} is left out: there is no Java 11 or later (Debian: apt-get install default-jre-headless)`
        : existsSync(wiremockJar)
          ? undefined
          : `${title} is left out: run npm install in bench/`,
    imposters: false,
    async start({ cpus, engine, connections }) {
      const [admin] = await freePorts(1);
      const argv = ['java', '-jar', wiremockJar, '--port', `${admin}`, '--bind-address', '127.0.0.1'];
      argv.push('--disable-banner', '--no-request-journal');
      // by default ten threads would bound the requests in flight
      if (!stockThreads) argv.push('--container-threads', `${Math.max(availableParallelism(), connections)}`);
      const running = { engine, admin, command: argv, ...start(argv[0], argv.slice(1), { cpus }) };
      await ready(running, '/__admin/mappings');
      let loaded;
      running.prepare = async ({ name, stubs }) => {
        if (loaded === name) return admin;
        const mappings = mappingsOf(stubs);
        await call(admin, '/__admin/mappings', { method: 'DELETE' });
        const body = JSON.stringify({ mappings });
        await call(admin, '/__admin/mappings/import', { method: 'POST', headers: JSON_TYPE, body });
        const { total } = JSON.parse((await call(admin, '/__admin/mappings?limit=0')).body).meta;
        if (total !== mappings.length) throw new Error(`WireMock has ${total} mappings of ${mappings.length}`);
        loaded = name;
        return admin;
      };
      running.release = async () => {
        loaded = undefined;
      };
      return running;
    },
  };
}

const nginx = {
  title: 'nginx',
  version: () => firstLine('nginx', ['-v']),
  missing: () =>
    firstLine('nginx', ['-v']) === undefined
      ? 'nginx is left out: it is not installed (Debian: apt-get install nginx-light)'
      : undefined,
  imposters: false,
  // one process an answer, all of them idle but the one that is measured
  async start({ cpus, engine }) {
    const servers = new Map();
    const running = { engine, command: ['nginx', '-c', 'nginx.conf'], output: () => '' };
    running.stop = async () => {
      for (const { stop } of servers.values()) await stop();
    };
    running.prepare = async (_imposter, scenario) => {
      const key = JSON.stringify(scenario.answer);
      if (!servers.has(key)) {
        const [admin] = await freePorts(1);
        const file = join(scratch, `nginx-${admin}.conf`);
        writeFileSync(file, nginxConfiguration(admin, scenario.answer));
        const server = { engine, admin, ...start('nginx', ['-p', scratch, '-c', file], { cpus }) };
        servers.set(key, server);
        await ready(server, '/');
      }
      const { admin, pid, output } = servers.get(key);
      Object.assign(running, { admin, pid, output });
      return admin;
    };
    running.release = async () => {};
    return running;
  },
};

function nginxConfiguration(port, { statusCode, headers = {}, body = '' }) {
  const { 'Content-Type': type = '', ...others } = headers;
  const lines = Object.entries(others).map(([name, value]) => `add_header ${name} "${value.replaceAll('$', '')}";`);
  return `daemon off; master_process off; pid ${scratch}/nginx-${port}.pid; error_log stderr crit;
    events { worker_connections 2048; }
    http { access_log off; keepalive_requests 1000000000; client_body_temp_path ${scratch}; proxy_temp_path ${scratch};
      fastcgi_temp_path ${scratch}; uwsgi_temp_path ${scratch}; scgi_temp_path ${scratch};
      server { listen 127.0.0.1:${port}; location / { default_type "${type}"; ${lines.join(' ')}
        return ${statusCode} '${body.replaceAll('$', '')}'; } } }`;
}

function originalRift(binary) {
  return imposterEngine({
    title: 'Rift (given binary)',
    version: () => firstLine(binary, ['--version']),
    missing: () => (existsSync(binary) ? undefined : `--rift-bin ${binary} does not exist`),
    command: (port) => [binary, '--port', `${port}`, '--allow-injection', '--loglevel', 'warn'],
    env: { RIFT_METRICS_PORT: '0' },
  });
}

/** Name to engine; `riftBin` is the path of another server that takes the same flags. */
export function enginesOf(riftBin) {
  const engines = {
    node20: rift(here('node_modules/node20/bin/node'), 'Rift, Node 20'),
    node24: rift(here('node_modules/node24/bin/node'), 'Rift, Node 24'),
    bun: rift(here('node_modules/bun/bin/bun.exe'), 'Rift, Bun'),
    nginx,
    mountebank: mountebankEngine('Mountebank'),
    'mountebank-keepalive': mountebankEngine('Mountebank, connections kept', keptAlive),
    wiremock: wiremockEngine('WireMock'),
    'wiremock-stock': wiremockEngine('WireMock, ten threads as by default', { stockThreads: true }),
  };
  if (riftBin) engines.rift = originalRift(riftBin);
  return engines;
}
