// The metrics port of running executables, asked as a monitoring system asks.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { runConsoleExamples } from '../admin/console-examples.test-help.js';
import { answers, exchange, freePorts, occupied, type RunOptions, serve } from '../cli/program.test-help.js';
import { readMetrics } from './prometheus-text.test-help.js';

async function start(t: TestContext, args: readonly string[] = [], options: RunOptions = {}) {
  const server = await serve(t, 'rift', args, options);
  const port = Number(/Metrics are served on port (\d+), at \/metrics/.exec(server.stdout())?.[1]);
  const imposter = async (body: object): Promise<number> => {
    const created = await server.call('/imposters', { method: 'POST', body: { protocol: 'http', ...body } });
    assert.equal(created.status, 201, created.body);
    return Number(created.json().port);
  };
  return {
    server,
    port,
    imposter,
    /** Samples of all families; checks the text. */
    async samples(): Promise<Map<string, number>> {
      const families = readMetrics((await exchange({ port }, '/metrics')).body);
      return new Map([...families.values()].flatMap((family) => [...family.samples]));
    },
  };
}

const is = (path: string, response: object, more: object = {}) => ({
  predicates: [{ equals: { path } }],
  responses: [response],
  ...more,
});

test('answers are counted by method and status, however they came about', async (t) => {
  const { imposter, samples } = await start(t);
  const port = await imposter({
    stubs: [
      is('/missing', { is: { statusCode: 404 } }),
      is('/late', { is: { statusCode: 203 }, _behaviors: { wait: 1 } }),
      is('/token', { is: { statusCode: 201, body: '${request.path}' }, _rift: { templated: true } }),
      is('/broken', { is: { headers: { 'no name': 'x' } } }),
      is('/reset', { fault: 'CONNECTION_RESET_BY_PEER' }),
    ],
  });
  for (const [method, path, times] of [
    ['GET', '/', 2],
    ['POST', '/missing', 1],
    ['PUT', '/late', 3],
    ['GET', '/token', 4],
    ['PATCH', '/broken', 1],
    ['HEAD', '/', 1],
  ] as const) {
    for (let i = 0; i < times; i++) await exchange({ port, method }, path);
  }
  await assert.rejects(exchange({ port }, '/reset'));
  const counted = [...(await samples())].filter(([sample]) => sample.startsWith('rift_requests_total'));
  assert.deepEqual(Object.fromEntries(counted), {
    'rift_requests_total{method="GET",status="200"}': 2,
    'rift_requests_total{method="POST",status="404"}': 1,
    'rift_requests_total{method="PUT",status="203"}': 3,
    'rift_requests_total{method="GET",status="201"}': 4,
    'rift_requests_total{method="PATCH",status="500"}': 1,
    'rift_requests_total{method="HEAD",status="200"}': 1,
  });
});

test('connections of imposters are counted, those of the admin and metrics ports are not', async (t) => {
  const { imposter, samples } = await start(t);
  const http = await imposter({});
  const tcp = await imposter({ protocol: 'tcp', stubs: [{ responses: [{ is: { data: 'heard' } }] }] });
  await exchange({ port: http }, '/');
  await exchange({ port: http }, '/');
  const client = connect(tcp, '127.0.0.1').setEncoding('utf8');
  client.write('anybody?');
  assert.deepEqual(await once(client, 'data'), ['heard']);
  client.destroy();
  assert.equal((await samples()).get('rift_accepted_connections_total{worker="0"}'), 3);
});

