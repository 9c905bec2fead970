// `_rift.script` over HTTP: answers, decisions, state, errors and limits, in both languages.
import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { type TestContext, test } from 'node:test';
import { RiftErrors } from '../../errors.js';
import type { Imposters, ImpostersOptions } from '../../imposters.js';
import { Meters } from '../../metering/meters.js';
import { imposters as newImposters } from '../../responding/proxy/proxy.test-help.js';

interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | Buffer;
}

function send(port: number, path = '/', { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ port, host: '127.0.0.1', path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function imposters(t: TestContext, { profile = 'rift', ...options }: Partial<ImpostersOptions> = {}): Imposters {
  return newImposters(t, profile, options);
}

/** An imposter whose only response has this script. */
async function scripted(
  t: TestContext,
  script: { engine?: string; code: string },
  {
    beside = {},
    rift = {},
    stub = {},
    options = {},
  }: { beside?: object; rift?: object; stub?: object; options?: Partial<ImpostersOptions> } = {},
): Promise<number> {
  const responses = [{ ...beside, _rift: { script } }];
  const json = { protocol: 'http', _rift: rift, stubs: [{ ...stub, responses }] };
  return (await imposters(t, options).createFrom(json)).port;
}

const rhai = (code: string) => ({ engine: 'rhai', code });
const javascript = (code: string) => ({ engine: 'javascript', code });

test('a counter in Rhai', async (t) => {
  const port = await scripted(
    t,
    rhai('fn respond(ctx) { let n = ctx.state.incr("hits"); http(202, #{ n: n, who: ctx.request.header("X-Who") }) }'),
  );
  for (const n of [1, 2]) {
    const { status, headers, body } = await send(port, '/', { headers: { 'X-Who': 'ann' } });
    assert.deepEqual([status, body], [202, `{"n":${n},"who":"ann"}`]);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['x-rift-script'], 'rhai');
  }
});

test('a bare script in JavaScript', async (t) => {
  const port = await scripted(t, javascript('http(418, "tea").header("X-A","1")'));
  const { status, headers, body } = await send(port);
  assert.deepEqual([status, body, headers['x-a']], [418, 'tea', '1']);
  assert.equal(headers['content-type'], undefined);
  assert.equal(headers['x-rift-script'], 'javascript');
});

const requestCode = {
  rhai: `let r = ctx.request; http(200, [r.method, r.path, r.query, r.headers["x-a"], r.header("X-A"), r.header("x-no"), r.body, r.json, r.isBinary, r.pathParams, ctx.flowId, ctx.stub.id, ctx.stub.scenarioName, ctx.stub.scenarioState])`,
  javascript: `const r = ctx.request; http(200, [r.method, r.path, r.query, r.headers["x-a"], r.header("X-A"), r.header("x-no"), r.body, r.json, r.isBinary, r.pathParams, ctx.flowId, ctx.stub.id, ctx.stub.scenarioName, ctx.stub.scenarioState])`,
};

for (const [engine, code] of Object.entries(requestCode)) {
  test(`${engine}: what ctx says of the request and the stub`, async (t) => {
    const stub = { id: 's1', scenarioName: 'sc', newScenarioState: 'next', routePattern: '/:name' };
    const port = await scripted(t, { engine, code }, { stub });
    const { body } = await send(port, '/p%20q?a=1&a=2&b=x', {
      method: 'POST',
      headers: { 'X-A': 'y' },
      body: '{"k":[1,2.5]}',
    });
    assert.deepEqual(JSON.parse(body), [
      'POST',
      '/p%20q',
      { a: '1,2', b: 'x' },
      'y',
      'y',
      null,
      '{"k":[1,2.5]}',
      { k: [1, 2.5] },
      false,
      { name: 'p%20q' },
      String(port),
      's1',
      'sc',
      'next',
    ]);
  });

  test(`${engine}: a body that is no text`, async (t) => {
    const code = 'http(200, [ctx.request.body, ctx.request.isBinary, ctx.request.json])';
    for (const profile of ['rift', 'mountebank'] as const) {
      const port = await scripted(t, { engine, code }, { options: { profile } });
      const { body } = await send(port, '/', { method: 'POST', body: Buffer.from([0xff, 0x00, 0xfe]) });
      assert.deepEqual(JSON.parse(body), ['/wD+', true, null]);
    }
  });
}

/** Expression in Rhai, in JavaScript, and the JSON that both give. Run one after the other on one flow. */
const stateSteps: readonly (readonly [string, string, string])[] = [
  ['ctx.state.get("a")', 'ctx.state.get("a")', 'null'],
  ['ctx.state.get_or("a", 7)', 'ctx.state.getOr("a", 7)', '7'],
  ['ctx.state.exists("a")', 'ctx.state.exists("a")', 'false'],
  ['ctx.state.set("a", 5)', 'ctx.state.set("a", 5)', 'true'],
  ['ctx.state.get("a")', 'ctx.state.get("a")', '5'],
  ['ctx.state.exists("a")', 'ctx.state.exists("a")', 'true'],
  ['ctx.state.incr("a")', 'ctx.state.incr("a")', '6'],
  ['ctx.state.incr_by("a", -10)', 'ctx.state.incrBy("a", -10)', '-4'],
  ['ctx.state.set("t", "text")', 'ctx.state.set("t", "text")', 'true'],
  ['ctx.state.incr("t")', 'ctx.state.incr("t")', '1'],
  ['ctx.state.delete("a")', 'ctx.state.delete("a")', 'true'],
  ['ctx.state.delete("a")', 'ctx.state.delete("a")', 'true'],
  ['ctx.state.cas("k", (), "a")', 'ctx.state.cas("k", null, "a")', '{"applied":true,"current":null}'],
  ['ctx.state.cas("k", (), "a")', 'ctx.state.cas("k", undefined, "a")', '{"applied":false,"current":"a"}'],
  ['ctx.state.cas("k", "x", "b")', 'ctx.state.cas("k", "x", "b")', '{"applied":false,"current":"a"}'],
  [
    'ctx.state.cas("k", "a", #{ z: 1, y: 2 })',
    'ctx.state.cas("k", "a", { z: 1, y: 2 })',
    '{"applied":true,"current":null}',
  ],
  [
    'ctx.state.cas("k", #{ y: 2, z: 1 }, 1)',
    'ctx.state.cas("k", { y: 2, z: 1 }, 1)',
    '{"applied":true,"current":null}',
  ],
  ['ctx.state.cas("gone", "x", 1)', 'ctx.state.cas("gone", "x", 1)', '{"applied":false,"current":null}'],
  ['ctx.state.ttl("k", 100)', 'ctx.state.ttl("k", 100)', 'true'],
  ['ctx.state.ttl("none", 100)', 'ctx.state.ttl("none", 100)', 'false'],
  ['ctx.state.ttl("k", 0)', 'ctx.state.ttl("k", 0)', 'true'],
  ['ctx.state.get("k")', 'ctx.state.get("k")', 'null'],
  ['ctx.store.flow("other").set("o", [1])', 'ctx.store.flow("other").set("o", [1])', 'true'],
  ['ctx.state.get("o")', 'ctx.state.get("o")', 'null'],
  ['ctx.store.flow("other").get("o")', 'ctx.store.flow("other").get("o")', '[1]'],
  ['ctx.state.ttl(50)', 'ctx.state.ttl(50)', 'true'],
  ['ctx.state.get("t")', 'ctx.state.get("t")', '1'],
  ['ctx.state.ttl(0)', 'ctx.state.ttl(0)', 'true'],
  ['ctx.state.get("t")', 'ctx.state.get("t")', 'null'],
  ['ctx.state.set("t", ())', 'ctx.state.set("t", null)', 'true'],
  ['ctx.state.exists("t")', 'ctx.state.exists("t")', 'true'],
  ['ctx.state.clear()', 'ctx.state.clear()', 'true'],
  ['ctx.state.exists("t")', 'ctx.state.exists("t")', 'false'],
];

for (const [column, engine] of (['rhai', 'javascript'] as const).entries()) {
  test(`${engine}: operations of ctx.state`, async (t) => {
    const stubs = stateSteps.map((step, index) => ({
      predicates: [{ equals: { path: `/${index}` } }],
      responses: [{ _rift: { script: { engine, code: `http(200, [${step[column]}])` } } }],
    }));
    const { port } = await imposters(t).createFrom({ protocol: 'http', stubs });
    for (const [index, step] of stateSteps.entries()) {
      assert.equal((await send(port, `/${index}`)).body, `[${step[2]}]`, `step ${index}: ${step[column]}`);
    }
  });
}

for (const [name, script] of Object.entries({
  rhai: rhai('http(200, #{ n: ctx.state.incr("n") })'),
  javascript: javascript('http(200, { n: ctx.state.incr("n") })'),
})) {
  test(`${name}: concurrent counting loses nothing, flows are apart`, async (t) => {
    const port = await scripted(t, script, { rift: { flowState: { flowIdSource: 'header:X-T' } } });
    const one = async (flow: string) =>
      JSON.parse((await send(port, '/', { headers: { 'X-T': flow } })).body).n as number;
    const counts = await Promise.all([...Array(40).keys()].map((index) => one(index % 2 === 0 ? 'a' : 'b')));
    const sorted = [...Array(20).keys()].flatMap((index) => [index + 1, index + 1]);
    assert.deepEqual(
      counts.sort((a, b) => a - b),
      sorted,
    );
  });
}

test('pass() goes on to what stands beside the script', async (t) => {
  const beside = { is: { statusCode: 201, body: 'real' } };
  for (const script of [rhai('pass()'), rhai(''), javascript('pass()'), javascript('undefined')]) {
    const port = await scripted(t, script, { beside });
    const { status, body, headers } = await send(port);
    assert.deepEqual([status, body], [201, 'real']);
    assert.equal(headers['x-rift-script'], undefined);
  }
});

test('pass() alone is an empty answer', async (t) => {
  for (const script of [rhai('pass()'), javascript('pass()')]) {
    const { status, body, headers } = await send(await scripted(t, script));
    assert.deepEqual([status, body, headers['x-rift-script']], [200, '', script.engine]);
  }
});

test('delay() alone and beside an answer', async (t) => {
  for (const script of [rhai('delay(60)'), javascript('delay(60)')]) {
    const started = performance.now();
    const alone = await send(await scripted(t, script));
    assert.deepEqual([alone.status, alone.body, alone.headers['x-rift-latency-ms']], [200, '', '60']);
    const beside = await send(await scripted(t, script, { beside: { is: { body: 'k' } } }));
    assert.deepEqual([beside.body, beside.headers['x-rift-latency-ms']], ['k', undefined]);
    assert.ok(performance.now() - started >= 119);
  }
});

test('reset() resets the connection, also beside an answer', async (t) => {
  for (const script of [rhai('reset()'), javascript('reset()')]) {
    for (const beside of [{}, { is: { body: 'k' } }]) {
      const port = await scripted(t, script, { beside });
      await assert.rejects(send(port), { code: 'ECONNRESET' });
    }
  }
});

test('an answer of a script does not get the default response in profile mountebank', async (t) => {
  const all = imposters(t, { profile: 'mountebank' });
  const defaultResponse = { statusCode: 404, headers: { 'X-Default': 'd' }, body: 'default' };
  const stubs = [{ responses: [{ _rift: { script: rhai('http(201)') } }] }];
  const { port } = await all.createFrom({ protocol: 'http', defaultResponse, stubs });
  const { status, body, headers } = await send(port);
  assert.deepEqual([status, body, headers['x-default']], [201, '', undefined]);
});

const rhaiSwitch =
  'switch ctx.request.method { "GET" | "HEAD" => http(200), "PUT" if ctx.request.body == "" => http(400), _ => pass() }';

test('the arms of a switch', async (t) => {
  const port = await scripted(t, rhai(rhaiSwitch), { beside: { is: { statusCode: 299 } } });
  const status = async (method: string, body?: string) => (await send(port, '/', { method, body })).status;
  assert.deepEqual([await status('GET'), await status('HEAD')], [200, 200]);
  assert.deepEqual([await status('PUT'), await status('PUT', 'x'), await status('POST')], [400, 299, 299]);
});

const failures: readonly (readonly [script: { engine: string; code: string }, part: string])[] = [
  [
    rhai('fn respond(ctx) { 1/0 }'),
    'Script error: Failed to call respond(ctx): Division by zero: 1 / 0 (line 1, position 20)',
  ],
  [rhai('if 1 { pass() }'), 'Script error: Script execution error: Data type incorrect: i64 (expecting bool)'],
  [rhai('foo(3)'), 'Function not found: foo (i64)'],
  [rhai('5'), 'respond(ctx) must return http(...)/delay(...)/reset()/pass() or nothing'],
  [rhai('fn respnod(ctx) { http(200) }'), 'did you mean `respond`?'],
  [rhai('fn respond(ctx) { "text" }'), 'respond(ctx) must return'],
  [rhai('ctx.state.set(1, 2)'), 'Function not found: set (state, i64, i64)'],
  [rhai('http("200")'), 'Function not found: http (string)'],
  [rhai('ctx.state.set("big", 9223372036854775807); ctx.state.incr("big")'), 'incr: '],
  [javascript('function respnod(ctx){return http(200)}'), 'did you mean `respond`?'],
  [javascript('5'), 'respond(ctx) must return'],
  [javascript('function respond() { return Promise.resolve(http(200)) }'), 'respond(ctx) must return'],
  [javascript('nothing()'), 'ReferenceError: nothing is not defined'],
  [javascript('throw "text"'), 'Script error: text'],
  [javascript('(function f() { f(); })()'), 'RangeError'],
  [javascript('require("fs")'), 'require is not defined'],
  [javascript('process.exit()'), 'process is not defined'],
  [javascript('setTimeout(() => {}, 1)'), 'setTimeout is not defined'],
  [javascript('ctx.constructor.constructor("return process")()'), 'process is not defined'],
  [javascript('http.constructor("return process")()'), 'process is not defined'],
  [javascript('ctx.state.get(1)'), 'key must be a string'],
  [javascript('ctx.state.incrBy("k", "1")'), 'n must be a number'],
  [javascript('ctx.state.ttl("k", "1")'), 'ttl(key, seconds): seconds must be a number'],
  [
    javascript('ctx.state.ttl({})'),
    'expected ttl(seconds) or ttl(key, seconds): a number, or a string key and a number',
  ],
  [javascript('http(200).header(1, "a")'), 'header(name, value): name must be a string'],
  [javascript('http(200).header("a", 1)'), 'header(name, value): value must be a string'],
];

test('errors of scripts', async (t) => {
  const stubs = failures.map(([script], index) => ({
    predicates: [{ equals: { path: `/${index}` } }],
    responses: [{ is: { body: 'never' }, _rift: { script } }],
  }));
  const { port } = await imposters(t).createFrom({ protocol: 'http', stubs });
  for (const [index, [{ code }, part]] of failures.entries()) {
    const { status, headers, body } = await send(port, `/${index}`);
    assert.deepEqual(
      [status, headers['x-rift-script-error'], headers['content-type']],
      [500, 'true', 'application/json'],
      code,
    );
    const [error] = JSON.parse(body).errors;
    assert.deepEqual([error.code, error.type], ['500', 'script error']);
    assert.match(error.message, /^Script error: /);
    assert.ok(error.message.includes(part), `${code}: ${error.message}`);
  }
});

test('a status that HTTP cannot carry', async (t) => {
  for (const script of [rhai('http(99)'), rhai('http(-5)'), javascript('http(70000)')]) {
    const { status, body } = await send(await scripted(t, script));
    assert.equal(status, 500);
    assert.equal(JSON.parse(body).errors[0].message, 'Response build error');
  }
});

test('constructors in JavaScript forgive', async (t) => {
  const code = `[http(), http("x"), http(200, null), http(200.9, 5), http(200, [1]).header("content-type", "a/b").header("X", "1").header("x", "2"), delay(), pass().header("a", "b")][ctx.request.query.n]`;
  const port = await scripted(t, javascript(code));
  const answers = await Promise.all([...Array(7).keys()].map((n) => send(port, `/?n=${n}`)));
  assert.deepEqual(
    answers.map(({ status, body, headers }) => [status, body, headers['content-type'], headers.x]),
    [
      [200, '', undefined, undefined],
      [200, '', undefined, undefined],
      [200, '', undefined, undefined],
      [200, '5', 'application/json', undefined],
      [200, '[1]', 'a/b', '2'],
      [200, '', undefined, undefined],
      [200, '', undefined, undefined],
    ],
  );
});

const endless = {
  'rhai loop': rhai('loop { }'),
  'rhai function': rhai('fn respond(ctx) { while true { ctx.state.incr("n"); } }'),
  'rhai catch': rhai('loop { try { throw 1 } catch { } }'),
  'javascript loop': javascript('while(true){}'),
  'javascript function': javascript('function respond() { for (;;) ctx.state.incr("n"); }'),
  'javascript promise': javascript('(function again() { Promise.resolve().then(again); })(); http(200)'),
  'javascript getter': javascript('throw { get message() { for (;;); } }'),
};

for (const [name, script] of Object.entries(endless)) {
  test(`a script without an end is ended: ${name}`, async (t) => {
    const all = imposters(t);
    const slow = {
      protocol: 'http',
      _rift: { scriptEngine: { timeoutMs: 150 } },
      stubs: [{ responses: [{ _rift: { script } }] }],
    };
    const { port } = await all.createFrom(slow);
    const plain = await all.createFrom({ protocol: 'http', stubs: [{ responses: [{ is: { body: 'k' } }] }] });
    const scriptedToo = await all.createFrom({
      protocol: 'http',
      stubs: [{ responses: [{ _rift: { script: javascript('http(200, "s")') } }] }],
    });
    const hanging = [1, 2, 3].map(() => send(port));
    assert.equal((await send(plain.port)).body, 'k');
    assert.equal((await send(scriptedToo.port)).body, 's');
    for (const { status, headers, body } of await Promise.all(hanging)) {
      assert.deepEqual(
        [status, headers['x-rift-script-error'], headers['x-rift-script-timeout']],
        [504, 'true', 'true'],
      );
      const message = 'Script timeout: _rift.script timed out after 150ms';
      assert.deepEqual(JSON.parse(body).errors, [{ code: '504', type: 'script timeout', message }]);
    }
  });
}

test('a long Rhai script counts once, though it goes on in a thread', async (t) => {
  const code =
    'let n = ctx.state.incr("n"); let s = 0; for i in 0..30000 { s += i; } http(200, [n, ctx.state.incr("n"), s])';
  const port = await scripted(t, rhai(code));
  assert.equal((await send(port)).body, '[1,2,449985000]');
  assert.equal((await send(port)).body, '[3,4,449985000]');
});

test('what does not parse is refused', async (t) => {
  const all = imposters(t);
  const refused = async (script: object, stub: object = {}) => {
    const json = { protocol: 'http', stubs: [{ ...stub, responses: [{ _rift: { script } }] }] };
    try {
      await all.createFrom(json);
      return 'accepted';
    } catch (error) {
      assert.ok(error instanceof RiftErrors);
      return error.errors[0]!.message;
    }
  };
  const start = "Script validation failed: Invalid rhai script in stub 'stub[0]' response 0: Syntax error:";
  assert.equal(
    await refused(rhai('let = 3')),
    `${start} Expecting the name of a variable, not '=' (line 1, position 5)`,
  );
  assert.match(await refused(rhai("let x = 'ab';")), /Syntax error/);
  assert.match(await refused(rhai('import "m" as m;')), /not supported by this Rhai subset/);
  assert.match(await refused({ code: 'let = 3' }), /Invalid rhai script/);
  assert.match(
    await refused(javascript('function ('), { id: 'x' }),
    /^Script validation failed: Invalid javascript script in stub 'x' response 0: Evaluation error: /,
  );
  assert.match(await refused(javascript('return 5')), /Evaluation error: SyntaxError/);
  assert.match(await refused({ engine: 'lua', code: 'x' }), /Lua scripting engine was removed/);
  assert.match(await refused({ ref: 'nope' }), /^Script resolution failed: unknown script ref 'nope': /);
  assert.match(await refused({ code: 'pass()', file: 'a.rhai' }), /\(found 2\)/);
});

test('named scripts are resolved, the default engine counts', async (t) => {
  const all = imposters(t);
  const json = {
    protocol: 'http',
    _rift: { scriptEngine: { defaultEngine: 'javascript' }, scripts: { one: { code: 'http(200, `a${1}`)' } } },
    stubs: [{ responses: [{ _rift: { script: { ref: 'one' } } }] }],
  };
  const imposter = await all.createFrom(json);
  const { body, headers } = await send(imposter.port);
  assert.deepEqual([body, headers['x-rift-script']], ['a1', 'javascript']);
});

test('debug mode: what a script decided', async (t) => {
  const code = 'ctx.logger.info("é"); print(1); http(201, "b").header("X", "1")';
  const port = await scripted(t, rhai(code), { options: { debug: true } });
  const trace = (await send(port)).headers['x-rift-script-trace'] as string;
  assert.match(trace, /^[\x20-\x7e]+$/);
  const [{ durationMs, ...rest }] = JSON.parse(trace);
  assert.equal(typeof durationMs, 'number');
  assert.deepEqual(rest, { hook: 'respond', decision: 'http(201) { "X": "1" } body="b"', logs: ['é', '1'] });
  assert.equal((await send(await scripted(t, rhai('pass()')))).headers['x-rift-script-trace'], undefined);
});

test('the time as a header has it', async (t) => {
  const port = await scripted(t, rhai('http(200, timestamp_header())'));
  assert.match((await send(port)).body, /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/);
});

test('what scripts did is counted by rule', async (t) => {
  const meters = new Meters();
  const all = imposters(t, { meters });
  const codes = ['http(200)', 'pass()', 'delay(1)', 'reset()', 'nothing'];
  const stubs = codes.map((code, index) => ({
    id: `s${index}`,
    predicates: [{ equals: { path: `/${index}` } }],
    responses: [{ _rift: { script: rhai(code) } }],
  }));
  const { port } = await all.createFrom({ protocol: 'http', stubs });
  for (const index of codes.keys()) await send(port, `/${index}`).catch(() => {});
  const { duration, errors } = meters.scripts;
  const results = [...duration].map(([labels, { count }]) => [...labels, count].join(' '));
  assert.deepEqual(results, ['s0 inject 1', 's1 pass 1', 's2 inject 1', 's3 inject 1', 's4 error 1']);
  assert.deepEqual([...errors], [[['s4', 'error'], 1]]);
  const faults = [...meters.faults.injected].map(([labels]) => labels.join(' '));
  assert.deepEqual(faults, ['latency s2 script', 'tcp s3 script']);
});
