// Which response is served, in what order, and the kinds of responses: is, inject, fault; how they fail.

import type { JsonObject } from '../model/types.js';
import { type DifferentialCase, failure, get, is, post, raw, responses, send, usual } from './case.fixture.js';

const a = { is: { body: 'a' } };
const b = { is: { body: 'b' } };
const times = (count: number, request = get()) => Array.from({ length: count }, () => request);
const NO_BYTES = (end: 'closed' | 'reset') => ` [${end}]`;
const badRepeat = { code: 'bad data', message: '"repeat" field must be an integer greater than 0' };

const served: readonly (readonly [string, readonly JsonObject[], number])[] = [
  ['two responses in turn', [a, b], 5],
  ['one response for ever', [a], 3],
  ['repeat', [{ ...a, repeat: 2 }, b], 7],
  ['repeat of the last', [a, { ...b, repeat: 3 }], 6],
  ['repeat of the only one', [{ ...a, repeat: 3 }], 4],
  ['repeat in the old form', [{ ...a, _behaviors: { repeat: 2 } }, b], 4],
  ['repeat as text', [{ ...a, repeat: '2' }, b], 3],
  ['a fraction as repeat', [{ ...a, repeat: 1.5 }, b], 3],
  ['a larger fraction as repeat', [{ ...a, repeat: 2.7 }, b], 4],
  ['a fraction below one as repeat', [{ ...a, repeat: 0.5 }, b], 3],
  ['an empty text as repeat', [{ ...a, repeat: '' }, b], 3],
  ['a text with blanks as repeat', [{ ...a, repeat: ' 2 ' }, b], 4],
  ['an exponent as repeat', [{ ...a, repeat: '2e0' }, b], 4],
  ['repeat 1', [{ ...a, repeat: 1 }, b], 3],
  ['old behaviors are ignored beside behaviors', [{ ...a, behaviors: [], _behaviors: { repeat: 2 } }, b], 3],
  ['old behaviors are ignored beside repeat', [{ ...a, repeat: 1, _behaviors: { repeat: 3 } }, b], 3],
  ['faults take part in the turn', [{ fault: 'RANDOM_DATA_THEN_CLOSE' }, b], 3],
  ['repeat of a fault', [{ fault: 'RANDOM_DATA_THEN_CLOSE', repeat: 2 }, b], 4],
  ['repeat of an inject', [{ inject: "c => ({ body: 'i' })", repeat: 2 }, b], 4],
  ['the cursor advances past a failing response', [{ inject: 'c => { throw new Error("e"); }' }, b], 3],
  ['unknown keys beside the response type', [{ ...a, nonsense: 1 } as JsonObject, b], 2],
];

const refused: readonly (readonly [string, readonly unknown[]])[] = [
  ['repeat 0', [{ ...a, repeat: 0 }]],
  ['a negative repeat', [{ ...a, repeat: -1 }]],
  ['repeat true', [{ ...a, repeat: true }]],
  ['repeat null', [{ ...a, repeat: null }]],
  ['repeat as array', [{ ...a, repeat: [1] }]],
  ['repeat as object', [{ ...a, repeat: {} }]],
  ['no responses', []],
  ['a response without a type', [{}]],
  ['is null', [{ is: null }]],
  ['is as an empty text', [{ is: '' }]],
  ['an empty fault', [{ fault: '' }]],
  ['fault null', [{ fault: null }]],
  ['an unknown type', [{ nonsense: {} }]],
  ['two types', [{ fault: 'CONNECTION_RESET_BY_PEER', is: {} }]],
  ['is and inject', [{ is: {}, inject: 'c => ({})' }]],
];

const withPredicates = (...stubs: readonly (readonly [JsonObject[], JsonObject])[]): JsonObject => ({
  stubs: stubs.map(([predicates, response]) => ({ predicates, responses: [response] })),
});

