// Whether the project's aims hold, from the samples of a run and nothing else: each aim is a bound on one measured number.
import { ratio } from './measure.mjs';
import { comparison, dimensions } from './scenarios.mjs';
import { PAIRS } from './suites/flatness.mjs';
import { MANY, ONE } from './suites/latency.mjs';
import { stubsScenario } from './suites/million.mjs';
import { threadsScenario } from './suites/percore.mjs';

/** CPU a request as a multiple of nginx's, at most; a row that is not named is one of a plain stub. */
const PLAIN = { node24: 1.4, bun: 1.2 };
const TOKENS = { node24: 1.7, bun: 1.5 };
const JSON_BODY = { node24: 1.9, bun: 1.7 };
const NGINX = {
  complex_predicate: TOKENS,
  template: TOKENS,
  json_body_equals: JSON_BODY,
  jsonpath: JSON_BODY,
  deepequals_body: JSON_BODY,
  body_field_scale: JSON_BODY,
  xpath: { node24: 3, bun: 3 },
};

/** Requests a CPU-second as a multiple of a peer's, at least. */
const PEERS = {
  wiremock: { other: 4 },
  mountebank: { other: 10, api_last: 100, no_match: 100, regex_last: 1000 },
};

const FLAT = { api_last: 0.97, no_match: 0.97, regex_last: 0.95 };
const LATENCY = 1.5;
/** "Equal" within what medians of the same thing differ by. */
const SAME_LATENCY = 1.1;
const SHAPES = 0.85;
const MILLION = { n: 1_000_000, flat: 0.85, seconds: 60, mib: 2048 };
const RECORDING = 1.25;
const THREADS = 1.7;

const most = (group, what, limit, measured) => line(group, what, '<=', limit, measured, measured <= limit);
const least = (group, what, limit, measured) => line(group, what, '>=', limit, measured, measured >= limit);

function line(group, what, relation, limit, measured, ok) {
  const known = typeof measured === 'number' && !Number.isNaN(measured);
  return { group, what, wanted: `${relation} ${limit}`, measured: known ? measured : undefined, ok: known && ok };
}

/**
 * @param {Record<string, {samples?: object[], rows?: object[]}>} parts results of suites by name; an aim whose part is not there
 *   does not hold
 * @returns {{group: string, what: string, wanted: string, measured: number | undefined, ok: boolean}[]}
 */
export function judge(parts) {
  const samplesOf = (part) => parts[part]?.samples ?? [];
  const ours = ['node24', 'bun'];
  const rows = [...comparison, ...dimensions].map(({ name }) => name);
  const table = samplesOf('scenarios');
  const cpu = (engine, scenario) => ({ engine, scenario });
  const lines = [];

  for (const engine of ours) {
    for (const row of rows) {
      const limit = (NGINX[row] ?? PLAIN)[engine];
      const measured = ratio(table, cpu(engine, row), cpu('nginx', row), 'cpu');
      lines.push(most(`${engine}: CPU a request, nginx = 1`, row, limit, measured));
    }
  }
  for (const [peer, limits] of Object.entries(PEERS)) {
    for (const engine of ours) {
      for (const row of rows) {
        const measured = ratio(table, cpu(peer, row), cpu(engine, row), 'cpu');
        lines.push(least(`${engine}: requests a CPU-second, ${peer} = 1`, row, limits[row] ?? limits.other, measured));
      }
    }
  }
  for (const engine of ours) {
    for (const [last, first] of PAIRS) {
      const measured = ratio(samplesOf('flatness'), cpu(engine, first), cpu(engine, last), 'cpu');
      lines.push(least('flat: requests a CPU-second left', `${engine}, ${last} ÷ ${first}`, FLAT[last], measured));
    }
  }
  const shapes = parts.shapes?.rows ?? [{ shape: 'all' }];
  for (const { shape, flat } of shapes) lines.push(least('flat: 1,000 stubs of a shape ÷ 1', shape, SHAPES, flat));
  lines.push(...million(parts.million, ours));
  for (const engine of ours) {
    const p99 = samplesOf('latency');
    const [one, many] = [cpu(engine, ONE), cpu(engine, MANY)];
    const group = 'p99 at 256 connections';
    lines.push(most(group, `${engine} ÷ nginx`, LATENCY, ratio(p99, one, cpu('nginx', ONE), 'p99')));
    lines.push(most(group, `${engine}, 310 stubs ÷ 1 stub`, SAME_LATENCY, ratio(p99, many, one, 'p99')));
  }
  for (const engine of ours) {
    const [on, off] = [cpu(engine, 'recording_on'), cpu(engine, 'api_middle')];
    lines.push(
      most('recording: CPU a request, on ÷ off', engine, RECORDING, ratio(samplesOf('recording'), on, off, 'cpu')),
    );
  }
  for (const engine of ours) {
    const [one, two] = [1, 2].map((threads) => cpu(engine, threadsScenario(threads)));
    lines.push(
      least('two data threads ÷ one: requests/s', engine, THREADS, ratio(samplesOf('percore'), two, one, 'rps')),
    );
  }
  return lines;
}

/** A million exact paths: flat, loaded in time, within memory. A run with fewer shows nothing of it. */
function million(part, ours) {
  const { n, flat, seconds, mib } = MILLION;
  return ours.flatMap((engine) => {
    const load = part?.loads?.find((one) => one.engine === engine && one.n === n);
    const sides = [1, n].map((count) => ({ engine, scenario: stubsScenario(count) }));
    return [
      least(
        'a million stubs',
        `${engine}: requests a CPU-second, ÷ 1 stub`,
        flat,
        load && ratio(part.samples, ...sides, 'cpu'),
      ),
      most('a million stubs', `${engine}: seconds to load`, seconds, load?.loadSeconds),
      most('a million stubs', `${engine}: highest resident set, MiB`, mib, load?.loadedPeak),
    ];
  });
}

/** How many aims of each group hold, and the number that is furthest from (or nearest to) its bound. */
export function summary(lines) {
  const groups = new Map();
  for (const one of lines) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  return [...groups].map(([group, members]) => {
    const distance = ({ wanted, measured }) => {
      const [relation, limit] = wanted.split(' ');
      return relation === '<=' ? measured / Number(limit) : Number(limit) / measured;
    };
    const known = members.filter(({ measured }) => measured !== undefined);
    const worst = (known.length > 0 ? known : members).reduce((one, other) =>
      distance(other) > distance(one) ? other : one,
    );
    const unmeasured = members.filter(({ measured }) => measured === undefined).length;
    return { group, ok: members.filter(({ ok }) => ok).length, all: members.length, unmeasured, worst };
  });
}
