import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RiftError } from '../errors.js';
import { silentLogger } from '../logger.js';
import type { Profile } from '../model/types.js';
import { ScriptTimeout } from './script-errors.js';
import { createScriptHost } from './script-host.js';
import type { ScriptHost } from './types.js';

const request = { requestFrom: '1.2.3.4:5', method: 'GET', path: '/p', query: { k: '1' }, headers: {}, body: '' };

const count = 'c => { c.state.n = (c.state.n || 0) + 1; return { body: c.state.n }; }';
const loop = 'c => { while (true); }';

async function withHost(
  options: { profile?: Profile; timeoutMs?: number; timeoutGiven?: boolean; idleMs?: number },
  use: (host: ScriptHost, logged: string[]) => Promise<void>,
): Promise<void> {
  const logged: string[] = [];
  const line = (message: string, ...args: unknown[]) => {
    let next = 0;
    logged.push(message.replace(/%[sd]/g, () => String(args[next++])));
  };
  const host = createScriptHost({
    profile: options.profile ?? 'mountebank',
    timeoutMs: options.timeoutMs ?? 20_000,
    timeoutGiven: options.timeoutGiven ?? false,
    logger: { ...silentLogger, debug: line, info: line, warn: line, error: line, enabled: () => true },
    workingDirectory: process.cwd(),
    ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
  });
  try {
    await use(host, logged);
  } finally {
    await host.close();
  }
}

/** The error a call is rejected with, as an error object. */
async function errorOf(call: Promise<unknown>): Promise<RiftError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof RiftError, String(error));
    return error;
  }
  throw new Error('the call was answered');
}

const isBun = process.versions.bun !== undefined;

const injectionError = (
  message: string,
  source: string,
  data?: string,
): { code: string; message: string; source: string; data?: string } => ({
  code: 'invalid injection',
  message,
  source,
  ...(data === undefined ? {} : { data }),
});
const responseSource = (text: string) => `(${text})(config, injectState, logger, done, imposterState);`;

const failures: [name: string, text: string, data?: string][] = [
  ['an exception', "c => { throw new Error('boom'); }", 'boom'],
  ['a text that does not parse', 'c => {', "Unexpected token ')'"],
  ['a text that is no function', '42', '42 is not a function'],
  ['an object that is no function', '({a:1})', '{(intermediate value)} is not a function'],
  ['a comment that swallows the call', "c => ({ body: 'x' }) // comment", 'Unexpected end of input'],
  ['an assignment to an undeclared name', 'c => { undeclared = 5; }', 'undeclared is not defined'],
  ['a thrown text', "c => { throw 'text'; }"],
  ['a thrown object with a message', "c => { throw { message: 'm' }; }", 'm'],
  ['a thrown null', 'c => { throw null; }'],
  ['a class', 'class A {}', "Class constructor A cannot be invoked without 'new'"],
  ['a rejected promise', "async c => { throw new Error('rejected'); }", 'rejected'],
  ['null as a response', 'c => null', 'the function gave null instead of a response'],
  ['a callback without a response', 'c => { c.callback(); }', 'the function gave undefined instead of a response'],
];
for (const [name, text, data] of failures) {
  test(`a response function fails with ${name}`, () =>
    withHost({}, async (host) => {
      const error = await errorOf(host.response(text, request));
      const expected = injectionError('invalid response injection', responseSource(text), data);
      // Other engines than V8 word their own exceptions differently
      if (isBun && data !== undefined) expected.data = String(error.extras.data);
      assert.deepEqual(error.toJSON(), expected);
      assert.deepEqual(error.answer, { markers: ['inject-error'] });
    }));
}