export const serving: readonly DifferentialCase[] = [
  ...served.map(
    ([what, list, count]): DifferentialCase => ({
      name: `served: ${what}`,
      imposter: responses(...list),
      requests: times(count),
      mayMark: true,
      after: true,
    }),
  ),
  ...refused.map(
    ([what, list]): DifferentialCase => ({
      name: `refused: ${what}`,
      imposter: { stubs: [{ responses: list as JsonObject[] }] },
      requests: [],
    }),
  ),
  {
    name: 'a repeat that is no number is refused',
    imposter: responses({ ...a, repeat: 'x' }, b),
    requests: [],
    fix: 'F27',
    oursRefused: [{ ...badRepeat, source: { is: { body: 'a' }, repeat: 'x' } }],
  },
  {
    name: 'a repeat that only begins with a number is refused',
    imposter: responses({ ...a, repeat: '3abc' }, b),
    requests: [],
    fix: 'F27',
    oursRefused: [{ ...badRepeat, source: { is: { body: 'a' }, repeat: '3abc' } }],
  },
  {
    name: 'the first stub that matches answers',
    imposter: withPredicates(
      [[{ equals: { path: '/x' } }], { is: { body: '1' } }],
      [[], { is: { body: '2' } }],
      [[{ equals: { path: '/y' } }], { is: { body: '3' } }],
    ),
    requests: [get('/x'), get('/y'), get('/z')],
    after: true,
  },
  {
    name: 'each stub has a turn of its own',
    imposter: {
      stubs: [
        { predicates: [{ equals: { path: '/x' } }], responses: [a, b] },
        { responses: [{ is: { body: 'c' } }, { is: { body: 'd' } }] },
      ],
    },
    requests: ['/x', '/', '/x', '/', '/x', '/'].map((path) => get(path)),
  },
  {
    name: 'a stub without predicates matches, unknown keys of a stub are kept',
    imposter: { stubs: [{ nonsense: 1, responses: [a] } as JsonObject] },
    requests: [get()],
    after: true,
  },
  { name: 'an empty list of predicates matches', imposter: withPredicates([[], a]), requests: [get()] },
  {
    name: 'all predicates of a stub must hold',
    imposter: withPredicates([[{ equals: { path: '/x' } }, { equals: { method: 'POST' } }], a]),
    requests: [get('/x'), send('POST', '/x'), send('POST', '/')],
  },
  {
    name: 'a predicate that throws ends the request, later stubs are not tried',
    imposter: withPredicates([[{ inject: "c => { throw new Error('boom'); }" }], a], [[], b]),
    requests: [get()],
    mayMark: true,
  },
  {
    name: 'text operators on numbers of a JSON body compare text',
    imposter: withPredicates(
      [[{ startsWith: { body: { n: 1 } } }], { is: { body: '1' } }],
      [[], { is: { body: '2' } }],
    ),
    requests: [post('{"n":12}')],
    fix: 'F6',
    ours: [usual('200 OK', [], '1')],
  },
  {
    name: 'text operators on texts of a JSON body, numbers in the predicate',
    imposter: withPredicates(
      [[{ startsWith: { body: { n: 1 } } }], { is: { body: '1' } }],
      [[], { is: { body: '2' } }],
    ),
    requests: [post('{"n":"12"}'), post('{"m":1}')],
  },
  {
    name: 'a prefix of XPath that is not bound ends the request, but only where there is XML',
    imposter: withPredicates([[{ equals: { body: 'x' }, xpath: { selector: '//q:a' } }], { is: { body: '1' } }]),
    requests: [post('plain'), post('<a/>')],
    after: true,
  },
  {
    name: 'a body that could not be decoded is missing: most predicates do not match',
    imposter: withPredicates([[{ equals: { body: 'x' } }], a], [[{ exists: { path: true } }], b]),
    requests: [post('abc', 'Content-Encoding: gzip')],
  },
  {
    name: 'a body that could not be decoded does not exist',
    imposter: withPredicates([[{ exists: { body: false } }], a], [[{ exists: { path: true } }], b]),
    requests: [post('abc', 'Content-Encoding: gzip'), get(), post('x')],
  },
  {
    name: 'a body that could not be decoded contains nothing',
    imposter: withPredicates([[{ contains: { body: 'a' } }], a], [[], b]),
    requests: [post('abc', 'Content-Encoding: gzip')],
  },
  {
    name: 'a body that could not be decoded matches no expression',
    imposter: withPredicates([[{ matches: { body: '.*' } }], a], [[], b]),
    requests: [post('abc', 'Content-Encoding: gzip')],
  },
  // --- is
  ...['text', 5, [1, 2], true, {}, [{ body: 'x' }]].map(
    (value): DifferentialCase => ({
      name: `is ${JSON.stringify(value)}`,
      imposter: { defaultResponse: { statusCode: 299, body: 'D' }, ...is(value) },
      requests: [get()],
    }),
  ),
  {
    name: 'unknown keys of is',
    imposter: is({ body: 'x', nonsense: { a: 1 }, data: 'y' }),
    requests: [get()],
    after: true,
  },
  {
    name: 'a recorded response time has no effect',
    imposter: is({ body: 'x', _proxyResponseTime: 10_000 }),
    requests: [get()],
  },
  { name: 'token-like texts stay', imposter: is({ body: '${request.path} {{NOW}} ${x}' }), requests: [get()] },
  // --- fault
  {
    name: 'CONNECTION_RESET_BY_PEER',
    imposter: responses({ fault: 'CONNECTION_RESET_BY_PEER' }),
    requests: [get(), post('body')],
    fix: 'F26',
    ours: [NO_BYTES('reset'), NO_BYTES('reset')],
  },
  {
    name: 'CONNECTION_RESET_BY_PEER, then an answer',
    imposter: responses({ fault: 'CONNECTION_RESET_BY_PEER' }, { is: { body: 'ok' } }),
    requests: times(3),
    fix: 'F26',
    ours: [NO_BYTES('reset'), usual('200 OK', [], 'ok'), NO_BYTES('reset')],
  },
  {
    name: 'RANDOM_DATA_THEN_CLOSE',
    imposter: responses({ fault: 'RANDOM_DATA_THEN_CLOSE' }),
    requests: [get(), post('body'), send('HEAD', '/')],
    after: true,
  },
  {
    name: 'RANDOM_DATA_THEN_CLOSE cuts what is pipelined',
    imposter: responses({ fault: 'RANDOM_DATA_THEN_CLOSE' }),
    requests: [get() + get()],
  },
  {
    name: 'a fault on a kept connection ends it',
    imposter: responses(
      { is: { body: 'k', headers: { Connection: 'keep-alive' } } },
      { fault: 'RANDOM_DATA_THEN_CLOSE' },
    ),
    requests: [[get(), get()]],
  },
  ...['OTHER', 'connection_reset_by_peer', 'random_data_then_close', ' ', 5, {}, true].map(
    (fault): DifferentialCase => ({
      name: `the unknown fault ${JSON.stringify(fault)} answers with the defaults`,
      imposter: { defaultResponse: { statusCode: 299, body: 'D' }, ...responses({ fault } as JsonObject) },
      requests: [get()],
    }),
  ),
  {
    name: 'behaviors beside a fault do not run',
    imposter: responses({ fault: 'RANDOM_DATA_THEN_CLOSE', behaviors: [{ wait: 60_000 }] }),
    requests: [get()],
  },
  // --- CONNECT
  {
    name: 'after CONNECT the imposter answers itself, the target is ignored',
    imposter: {
      ...responses({ inject: "c => ({ body: c.request.method + ' ' + c.request.path })" }),
      recordRequests: true,
    },
    requests: [
      [raw('CONNECT other.test:443 HTTP/1.1', 'Host: other.test:443'), get('/a')],
      [raw('CONNECT x:1 HTTP/1.0'), post('b')],
      [raw('CONNECT /path HTTP/1.1', 'Host: x'), get('/c')],
    ],
    after: true,
  },
  {
    name: 'after CONNECT a kept connection serves several requests',
    imposter: is({ body: 'k', headers: { Connection: 'keep-alive' } }),
    requests: [[raw('CONNECT other.test:443 HTTP/1.1', 'Host: other.test'), get('/1'), get('/2')]],
  },
  {
    name: 'after CONNECT what is not HTTP is refused',
    imposter: is({}),
    requests: [[raw('CONNECT other.test:443 HTTP/1.1', 'Host: other.test'), 'nonsense\r\n\r\n']],
  },
];

