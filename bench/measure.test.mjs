import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { verify } from './http.mjs';
import { atRate, fireCount, fireSlices } from './load.mjs';
import { ratio, summarize, sample as takeSample } from './measure.mjs';
import { cpuBetween, cpuReading, expectFree } from './process-tree.mjs';
import { comparison } from './scenarios.mjs';

const sample = (engine, scenario, round, rps, cpu = 1e6 / rps) => ({ engine, scenario, round, rps, cpu });

test('three repetitions of 100, 200 and 300 requests a second have the median 200 and a spread of 100 %', () => {
  const [row] = summarize([100, 200, 300].map((rps, round) => sample('a', 's', round, rps)));
  assert.equal(row.rps, 200);
  assert.equal(row.spread, 100);
  assert.equal(row.rounds, 3);
});

test('engines with different numbers of repetitions are refused', () => {
  const three = [1, 2, 3].map((rps, round) => sample('a', 's', round, rps));
  const two = [1, 2].map((rps, round) => sample('b', 's', round, rps));
  assert.throws(() => summarize([...three, ...two]), /b, s: 2 of 3 rounds/);
});

test('a median is refused where a repetition lacks a point', () => {
  const samples = [sample('a', 's', 0, 1), sample('a', 't', 0, 1), sample('b', 's', 0, 1)];
  assert.throws(() => summarize(samples), /b, t: 0 of 1 rounds/);
  assert.throws(() => summarize([sample('a', 's', 0, 1), sample('a', 's', 0, 1)]), /2 of 1 rounds/);
});

test('a ratio is formed inside each round, then the median is taken', () => {
  const samples = [
    ...[10, 20, 90].map((cpu, round) => sample('a', 's', round, 1, cpu)),
    ...[10, 10, 30].map((cpu, round) => sample('b', 's', round, 1, cpu)),
  ];
  // the ratio of the medians would be 2, too; that of the means 2.4
  assert.equal(ratio(samples, { engine: 'a', scenario: 's' }, { engine: 'b', scenario: 's' }, 'cpu'), 2);
  assert.equal(ratio(samples, { engine: 'a', scenario: 's' }, { engine: 'c', scenario: 's' }, 'cpu'), undefined);
});

test('a percentile that was not measured stays away', () => {
  const [row] = summarize([sample('a', 's', 0, 1)]);
  assert.equal('p99' in row, false);
});

