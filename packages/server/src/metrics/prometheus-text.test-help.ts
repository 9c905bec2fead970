// A strict reader of Prometheus' text format 0.0.4: refuses what a scraper, or `promtool check metrics`, would refuse.
import assert from 'node:assert/strict';

export interface ReadFamily {
  readonly type: string;
  /** By the sample as written: name and labels. */
  readonly samples: Map<string, number>;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const SAMPLE = new RegExp(`^(${NAME})(\\{(?:${LABEL}(?:,${LABEL})*)?\\})? (NaN|[+-]Inf|-?[0-9.]+(?:e[+-]?[0-9]+)?)$`);
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

/** The families of a text, by name. Fails on whatever is not as the format says. */
export function readMetrics(text: string): Map<string, ReadFamily> {
  assert.ok(text.endsWith('\n'), 'the last line has no end');
  const families = new Map<string, ReadFamily>();
  let current = '';
  let help: string | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const comment = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`).exec(line);
    if (comment?.[1] === 'HELP') {
      assert.equal(help, undefined, `two lines of HELP: ${line}`);
      assert.doesNotMatch(comment[3]!, /\\[^\\n]/, line);
      help = comment[2];
    } else if (comment?.[1] === 'TYPE') {
      const name = comment[2]!;
      assert.equal(help, name, `TYPE without its HELP: ${line}`);
      assert.ok(TYPES.includes(comment[3]!), line);
      assert.ok(!families.has(name), `the family ${name} comes twice`);
      families.set(name, { type: comment[3]!, samples: new Map() });
      current = name;
      help = undefined;
    } else {
      const sample = SAMPLE.exec(line);
      assert.ok(sample !== null && help === undefined, `no sample: ${line}`);
      const family = families.get(current)!;
      const [, name = '', labels = '', value] = sample;
      const own = family.type === 'histogram' ? [`${current}_bucket`, `${current}_sum`, `${current}_count`] : [current];
      assert.ok(own.includes(name), `${line} stands among the samples of ${current}`);
      assert.ok(!family.samples.has(name + labels), `twice: ${line}`);
      const number =
        value === '+Inf' ? Number.POSITIVE_INFINITY : value === '-Inf' ? Number.NEGATIVE_INFINITY : Number(value);
      if (family.type === 'counter') assert.ok(number >= 0 && name.endsWith('_total'), line);
      family.samples.set(name + labels, number);
    }
  }
  for (const [name, { type, samples }] of families) if (type === 'histogram') checkHistogram(name, samples);
  return families;
}

/** Buckets never fall, their bounds rise, and the last is `+Inf` with the number of all. */
function checkHistogram(name: string, samples: ReadonlyMap<string, number>): void {
  const series = new Map<string, { bound: number; count: number }[]>();
  for (const [sample, count] of samples) {
    const le = /[{,]le="([^"]*)"/.exec(sample);
    if (!sample.startsWith(`${name}_bucket`)) continue;
    assert.ok(le !== null, `a bucket without a bound: ${sample}`);
    const others = sample
      .slice(`${name}_bucket`.length)
      .replace(/le="[^"]*",?/, '')
      .replace(',}', '}')
      .replace('{}', '');
    const bound = le[1] === '+Inf' ? Number.POSITIVE_INFINITY : Number(le[1]);
    series.set(others, [...(series.get(others) ?? []), { bound, count }]);
  }
  for (const [labels, buckets] of series) {
    for (const [i, { bound, count }] of buckets.entries()) {
      if (i > 0)
        assert.ok(bound > buckets[i - 1]!.bound && count >= buckets[i - 1]!.count, `${name}${labels} ${bound}`);
    }
    assert.equal(buckets.at(-1)?.bound, Number.POSITIVE_INFINITY, `${name}${labels}`);
    assert.equal(buckets.at(-1)?.count, samples.get(`${name}_count${labels}`), `${name}${labels}`);
    assert.ok(samples.has(`${name}_sum${labels}`), `${name}${labels}`);
  }
}