test('injected latency, errors and broken connections are counted by rule', async (t) => {
  const { imposter, samples } = await start(t);
  const fault = (_rift: object) => ({ is: {}, _rift: { fault: _rift } });
  const port = await imposter({
    stubs: [
      is('/slow', fault({ latency: { probability: 1, ms: 120 } }), { id: 'slow' }),
      is('/failing', fault({ error: { probability: 1, status: 503 } })),
      is('/cut', fault({ tcp: 'CONNECTION_RESET_BY_PEER' })),
    ],
  });
  assert.equal((await exchange({ port }, '/slow')).status, 200);
  assert.equal((await exchange({ port }, '/failing')).status, 503);
  await assert.rejects(exchange({ port }, '/cut'));
  const found = await samples();
  for (const [sample, value] of [
    ['rift_latency_injected_ms_bucket{rule_id="slow",le="100"}', 0],
    ['rift_latency_injected_ms_bucket{rule_id="slow",le="250"}', 1],
    ['rift_latency_injected_ms_sum{rule_id="slow"}', 120],
    ['rift_faults_injected_total{type="latency",rule_id="slow",source="v1"}', 1],
    [`rift_faults_injected_total{type="error",rule_id="${port}:1",source="v1"}`, 1],
    [`rift_faults_injected_total{type="tcp",rule_id="${port}:2",source="v1"}`, 1],
    [`rift_error_status_total{status="503",rule_id="${port}:1"}`, 1],
    ['rift_requests_total{method="GET",status="503"}', 1],
  ] as const) {
    assert.equal(found.get(sample), value, sample);
  }
});

test('scripts and what they do with flow state are counted', async (t) => {
  const { imposter, samples } = await start(t, ['--allow-injection']);
  const script = (code: string) => ({ _rift: { script: { engine: 'javascript', code } } });
  const port = await imposter({
    _rift: { flowState: { backend: 'inmemory', flowIdSource: 'header:X-Flow' } },
    stubs: [
      is(
        '/count',
        script(
          'function respond(ctx) { ctx.state.set("a", 1); ctx.state.exists("a"); ctx.state.incr("n"); return pass(); }',
        ),
        { id: 'count' },
      ),
      is('/fails', script('function respond(ctx) { throw new Error("no"); }'), { id: 'fails' }),
    ],
  });
  for (const flow of ['one', 'two', 'one']) {
    assert.equal((await exchange({ port, headers: { 'X-Flow': flow } }, '/count')).status, 200);
  }
  assert.equal((await exchange({ port }, '/fails')).status, 500);
  const found = await samples();
  for (const [sample, value] of [
    ['rift_script_execution_duration_ms_count{rule_id="count",result="pass"}', 3],
    ['rift_script_execution_duration_ms_count{rule_id="fails",result="error"}', 1],
    ['rift_script_errors_total{rule_id="fails",error_type="error"}', 1],
    ['rift_flow_state_ops_total{operation="set",result="success"}', 3],
    ['rift_flow_state_ops_total{operation="exists",result="success"}', 3],
    ['rift_flow_state_ops_total{operation="increment",result="success"}', 3],
    ['rift_active_flows{backend="inmemory"}', 2],
    ['rift_active_flows{backend="redis"}', 0],
  ] as const) {
    assert.equal(found.get(sample), value, sample);
  }
});

test('proxied requests are timed: the upstream alone, and the whole with its faults', async (t) => {
  const { imposter, samples } = await start(t);
  const upstream = await imposter({ stubs: [is('/gone', { is: { statusCode: 410 } })] });
  const to = `http://127.0.0.1:${upstream}`;
  const [nobody] = await freePorts(1);
  const proxy = { to, mode: 'proxyTransparent' };
  const port = await imposter({
    defaultForward: to,
    stubs: [
      is('/gone', { proxy }),
      is('/late', { proxy, _rift: { fault: { latency: { probability: 1, ms: 1 } } } }),
      is('/never', { proxy, _rift: { fault: { error: { probability: 1, status: 500 } } } }),
      is('/nobody', { proxy: { ...proxy, to: `http://127.0.0.1:${nobody}` } }),
    ],
  });
  for (const path of ['/gone', '/late', '/never', '/nobody', '/forwarded']) await exchange({ port }, path);
  const found = await samples();
  const counts = [...found].filter(([sample]) => /^rift_(proxy|upstream)_\w+_count/.test(sample));
  assert.deepEqual(Object.fromEntries(counts), {
    'rift_proxy_request_duration_ms_count{method="GET",fault_applied="none"}': 3,
    'rift_proxy_request_duration_ms_count{method="GET",fault_applied="latency"}': 1,
    'rift_proxy_request_duration_ms_count{method="GET",fault_applied="error"}': 1,
    'rift_upstream_request_duration_ms_count{method="GET",status="410"}': 1,
    'rift_upstream_request_duration_ms_count{method="GET",status="200"}': 2,
    'rift_upstream_request_duration_ms_count{method="GET",status="error"}': 1,
  });
});

