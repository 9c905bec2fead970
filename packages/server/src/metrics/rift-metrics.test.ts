import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AcceptMeter, AnswerMeter, Meters } from '@rift-ts/engine';
import { METHODS } from '@rift-ts/http';
import { processMetrics } from './process-metrics.js';
import { readMetrics } from './prometheus-text.test-help.js';
import { type RiftMetricsOptions, riftMetrics } from './rift-metrics.js';

const ofProcess = processMetrics();

function setUp(more: Partial<RiftMetricsOptions> = {}) {
  const meters = new Meters();
  const accepts = { imposter: new AcceptMeter(), admin: new AcceptMeter(), metrics: new AcceptMeter() };
  const traffic = { answers: new AnswerMeter(), accepts };
  const build = { version: '1.2.3', commit: null };
  const options = { meters, traffic, threads: undefined, imposters: { all: () => [] }, build, process: ofProcess };
  return { meters, traffic, text: riftMetrics({ ...options, ...more }) };
}

test('before anything happened there are gauges, and what is known of the process', async () => {
  const families = readMetrics(await setUp().text());
  const rift = [...families].filter(([name]) => name.startsWith('rift_'));
  assert.deepEqual(
    rift.map(([name, { type, samples }]) => [name, type, Object.fromEntries(samples)]),
    [
      [
        'rift_accept_error_outage',
        'gauge',
        {
          'rift_accept_error_outage{listener="imposter"}': 0,
          'rift_accept_error_outage{listener="admin"}': 0,
          'rift_accept_error_outage{listener="metrics"}': 0,
        },
      ],
      [
        'rift_active_flows',
        'gauge',
        { 'rift_active_flows{backend="inmemory"}': 0, 'rift_active_flows{backend="redis"}': 0 },
      ],
      [
        'rift_build_info',
        'gauge',
        { [`rift_build_info{version="1.2.3",commit="unknown",node="${process.version}"}`]: 1 },
      ],
    ],
  );
  const others = [...families.keys()].filter((name) => !/^(rift|process|nodejs)_/.test(name));
  assert.deepEqual(others, []);
  assert.ok(families.has('process_cpu_seconds_total') && families.has('nodejs_heap_size_used_bytes'));
});

test('what data threads count is summed up with what the main thread counts', async () => {
  const thread = () => ({ accepts: new AcceptMeter(), answers: new AnswerMeter() });
  const threads = { traffic: [thread(), thread()] };
  const { traffic, text } = setUp({ threads });
  traffic.answers.count('GET', 200);
  traffic.accepts.imposter.count();
  for (const { accepts, answers } of threads.traffic) {
    answers.count('GET', 200);
    accepts.count();
    accepts.countError('systemic');
    accepts.shiftFailing(1);
  }
  threads.traffic[1]!.answers.count('PUT', 500);
  const families = readMetrics(await text());
  assert.deepEqual(
    [...families.get('rift_requests_total')!.samples],
    [
      ['rift_requests_total{method="GET",status="200"}', 3],
      ['rift_requests_total{method="PUT",status="500"}', 1],
    ],
  );
  assert.deepEqual(
    [...families.get('rift_accepted_connections_total')!.samples],
    [
      ['rift_accepted_connections_total{worker="0"}', 1],
      ['rift_accepted_connections_total{worker="1"}', 1],
      ['rift_accepted_connections_total{worker="main"}', 1],
    ],
  );
  assert.deepEqual(
    [...families.get('rift_accept_errors_total')!.samples],
    [['rift_accept_errors_total{listener="imposter",class="systemic"}', 2]],
  );
  assert.equal(
    families.get('rift_accept_error_outage')!.samples.get('rift_accept_error_outage{listener="imposter"}'),
    2,
  );
});

test('a family has 10,000 series at the most, the others are counted together', async () => {
  const { traffic, text } = setUp();
  let pairs = 0;
  for (const method of METHODS) {
    for (let status = 100; status < 1000 && pairs < 10_005; status++, pairs++) traffic.answers.count(method, status);
  }
  const last = METHODS[Math.floor(10_004 / 900)]!;
  traffic.answers.count(last, 100 + (10_004 % 900));
  const { samples } = readMetrics(await text()).get('rift_requests_total')!;
  assert.equal(samples.size, 10_001);
  assert.equal(samples.get('rift_requests_total{method="other",status="other"}'), 6);
  // what came later does not push out what was shown before
  traffic.answers.count(METHODS[0]!, 99);
  const later = readMetrics(await text()).get('rift_requests_total')!.samples;
  assert.deepEqual([...later.keys()].sort(), [...samples.keys()].sort());
  assert.equal(later.get('rift_requests_total{method="other",status="other"}'), 7);
});

test('label values are escaped', async () => {
  const { meters, text } = setUp();
  meters.faults.failed(503, 'a "quoted" \\ rule\nof two lines', 'v1');
  const { samples } = readMetrics(await text()).get('rift_error_status_total')!;
  assert.deepEqual(
    [...samples.keys()],
    ['rift_error_status_total{status="503",rule_id="a \\"quoted\\" \\\\ rule\\nof two lines"}'],
  );
});