/** An HTTP server whose answers are `answer(request)`. */
async function serving(answer, use) {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end(answer(request)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(server.address().port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const named = (wanted) => comparison.find(({ name }) => name === wanted);

test('a 200 with an empty body is no answer of simple_health, a text is none of no_match', async () => {
  await serving(
    () => '',
    async (port) => {
      await assert.rejects(verify('fake', port, named('simple_health')), /fake, simple_health: wanted OK, got 200 $/);
      await verify('fake', port, named('no_match'));
    },
  );
  await serving(
    () => 'no such stub',
    async (port) => {
      await assert.rejects(
        verify('fake', port, named('no_match')),
        /no_match: wanted an empty body, got 200 no such stub/,
      );
    },
  );
});

/** Takes any imposter, answers every request with 200 and `text`. */
const fakeEngine = (text) => `#!${process.execPath}
const { createServer } = require('node:http');
const listen = (port, answer) => createServer((q, s) => {
  let body = '';
  q.on('data', (c) => { body += c; }).once('end', () => answer(q, s, body));
}).listen(port, '127.0.0.1');
listen(Number(process.argv[process.argv.indexOf('--port') + 1]), (q, s, body) => {
  if (q.method !== 'POST') return s.end('{"imposters":[]}');
  listen(JSON.parse(body).port, (_q, answer) => answer.end(${JSON.stringify(text)})).once('listening', () => {
    s.statusCode = 201;
    s.end('{}');
  });
});
`;

for (const [text, scenario] of [
  ['', 'simple_health'],
  ['OK "total": 2 "name": "resource5_5" "name": "resource10_10"', 'no_match'],
]) {
  test(`a run with an engine that answers everything with '${text.slice(0, 2)}' ends at ${scenario}, without a number`, (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'rift-bench-test-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const binary = join(directory, 'engine.cjs');
    writeFileSync(binary, fakeEngine(text));
    chmodSync(binary, 0o755);
    const argv = ['run.mjs', 'scenarios', '--engines', 'rift', '--rift-bin', binary, '--scenarios', scenario];
    const { status, stderr, stdout } = spawnSync(process.execPath, [...argv, '--out', join(directory, 'results')], {
      encoding: 'utf8',
      cwd: fileURLToPath(new URL('.', import.meta.url)),
    });
    assert.notEqual(status, 0);
    assert.match(stderr, new RegExp(`rift, ${scenario}: wanted`));
    assert.equal(stdout, '');
    assert.equal(existsSync(join(directory, 'results')) ? readdirSync(join(directory, 'results')).length : 0, 0);
  });
}

test('a generator sends exactly as many requests as asked for, on as many connections', async () => {
  let seen = 0;
  const point = await serving(
    () => {
      seen++;
      return 'OK';
    },
    (port) => fireCount(port, named('simple_health').request, 1000, { connections: 10 }),
  );
  assert.equal(seen, 1000);
  assert.equal(point.requests, 1000);
  assert.ok(point.p50 <= point.p99);
});

test('a generator with a fixed rate sends what is due, and says what it asked for', async () => {
  let seen = 0;
  const point = await serving(
    () => {
      seen++;
      return 'OK';
    },
    (port) => atRate(200)(port, named('simple_health').request, { seconds: 1, connections: 5 }),
  );
  // one second that is not counted, and one that is
  assert.equal(seen, 400);
  assert.equal(point.issued, 400);
  assert.equal(point.requests, 200);
  assert.equal(point.asked, 200);
});

test('a generator fails where an answer is no 2xx', async () => {
  const server = createServer((_request, response) => {
    response.statusCode = 503;
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await assert.rejects(fireCount(port, named('simple_health').request, 10, { connections: 1 }), /10 failed of 10/);
  server.closeAllConnections();
  server.close();
});

test('slices go to every side in every turn', async () => {
  const seen = { '/health': 0, '/nonexistent': 0 };
  const made = await serving(
    ({ url }) => {
      seen[url]++;
      return 'OK';
    },
    (port) => {
      const sides = ['simple_health', 'no_match'].map((name) => ({ pid: process.pid, port, ...named(name) }));
      return fireSlices(sides, { connections: 2, turns: 3, milliseconds: 5, warmup: 1 });
    },
  );
  assert.deepEqual(
    made.map((sides) => sides.length),
    [2, 2, 2],
  );
  for (const { cpu, rps } of made.flat()) assert.ok(cpu >= 0 && rps > 0);
  assert.ok(seen['/health'] >= 4 && seen['/nonexistent'] >= 4);
});

test('CPU time between two readings is counted for threads that are there in both, new threads and ended ones', () => {
  const reading = (threads, ticks) => new Map([[1, { threads: new Map(threads), ticks, reaped: 0 }]]);
  const nanoseconds = cpuBetween(
    reading([['1', 1e9]], 100),
    reading(
      [
        ['1', 1.5e9],
        ['2', 2.5e8],
      ],
      175,
    ),
  );
  assert.equal(nanoseconds, 0.75);
  // a thread has ended: what it used is in the ticks alone
  assert.equal(
    cpuBetween(
      reading(
        [
          ['1', 1e9],
          ['2', 1e9],
        ],
        200,
      ),
      reading([['1', 1e9]], 250),
    ),
    0.5,
  );
  const own = cpuReading(process.pid).get(process.pid);
  assert.ok(own.threads.size > 0);
});

test('a port that is still served after the end of an engine is an error', async () => {
  await serving(
    () => '',
    (port) => assert.rejects(expectFree(port, 'fake'), new RegExp(`fake has ended.*${port}`)),
  );
});

test('an engine that answers nothing within a window gets a longer one, and the sample says so', async () => {
  const windows = [];
  const point = await serving(
    () => 'OK',
    (port) =>
      takeSample({ engine: 'slow', pid: process.pid }, port, named('simple_health'), {
        seconds: 1,
        connections: 1,
        cpus: { server: '0', load: '0' },
        fireAt: async (_port, _request, { seconds, mayStall }) => {
          windows.push(seconds);
          assert.equal(mayStall, true);
          return { requests: windows.length > 2 ? 5 : 0, seconds, rps: 1 };
        },
      }),
  );
  assert.deepEqual(windows, [1, 2, 4]);
  assert.equal(point.window, 4);
});