const injected: readonly (readonly [string, readonly string[]])[] = [
  ['c => ({ statusCode: 201, body: c.request.path })', [get('/p')]],
  ['(req, state, logger, cb) => { cb({ body: req.method }); }', [get()]],
  ["c => { setTimeout(() => c.callback({ body: 'late' }), 50); }", [get()]],
  ["async c => ({ body: 'p' })", [get()]],
  ['c => { c.state.n = (c.state.n || 0) + 1; return { body: String(c.state.n) }; }', times(2)],
  [
    "(r, s, l, cb, imposterState) => { s.n = (s.n || 0) + 1; imposterState.m = (imposterState.m || 0) + 10; return { body: s.n + ':' + imposterState.m }; }",
    times(2),
  ],
  [
    'c => ({ body: Object.keys(c).sort().join() })',
    [get(), post('a=1', 'Content-Type: application/x-www-form-urlencoded')],
  ],
  ["c => ({ body: c.state === undefined ? 'x' : { a: 1 } })", [get()]],
  ["c => { throw new Error('boom'); }", [get()]],
  ['c => {', [get()]],
  ['42', [get()]],
  ["c => { throw new TypeError('t'); }", [get()]],
  ["c => { throw 'text'; }", [get()]],
  ['c => undefinedName', [get()]],
  ["c => ({ fault: 'RANDOM_DATA_THEN_CLOSE' })", [get()]],
  ["c => ({ fault: 'OTHER', body: 'x' })", [get()]],
  ['c => ({ blocked: true })', [get()]],
  ["c => ({ is: { body: 'x' } })", [get()]],
  ["c => 'text'", [get()]],
  ['c => 5', [get()]],
  ['c => false', [get()]],
  ["c => ({ statusCode: 'abc' })", [get()]],
  ["c => ({ headers: { X: '\\n' } })", [get()]],
  ["c => ({ headers: { 'X Y': 1 } })", [get()]],
  ["c => ({ body: c.request.headers['X-A'] + c.request.body })", [post('body', 'X-A: a', 'X-A: b')]],
  ["c => { c.request.path = '/other'; return { body: c.path }; }", [get('/orig')]],
  ["function (request, state, logger) { logger.info('x %s', 1); return { body: request.query }; }", [get('/?a=1&a=2')]],
];