test('each hook has its own message and source', () =>
  withHost({}, async (host) => {
    const text = "() => { throw new Error('boom'); }";
    const errors = [
      await errorOf(host.predicate(text, request)),
      await errorOf(host.decorate(text, request, {})),
      await errorOf(host.wait(text)),
      await errorOf(host.generator(text, request)),
    ];
    assert.deepEqual(
      errors.map((error) => error.toJSON()),
      [
        injectionError('invalid predicate injection', `(${text})(config, logger, imposterState);`, 'boom'),
        injectionError('invalid decorator injection', `(${text})(config, response, logger);`, 'boom'),
        injectionError('invalid wait injection', text, 'boom'),
        injectionError('invalid predicateGenerator injection', `(${text})(config);`, 'boom'),
      ],
    );
  }));

test('profile rift answers a failing response or predicate function with 400 and its reason', () =>
  withHost({ profile: 'rift' }, async (host) => {
    const text = "c => { throw new Error('boom'); }";
    const response = await errorOf(host.response(text, request));
    assert.deepEqual(response.toJSON(), { code: 'invalid injection', message: 'boom' });
    assert.deepEqual(response.answer, { status: 400, markers: ['inject-error'] });
    const predicate = await errorOf(host.predicate(text, request));
    assert.deepEqual(predicate.toJSON(), {
      code: 'invalid predicate injection',
      message: 'invalid predicate injection: boom',
    });
    assert.equal(predicate.answer.status, 400);
  }));

test('a failure is logged with its full source, the request and the state', () =>
  withHost({}, async (host, logged) => {
    const text = "c => { c.state.a = 1; throw new Error('boom'); }";
    await errorOf(host.response(text, request));
    assert.deepEqual(logged, [
      'injection X=> Error: boom',
      `    full source: ${JSON.stringify(responseSource(text))}`,
      `    config.request: ${JSON.stringify(request)}`,
      '    config.state: {"a":1}',
    ]);
  }));

test('lines that functions log arrive formatted', () =>
  withHost({}, async (host, logged) => {
    await host.predicate(
      "(r, logger) => { logger.info('hello %s %d', 'w', 5, { a: 1 }); logger.warn('100%'); }",
      request,
    );
    assert.deepEqual(logged, ['hello w 5 { a: 1 }', '100%']);
  }));

test('predicates take the config, the logger and the state, and what they give counts by its truth', () =>
  withHost({}, async (host) => {
    assert.equal(await host.predicate("c => c.request.query.k === '1'", request), true);
    assert.equal(await host.predicate("(req, logger, state) => req.path === '/other'", request), false);
    assert.equal(await host.predicate("c => 'text'", request), true);
    assert.equal(await host.predicate('async c => false', request), false);
    assert.equal(await host.predicate('c => { c.state.seen = c.request.path; return 1; }', request), true);
    assert.deepEqual(await host.response('c => ({ body: c.state.seen })', request), { body: '/p' });
  }));

test('a request without method and data gets the new form only', () =>
  withHost({}, async (host) => {
    assert.deepEqual(await host.response('c => ({ body: Object.keys(c).join() })', { from: 'a@b', subject: 's' }), {
      body: 'request,state,logger,callback',
    });
  }));

test('wait functions give milliseconds, anything else is none', () =>
  withHost({}, async (host) => {
    for (const [text, ms] of [
      ['() => 5.5', 5.5],
      ["() => '3'", 3],
      ['async () => 7', 7],
      ['() => {}', 0],
      ['() => null', 0],
      ['() => ({})', 0],
      ['() => -1', 0],
      ['() => NaN', 0],
      ['() => Infinity', 0],
    ] as const) {
      assert.equal(await host.wait(text), ms, text);
    }
  }));

test('generators give predicates, anything but an array is an error', () =>
  withHost({}, async (host) => {
    assert.deepEqual(await host.generator('c => [{ equals: { path: c.request.path } }]', request), [
      { equals: { path: '/p' } },
    ]);
    const error = await errorOf(host.generator('c => 5', request));
    assert.equal(error.message, 'invalid predicateGenerator injection');
  }));