test('recorded requests that the limit drops are counted by port, also when the imposter has gone', async (t) => {
  const { server, imposter, samples } = await start(t, ['--journal-cap', '2']);
  const port = await imposter({ recordRequests: true });
  for (let i = 0; i < 5; i++) await exchange({ port }, '/');
  const evicted = async () => (await samples()).get(`rift_journal_evictions_total{port="${port}"}`);
  assert.equal(await evicted(), 3);
  await server.call(`/imposters/${port}`, { method: 'DELETE' });
  assert.equal(await evicted(), 3);
});

test('the admin port counts imposters and their requests', async (t) => {
  const { server, imposter } = await start(t);
  const [port] = [await imposter({}), await imposter({})];
  for (let i = 0; i < 3; i++) await exchange({ port }, '/');
  const families = readMetrics((await server.call('/metrics')).body);
  assert.equal(families.get('rift_imposters_total')?.samples.get('rift_imposters_total'), 2);
  const requests = families.get('rift_imposter_requests_total')?.samples;
  assert.equal(requests?.get(`rift_imposter_requests_total{port="${port}"}`), 3);
  assert.ok(families.has('mb_process_cpu_seconds_total') && !families.has('process_cpu_seconds_total'));
});

test('the metrics port asks for no key, the admin port does', async (t) => {
  const { server, port } = await start(t, ['--api-key', 'secret']);
  assert.equal((await exchange({ port }, '/metrics')).status, 200);
  assert.equal((await server.call('/metrics')).status, 401);
});

test('the metrics port is found on this machine only with --local-only, whatever --host says', async (t) => {
  const { port } = await start(t, ['--local-only']);
  assert.deepEqual([await answers(port), await answers(port, '127.0.0.2')], [true, false]);
  const { port: open } = await start(t, ['--host', '127.0.0.1']);
  assert.deepEqual([await answers(open), await answers(open, '127.0.0.2')], [true, true]);
});

test('a taken metrics port is an error in the log, and the server serves', async (t) => {
  const port = await occupied(t);
  const server = await serve(t, 'rift', ['--metrics-port', String(port)]);
  assert.match(
    server.stdout(),
    new RegExp(`error \\[metrics:${port}\\] Port ${port} for metrics is already in use: choose another --metrics-port`),
  );
  assert.equal((await server.call('/imposters')).status, 200);
  assert.equal((await server.stop()).code, 0);
});

/** The ports on which a process of this machine listens; undefined where the system does not tell. */
function portsOf(pid: number): number[] | undefined {
  if (process.platform !== 'linux') return undefined;
  const own = new Set<string>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      own.add(readlinkSync(`/proc/${pid}/fd/${name}`));
    } catch {
      // closed in the meantime
    }
  }
  const ports: number[] = [];
  for (const table of ['tcp', 'tcp6']) {
    for (const line of readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === '0A' && own.has(`socket:[${inode}]`)) ports.push(Number.parseInt(local.split(':')[1]!, 16));
    }
  }
  return [...new Set(ports)].sort((a, b) => a - b);
}

test('name mb has a metrics port only when it is asked for one', async (t) => {
  const servers = [await serve(t, 'mb'), await serve(t, 'mb')];
  for (const server of servers) {
    assert.equal((await server.call('/imposters')).status, 200);
    assert.deepEqual(portsOf(server.pid) ?? [server.port], [server.port]);
    assert.doesNotMatch(server.stdout(), /etrics/);
  }
  const [port] = await freePorts(1);
  const asked = await serve(t, 'mb', ['--metrics-port', String(port)]);
  assert.equal((await exchange({ port }, '/metrics')).status, 200);
  assert.deepEqual(
    portsOf(asked.pid) ?? [],
    [port!, asked.port].sort((a, b) => a - b),
  );
});

test('the curl lines of docs/metrics.md give what it says', async (t) => {
  const { server, port } = await start(t);
  assert.ok((await runConsoleExamples('metrics.md', server.port, { 9090: port })) >= 4);
});
