import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMetrics } from './prometheus-text.test-help.js';

test('the reader of the tests refuses what a scraper refuses', () => {
  const good = '# HELP a_total A.\n# TYPE a_total counter\na_total{x="q\\"\\\\\\n"} 1\n';
  assert.equal(readMetrics(good).get('a_total')?.samples.size, 1);
  const histogram = (...lines: string[]) => `# HELP h H\n# TYPE h histogram\n${lines.join('\n')}\n`;
  const sumAndCount = ['h_sum 1', 'h_count 2'];
  readMetrics(histogram('h_bucket{le="1"} 1', 'h_bucket{le="+Inf"} 2', ...sumAndCount));
  for (const bad of [
    good.trimEnd(),
    good + good,
    '# TYPE a_total counter\na_total 1\n',
    good.replace('a_total{', 'b_total{'),
    good.replace('counter', 'counters'),
    good.replace('\\"', '"'),
    good.replace('} 1', '} one'),
    histogram('h_bucket{le="1"} 3', 'h_bucket{le="+Inf"} 2', ...sumAndCount),
    histogram('h_bucket{le="2"} 1', 'h_bucket{le="1"} 1', 'h_bucket{le="+Inf"} 2', ...sumAndCount),
    histogram('h_bucket{le="1"} 1', ...sumAndCount),
    histogram('h_bucket{le="+Inf"} 1', ...sumAndCount),
  ]) {
    assert.throws(() => readMetrics(bad), assert.AssertionError, bad);
  }
});