test('the end of a tcp request is decided on text or a Buffer, an exception counts as not yet', () =>
  withHost({}, async (host, logged) => {
    assert.equal(await host.endOfRequest("(data, logger) => data.endsWith('.')", 'ab.'), true);
    assert.equal(await host.endOfRequest("data => data.endsWith('.')", 'ab'), false);
    assert.equal(await host.endOfRequest('data => Buffer.isBuffer(data) && data[0] === 1', Buffer.from([1])), true);
    assert.equal(await host.endOfRequest('data => data.nope()', 'ab'), false);
    assert.match(logged[0]!, /^injection X=> TypeError: data\.nope is not a function/);
  }));

test('a decorated response does not change the one that was passed in', () =>
  withHost({}, async (host) => {
    const response = { body: { a: 1 }, headers: { A: '1' } };
    const decorated = await host.decorate(
      'c => { c.response.body.a = 2; c.response.headers.A = 2; }',
      request,
      response,
    );
    assert.deepEqual(decorated, { body: { a: 2 }, headers: { A: 2 } });
    assert.deepEqual(response, { body: { a: 1 }, headers: { A: '1' } });
  }));

test('a loop without end is ended after the limit, and what waits behind it is answered before', () =>
  withHost({ timeoutMs: 1500 }, async (host, logged) => {
    const order: string[] = [];
    const hanging = errorOf(host.response(loop, request)).then((error) => {
      order.push('loop');
      return error;
    });
    const others = [1, 2, 3].map(async (n) => {
      assert.deepEqual(await host.response(count, request), { body: n });
      order.push(`count ${n}`);
    });
    await Promise.all(others);
    const error = await hanging;
    assert.ok(error instanceof ScriptTimeout);
    assert.equal(error.message, 'inject timed out after 1500ms');
    assert.equal(error.code, 'injection timeout');
    assert.deepEqual(error.answer, { status: 504, markers: ['inject-error', 'script-timeout'] });
    assert.deepEqual(order, ['count 1', 'count 2', 'count 3', 'loop']);
    assert.match(logged[0]!, /^injection X=> it did not come to an end within 1500ms/);
    assert.deepEqual(await host.response(count, request), { body: 4 });
  }));

test('state survives the end of a worker', () =>
  withHost({ timeoutMs: 1500 }, async (host) => {
    await host.response(
      '(c, injectState) => { c.state.a = { b: [1] }; injectState.i = new Map([[1, 2]]); return {}; }',
      request,
    );
    await errorOf(host.response(loop, request));
    const kept = await host.response('(c, injectState) => ({ body: [c.state.a.b[0], injectState.i.get(1)] })', request);
    assert.deepEqual(kept, { body: [1, 2] });
  }));

test('what cannot be copied of the state is lost with its worker, and only that', () =>
  withHost({ timeoutMs: 1500 }, async (host, logged) => {
    await host.response('c => { c.state.a = { f() {}, n: 1 }; c.state.m = 2; return {}; }', request);
    assert.match(logged[0]!, /state\.a\.f cannot be copied/);
    assert.deepEqual(await host.response('c => ({ body: typeof c.state.a.f })', request), { body: 'function' });
    await errorOf(host.response(loop, request));
    assert.deepEqual(await host.response('c => ({ body: [c.state.a, c.state.m] })', request), { body: [{ n: 1 }, 2] });
  }));

test('many requests for a function that hangs are all told so within twice the limit', () =>
  withHost({ timeoutMs: 1500 }, async (host) => {
    const hanging = Array.from({ length: 50 }, () => errorOf(host.response(loop, request)));
    const counted = Array.from({ length: 20 }, () => host.response(count, request));
    assert.deepEqual((await Promise.all(counted)).at(-1), { body: 20 });
    for (const error of await Promise.all(hanging)) assert.ok(error instanceof ScriptTimeout);
  }));

