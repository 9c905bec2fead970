import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, summary } from './judge.mjs';
import { caveats, csv } from './report.mjs';

test('the result file has the columns of the published suite, and absent percentiles stay empty', () => {
  const row = {
    scenario: 's',
    connections: 50,
    rps: 1000,
    p50: 1,
    p99: 2.5,
    rssPeak: 90.25,
    rss: 80,
    rounds: 3,
    spread: 4,
  };
  assert.equal(
    csv([row]),
    `scenario,connections,mode,rps,p50_ms,p90_ms,p99_ms,p999_ms,avg_ms,rss_mb_peak,rss_mb_end,reps,rps_spread_pct
s,50,closed,1000.0,1.000,,2.500,,,90.3,80.0,3,4.0
`,
  );
});

test('rows in which the generator was the limit or others used the processor are named', () => {
  const rows = [
    { engine: 'a', scenario: 's', generatorShare: 0.99, foreignShare: 0.02 },
    { engine: 'b', scenario: 's', generatorShare: 0.5, foreignShare: 0.3 },
  ];
  const text = caveats(rows).join('\n');
  assert.match(text, /the generator was the limit.*: a s$/m);
  assert.match(text, /others used.*: b s$/m);
  assert.deepEqual(caveats([{ engine: 'a', scenario: 's', generatorShare: 0.2, foreignShare: 0 }]), []);
});

const point = (engine, scenario, cpu, more = {}) => ({ engine, scenario, round: 0, cpu, rps: 1e6 / cpu, ...more });
const find = (lines, group, what) => lines.find((one) => one.group === group && one.what === what);

test('an aim holds when its number is within the bound, and not when it was not measured', () => {
  const samples = [
    ...[point('nginx', 'simple_health', 5), point('node24', 'simple_health', 7), point('bun', 'simple_health', 6.1)],
    ...[point('mountebank', 'regex_last', 9_000), point('node24', 'regex_last', 10)],
  ];
  const lines = judge({ scenarios: { samples } });
  const nginx = (engine) => find(lines, `${engine}: CPU a request, nginx = 1`, 'simple_health');
  assert.deepEqual([nginx('node24').measured, nginx('node24').ok, nginx('node24').wanted], [1.4, true, '<= 1.4']);
  assert.equal(nginx('bun').ok, false);
  const peer = find(lines, 'node24: requests a CPU-second, mountebank = 1', 'regex_last');
  assert.deepEqual([peer.measured, peer.ok, peer.wanted], [900, false, '>= 1000']);
  const absent = find(lines, 'node24: CPU a request, nginx = 1', 'xpath');
  assert.deepEqual([absent.measured, absent.ok], [undefined, false]);
});

test('a sweep with fewer stubs shows nothing of a million', () => {
  const loads = (n) => [{ engine: 'node24', n, loadSeconds: 9, loadedPeak: 900 }];
  const samples = [point('node24', 'path 1', 10), point('node24', 'path 1000000', 11)];
  const of = (part) => find(judge({ million: part }), 'a million stubs', 'node24: seconds to load');
  assert.equal(of({ samples, loads: loads(1000) }).ok, false);
  assert.equal(of({ samples, loads: loads(1_000_000) }).ok, true);
  const flat = judge({ million: { samples, loads: loads(1_000_000) } }).find(({ what }) =>
    /node24.*÷ 1 stub/.test(what),
  );
  assert.equal(flat.ok, true);
  assert.equal(flat.measured, 10 / 11);
});

test('a group is summed up by the number furthest behind its bound', () => {
  const lines = [
    { group: 'g', what: 'a', wanted: '<= 2', measured: 1, ok: true },
    { group: 'g', what: 'b', wanted: '<= 2', measured: 3, ok: false },
    { group: 'h', what: 'c', wanted: '>= 2', measured: undefined, ok: false },
  ];
  const [first, second] = summary(lines);
  assert.deepEqual([first.ok, first.all, first.worst.what], [1, 2, 'b']);
  assert.deepEqual([second.ok, second.unmeasured, second.worst.what], [0, 1, 'c']);
});
