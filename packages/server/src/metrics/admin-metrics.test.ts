import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Meters } from '@rift-ts/engine';
import { adminMetrics } from './admin-metrics.js';
import { processMetrics } from './process-metrics.js';

const ofProcess = processMetrics();
const none = { all: () => [] };

test('before any imposter was created there is no family of imposters', async () => {
  const text = await adminMetrics(new Meters(), none, ofProcess)();
  assert.doesNotMatch(text, /mb_request_total/);
  assert.match(text, /^rift_imposters_total 0$/m);
  assert.match(text, /^mb_process_cpu_seconds_total /m);
});

test('an imposter without requests has no sample, its families are there', async () => {
  const meters = new Meters();
  meters.used = true;
  const text = await adminMetrics(meters, none, ofProcess)();
  assert.match(text, /^# TYPE mb_request_total counter$/m);
  assert.doesNotMatch(text, /^mb_request_total/m);
});

test('counters and histograms are labelled with the scope of the imposter', async () => {
  const meters = new Meters();
  meters.used = true;
  const meter = meters.of('[http:4545 a"b] ');
  meter.requests = 2;
  meter.matching.observe(0.02);
  meter.matching.observe(7);
  const text = await adminMetrics(meters, { all: () => [{ port: 4545, totalRequests: 2 }] }, ofProcess)();
  assert.match(text, /^mb_request_total\{imposter="\[http:4545 a\\"b\] "\} 2$/m);
  assert.match(text, /^mb_predicate_match_duration_seconds_bucket\{le="0.01",imposter="\[http:4545 a\\"b\] "\} 0$/m);
  assert.match(text, /^mb_predicate_match_duration_seconds_bucket\{le="0.05",imposter="\[http:4545 a\\"b\] "\} 1$/m);
  assert.match(text, /^mb_predicate_match_duration_seconds_bucket\{le="\+Inf",imposter="\[http:4545 a\\"b\] "\} 2$/m);
  assert.match(text, /^mb_predicate_match_duration_seconds_count\{imposter="\[http:4545 a\\"b\] "\} 2$/m);
  assert.match(text, /^rift_imposter_requests_total\{port="4545"\} 2$/m);
  assert.doesNotMatch(text, /^mb_no_match_total\{/m);
});