test('a function that is slow but ends keeps what it did to the state', () =>
  withHost({}, async (host) => {
    const slow = host.response(
      'c => { const end = Date.now() + 600; while (Date.now() < end); c.state.slow = true; return { body: "slow" }; }',
      request,
    );
    const others = Promise.all([host.response(count, request), host.response(count, request)]);
    assert.deepEqual(await slow, { body: 'slow' });
    assert.deepEqual(await others, [{ body: 1 }, { body: 2 }]);
    assert.deepEqual(await host.response('c => ({ body: [c.state.slow, c.state.n] })', request), { body: [true, 2] });
  }));

test('profile mountebank waits for a callback longer than the default limit', () =>
  withHost({ timeoutMs: 1500 }, async (host) => {
    const late = host.response("c => { setTimeout(() => c.callback({ body: 'late' }), 2500); }", request);
    assert.deepEqual(await late, { body: 'late' });
  }));

test('profile mountebank with a limit of its own stops waiting for a callback', () =>
  withHost({ timeoutMs: 1000, timeoutGiven: true }, async (host) => {
    assert.ok((await errorOf(host.response('c => {}', request))) instanceof ScriptTimeout);
    // Waiting harmed nobody: the same worker goes on
    assert.deepEqual(await host.response('c => ({ body: 1 })', request), { body: 1 });
  }));

test('profile rift stops waiting for a promise', () =>
  withHost({ profile: 'rift', timeoutMs: 150 }, async (host) => {
    const error = await errorOf(host.predicate('c => new Promise(() => {})', request));
    assert.ok(error instanceof ScriptTimeout);
    assert.equal(error.code, 'predicate injection timeout');
    assert.equal(error.message, 'predicate inject timed out after 150ms');
  }));

test('a loop in a timer ends the call that it belongs to, others that were waiting are run again', () =>
  withHost({ timeoutMs: 1500 }, async (host) => {
    const patient = host.response(
      "c => { c.state.runs = (c.state.runs || 0) + 1; setTimeout(() => c.callback({ body: 'patient' }), 300); }",
      request,
    );
    const hanging = errorOf(host.response('c => { setTimeout(() => { while (true); }, 50); }', request));
    assert.ok((await hanging) instanceof ScriptTimeout);
    // Bun does not tell whose timer runs: there every call that was begun counts as the one that hangs
    if (isBun) assert.ok((await errorOf(patient)) instanceof ScriptTimeout);
    else assert.deepEqual(await patient, { body: 'patient' });
  }));

test('an exception after the function returned replaces the worker, and the log says where', () =>
  withHost({}, async (host, logged) => {
    const text = "c => { setTimeout(() => { throw new Error('too late'); }, 20); }";
    const waiting = errorOf(host.response('c => {}', request));
    const failed = errorOf(host.response(text, request));
    assert.match(String((await failed).extras.data), /too late$/);
    assert.match(String((await waiting).extras.data), /^the script worker was replaced.*too late$/);
    if (isBun) assert.match(logged[0]!, /too late/);
    else
      assert.deepEqual(logged.slice(0, 2), [
        'injection X=> Error: too late (after the function had returned)',
        `    full source: ${JSON.stringify(responseSource(text))}`,
      ]);
    assert.deepEqual(await host.response('c => ({ body: 1 })', request), { body: 1 });
  }));

test('a promise that nobody awaits and that is rejected replaces the worker', () =>
  withHost({}, async (host, logged) => {
    await host.response("c => { Promise.reject(new Error('unheard')); return {}; }", request);
    while (!logged.some((line) => line.includes('unheard'))) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(await host.response('c => ({ body: 1 })', request), { body: 1 });
  }));

test('a function cannot speak for its worker', () =>
  withHost({}, async (host) => {
    const ports = `async c => ({ body: [
      require('worker_threads').parentPort, (await import('node:worker_threads')).parentPort, require('worker_threads').workerData,
    ] })`;
    assert.deepEqual(await host.response(ports, request), { body: [null, null, null] });
    const error = await errorOf(host.response('c => require("worker_threads").parentPort.postMessage(null)', request));
    assert.equal(error.code, 'invalid injection');
    assert.deepEqual(await host.response(count, request), { body: 1 });
  }));