export const scripted: readonly DifferentialCase[] = [
  ...injected.map(
    ([source, requests]): DifferentialCase => ({
      name: `inject ${source}`,
      imposter: responses({ inject: source }),
      requests,
      mayMark: true,
    }),
  ),
  {
    name: 'an inject answer falls back to the defaults',
    imposter: { defaultResponse: { statusCode: 202, body: 'D' }, ...responses({ inject: 'c => ({})' }) },
    requests: [get()],
  },
  { name: 'an inject that never answers', imposter: responses({ inject: 'c => {}' }), requests: [get()] },
  {
    name: 'an inject that resets the connection',
    imposter: responses({ inject: "c => ({ fault: 'CONNECTION_RESET_BY_PEER' })" }),
    requests: [get()],
    fix: 'F26',
    ours: [NO_BYTES('reset')],
  },
  ...(
    [
      ["c => c.request.query.k === '1'", [get('/?k=1'), get('/?k=2')]],
      ["(req, logger, state) => req.path === '/old'", [get('/old'), get('/new')]],
      ["c => { throw new Error('boom'); }", [get()]],
      ['c =>', [get()]],
      ['5', [get()]],
      ['c => { c.state.n = (c.state.n || 0) + 1; return c.state.n % 2; }', times(4)],
    ] as const
  ).map(
    ([source, requests]): DifferentialCase => ({
      name: `a predicate ${source}`,
      imposter: withPredicates([[{ inject: source }], { is: { body: 'yes' } }]),
      requests,
      mayMark: true,
    }),
  ),
  {
    name: 'predicates and responses share the state of the imposter',
    imposter: withPredicates([
      [{ inject: 'c => { c.state.seen = c.request.path; return true; }' }],
      { inject: 'c => ({ body: String(c.state.seen) })' },
    ]),
    requests: [get('/via-predicate')],
  },
  {
    name: 'a promise of a predicate is awaited',
    imposter: withPredicates([[{ inject: 'async c => false' }], a]),
    requests: [get()],
    fix: 'F29',
    ours: [usual('200 OK', [], '')],
  },
  {
    name: 'mode binary of a tcp imposter means nothing here',
    imposter: { mode: 'binary', ...withPredicates([[{ matches: { body: '^a' } }], a]) },
    requests: [post('abc')],
    fix: 'F32',
    ours: [usual('200 OK', [], 'a')],
  },
  {
    name: 'an expression that does not compile, found when it is reached',
    imposter: withPredicates([[{ and: [{ equals: { path: '/x' } }, { matches: { body: '[' } }] }], a]),
    requests: [get('/y'), get('/x')],
    fix: 'F31',
    ours: [
      usual('200 OK', [], ''),
      failure({
        code: 'bad data',
        message: 'Invalid regular expression: /[/i: Unterminated character class',
        name: 'SyntaxError',
      }),
    ],
  },
  {
    name: 'a decorate that throws says why',
    imposter: is({ body: 'x' }, { behaviors: [{ decorate: "c => { throw new Error('boom'); }" }] }),
    requests: [get()],
    mayMark: true,
    fix: 'F21',
    ours: [
      failure({
        code: 'invalid injection',
        message: 'invalid decorator injection',
        source: "(c => { throw new Error('boom'); })(config, response, logger);",
        data: 'boom',
        name: 'Error',
      }),
    ],
  },
  {
    name: 'an apostrophe in a body reaches no shell',
    imposter: is({ body: "it's" }, { behaviors: [{ shellTransform: 'printf %s "$MB_RESPONSE"; true' }] }),
    requests: [get()],
    mayMark: true,
    fix: 'F24',
    ours: [usual('200 OK', [], "it's")],
  },
  ...(
    [
      ["async c => { throw new Error('later'); }", 'later'],
      ["c => Promise.reject(new Error('rejected'))", 'rejected'],
      ['c => { c.callback(); }', 'the function gave undefined instead of a response'],
      ['c => { c.callback(null); }', 'the function gave null instead of a response'],
    ] as const
  ).map(
    ([source, data]): DifferentialCase => ({
      name: `inject ${source}`,
      imposter: responses({ inject: source }),
      requests: [get()],
      mayMark: true,
      fix: 'F31',
      ours: [
        failure({
          code: 'invalid injection',
          message: 'invalid response injection',
          source: `(${source})(config, injectState, logger, done, imposterState);`,
          data,
          name: 'Error',
        }),
      ],
    }),
  ),
  ...[
    'c => new Promise(() => {})',
    "c => { c.callback({ body: '1' }); c.callback({ body: '2' }); }",
    "c => { c.callback('text'); }",
    "c => { c.callback({ body: '1' }); return { body: '2' }; }",
    "c => { setTimeout(() => c.callback({ body: '1' }), 20); return { body: '2' }; }",
  ].map(
    (source): DifferentialCase => ({
      name: `inject ${source}`,
      imposter: responses({ inject: source }),
      requests: [get()],
    }),
  ),
  {
    name: 'an inject that gives null',
    imposter: responses({ inject: 'c => null' }),
    requests: [get()],
    mayMark: true,
    fix: 'F32',
    ours: [
      failure({
        code: 'invalid injection',
        message: 'invalid response injection',
        source: '(c => null)(config, injectState, logger, done, imposterState);',
        data: 'the function gave null instead of a response',
        name: 'Error',
      }),
    ],
  },
];