test('process.exit in a function ends its worker only', () =>
  withHost({}, async (host) => {
    const error = await errorOf(host.response('c => process.exit(3)', request));
    assert.equal(error.extras.data, 'the script worker was replaced: it ended with exit code 3');
    assert.deepEqual(await host.response('c => ({ body: 1 })', request), { body: 1 });
  }));

test('a function that hung once and ends the next time is taken back', () =>
  withHost({ timeoutMs: 1500 }, async (host) => {
    const text = 'c => { if (c.request.path === "/hang") while (true); return { body: c.request.path }; }';
    assert.ok((await errorOf(host.response(text, { ...request, path: '/hang' }))) instanceof ScriptTimeout);
    for (const path of ['/a', '/b', '/c']) {
      assert.deepEqual(await host.response(text, { ...request, path }), { body: path });
    }
    assert.ok((await errorOf(host.response(text, { ...request, path: '/hang' }))) instanceof ScriptTimeout);
  }));

/** A function that tells how many functions have run in its worker before, without a trace in globals or modules. */
const runs = 'c => { const e = process.execArgv; e.runs = (e.runs || 0) + 1; return { body: e.runs }; }';

const endsIdleWorkers = () =>
  withHost({ idleMs: 50 }, async (host) => {
    await host.response('c => { c.state.kept = 1; return {}; }', request);
    assert.deepEqual(await host.response(runs, request), { body: 1 });
    for (let tries = 1; ; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const { body } = await host.response(runs, request);
      if (body === 1) break;
      assert.ok(tries < 50, 'the worker goes on');
    }
    assert.deepEqual(await host.response('c => ({ body: c.state.kept })', request), { body: 1 });
  });
if (!isBun) test('a worker that has nothing to do and nothing to lose is ended, its state is kept', endsIdleWorkers);

for (const [name, text] of [
  ['a global', 'c => { globalThis.keep = 1; return {}; }'],
  ['a timer', 'c => { setInterval(() => {}, 1000); return {}; }'],
  ['a value of the state that cannot be copied', 'c => { c.state.f = () => {}; return {}; }'],
] as const) {
  test(`a worker that keeps ${name} is not ended for having nothing to do`, () =>
    withHost({ idleMs: 20 }, async (host) => {
      await host.response(text, request);
      await host.response(runs, request);
      await new Promise((resolve) => setTimeout(resolve, 150));
      assert.deepEqual(await host.response(runs, request), { body: 2 });
    }));
}

test('closing does not wait for a loop', async () => {
  const host = createScriptHost({
    profile: 'mountebank',
    timeoutMs: 60_000,
    timeoutGiven: false,
    logger: silentLogger,
    workingDirectory: process.cwd(),
  });
  const hanging = errorOf(host.response(loop, request));
  await host.close();
  assert.match((await hanging).message, /stopped/);
  assert.match((await errorOf(host.response(count, request))).message, /stopped/);
});

test('fifty imposters with a hanging function each leave the others alone', async () => {
  const hosts = Array.from({ length: 50 }, () =>
    createScriptHost({
      profile: 'mountebank',
      timeoutMs: 1000,
      timeoutGiven: false,
      logger: silentLogger,
      workingDirectory: process.cwd(),
    }),
  );
  const hanging = hosts.map((host) => errorOf(host.response(loop, request)));
  await withHost({}, async (host) => {
    for (let n = 1; n <= 20; n++) assert.deepEqual(await host.response(count, request), { body: n });
  });
  for (const error of await Promise.all(hanging)) assert.ok(error instanceof ScriptTimeout);
  await Promise.all(hosts.map((host) => host.close()));
});
