// What only Rift knows of an imposter, and what differs by profile, at creation.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errorBody } from './error-json.js';
import { readImposter, readImposters } from './read-imposter.js';
import { readOptions } from './read-options.fixture.js';
import type { ReadOptions } from './read-options.js';
import { readStub, readStubAddition, readStubs } from './read-stub.js';
import type { ImposterJson, Profile } from './types.js';

async function messages(post: unknown, over: Partial<ReadOptions> = {}): Promise<string[]> {
  const result = await readImposter(post, readOptions(over));
  return 'errors' in result ? result.errors.map((error) => error.message) : [];
}

const ok = { is: {} };
const http = (stub: object) => ({ protocol: 'http', stubs: [stub] });
const response = (part: object) => http({ responses: [part] });
const fault = (tcp: unknown) => response({ is: {}, _rift: { fault: { tcp } } });
const rift = (part: object) => ({ protocol: 'http', _rift: part });

const needs =
  "_rift.fault.tcp object form requires a numeric 'probability' (use the bare fault-type string for an always-firing fault)";

/** The same message in both profiles. */
const bothProfiles: [object, string | undefined][] = [
  [fault('reset'), undefined],
  [fault('NO_SUCH'), undefined],
  [fault({ probability: 0.1, type: 'reset' }), undefined],
  [fault({ type: 'reset' }), `Invalid imposter JSON: ${needs}`],
  [
    fault({ probability: '1', type: 'reset' }),
    "Invalid imposter JSON: _rift.fault.tcp 'probability' must be a number between 0.0 and 1.0",
  ],
  [
    fault({ probability: 1.1, type: 'reset' }),
    "Invalid imposter JSON: _rift.fault.tcp 'probability' must be between 0.0 and 1.0",
  ],
  [fault({ probability: 1 }), "Invalid imposter JSON: _rift.fault.tcp object form requires a string 'type'"],
  [fault({ probability: 1, type: 1 }), "Invalid imposter JSON: _rift.fault.tcp 'type' must be a string"],
  [fault(5), 'Invalid imposter JSON: _rift.fault.tcp must be a fault-type string or an object { probability, type }'],
  [
    response({ is: {}, _rift: { fault: { latency: { ms: -1 } } } }),
    'Invalid imposter JSON: _rift.fault.latency.ms must be a whole number, 0 or more',
  ],
  [response({ is: {}, _rift: { fault: { latency: { probability: 7, minMs: 1 } } } }), undefined],
  [response({ is: {}, _rift: { templated: 'yes' } }), 'Invalid imposter JSON: _rift.templated must be true or false'],
  [response({ is: {}, _rift: 1 }), 'Invalid imposter JSON: _rift must be an object'],
  [rift({ flowState: {} }), undefined],
  [rift({ flowState: { backend: 'redis', url: 'redis://h' } }), undefined],
  [rift({ flowState: { backend: 'redis', redis: { url: 'redis://h' } } }), undefined],
  [
    rift({ flowState: { backend: 'redis' } }),
    'Flow store configuration error: flowState.backend is "redis" but no redis config block was provided',
  ],
  [
    rift({ flowState: { backend: 'disk' } }),
    'Flow store configuration error: flowState.backend is "disk" but no such backend is registered (available: "inmemory", "redis")',
  ],
  [
    rift({ flowState: { backend: 'disk', ttlSeconds: 0 } }),
    'Flow store configuration error: flowState.ttlSeconds must be >= 1 (got 0); a non-positive TTL would expire every write immediately',
  ],
  [rift({ flowState: 'x' }), 'Invalid imposter JSON: _rift.flowState must be an object'],
  [rift({ metrics: { enabled: true, port: 1 }, proxy: {} }), undefined],
  [{ protocol: 'http', defaultForward: 'http://u' }, undefined],
  [{ protocol: 'http', defaultForward: 'u' }, 'Invalid imposter JSON: defaultForward must be an http or https URL'],
];

describe('a Rift key of a wrong shape is refused in both profiles', () => {
  for (const [post, message] of bothProfiles) {
    test(JSON.stringify(post), async () => {
      for (const profile of ['mountebank', 'rift'] as const) {
        assert.deepEqual(await messages(post, { profile }), message === undefined ? [] : [message]);
      }
    });
  }
});

const choose = 'Invalid imposter JSON: stubs[0].responses[0].is.';

/** Input, message in profile `mountebank`, in profile `rift`; undefined: created. */
const byProfile: [unknown, string | undefined, string | undefined][] = [
  [{}, "'protocol' is a required field", undefined],
  [{ protocol: 'ftp' }, 'the ftp protocol is not yet supported', 'Invalid protocol: ftp'],
  [null, 'imposter must be an object', 'Invalid imposter JSON: imposter must be an object'],
  [5, "'protocol' is a required field", 'Invalid imposter JSON: imposter must be an object'],
  [{ protocol: 'http', stubs: 5 }, "'stubs' must be an array", "Invalid imposter JSON: 'stubs' must be an array"],
  [http({}), "'responses' must be a non-empty array", undefined],
  [http({ responses: [] }), "'responses' must be a non-empty array", undefined],
  [http({ responses: 'x' }), "'responses' must be a non-empty array", "'responses' must be a non-empty array"],
  [response({ is: { statusCode: 'abc' } }), undefined, `${choose}statusCode must be a status code, not "abc"`],
  [response({ is: { statusCode: '204' } }), undefined, undefined],
  [
    response({ is: { headers: { a: null } } }),
    undefined,
    `${choose}headers.a must be text, a number, true or false, or an array of those`,
  ],
  [
    response({ is: { headers: { a: [['x']] } } }),
    undefined,
    `${choose}headers.a must be text, a number, true or false, or an array of those`,
  ],
  [response({ is: { headers: { a: ['x', 1, true], b: 2, c: false } } }), undefined, undefined],
  [
    response({ headers: { a: {} } }),
    undefined,
    'Invalid imposter JSON: stubs[0].responses[0].headers.a must be text, a number, true or false, or an array of those',
  ],
  [response({ is: {}, fault: 'x' }), 'each response object must have only one response type', undefined],
  [
    response({
      is: {},
      behaviors: [{ wait: 1, copy: { from: 'path', into: 'x', using: { method: 'regex', selector: 'x' } } }],
    }),
    'Each behavior object must have only one behavior type',
    undefined,
  ],
  [
    response({ is: {}, behaviors: [{ wait: 1, repeat: 0 }] }),
    undefined,
    '"repeat" field must be an integer greater than 0',
  ],
  [
    http({ scenarioName: 5, responses: [ok] }),
    undefined,
    'Invalid imposter JSON: stubs[0].scenarioName must be a string',
  ],
  [http({ rules: 5, responses: [ok] }), undefined, 'Invalid imposter JSON: stubs[0].rules must be an array'],
  [
    http({ route_pattern: {}, responses: [ok] }),
    undefined,
    'Invalid imposter JSON: stubs[0].route_pattern must be a string',
  ],
  [{ protocol: 'http', enabled: 'no' }, undefined, 'Invalid imposter JSON: enabled must be true or false'],
  [
    { protocol: 'https', key: 'k' },
    'https imposter must provide both `cert` and `key`, or neither',
    'TLS configuration error: https imposter must provide both `cert` and `key`, or neither',
  ],
];

describe('what a creation request may hold differs by profile', () => {
  for (const [post, mountebank, rift] of byProfile) {
    test(JSON.stringify(post), async () => {
      const expected = (message: string | undefined) => (message === undefined ? [] : [message]);
      assert.deepEqual(await messages(post, { profile: 'mountebank' }), expected(mountebank));
      assert.deepEqual(await messages(post, { profile: 'rift' }), expected(rift));
    });
  }
});

test('rules count as predicates unless there are other predicates', async () => {
  const bad = { rules: [{}], responses: [ok] };
  assert.deepEqual(await messages(http(bad)), ['missing predicate']);
  assert.deepEqual(await messages(http({ ...bad, predicates: [] })), ['missing predicate']);
  assert.deepEqual(await messages(http({ ...bad, predicates: [{ exists: {} }] })), []);
});

const scriptGate =
  'inject requires --allowInjection to be set. See http://www.mbtest.org/docs/api/injection for more information.';
const javascriptGate = 'JavaScript injection is not allowed unless mb is run with the --allowInjection flag';

test('without the flag no kind of script comes in, wherever it stands', async () => {
  const script = { _rift: { script: { engine: 'rhai', code: 'x' } } };
  const rows: [object, string | undefined][] = [
    [response(script), scriptGate],
    [response({ is: {}, ...script }), scriptGate],
    [response({ inject: 'x', ...script }), javascriptGate],
    [http({ rules: [{ not: { inject: 'x' } }], responses: [ok] }), javascriptGate],
    [response({ is: {}, _behaviors: { wait: { min: 1, max: 2 } } }), undefined],
    [response({ is: {}, _behaviors: { wait: { inject: 'function(){return 1}' } } }), javascriptGate],
    [response({ is: {}, behaviors: { decorate: 'x' } }), javascriptGate],
  ];
  for (const profile of ['mountebank', 'rift'] as const) {
    for (const [post, message] of rows) {
      const result = await messages(post, { profile, allowInjection: false });
      assert.deepEqual(result, message === undefined ? [] : [message], `${profile} ${JSON.stringify(post)}`);
    }
  }
  // Mountebank never runs the old object beside `repeat`; Rift does.
  const hidden = response({ is: {}, repeat: 2, _behaviors: { decorate: 'x' } });
  assert.deepEqual(await messages(hidden, { profile: 'mountebank', allowInjection: false }), []);
  assert.deepEqual(await messages(hidden, { profile: 'rift', allowInjection: false }), [javascriptGate]);
});

const script = (part: object, more: object = {}) => ({
  protocol: 'http',
  stubs: [{ responses: [{ _rift: { script: part } }] }],
  ...more,
});
const named = (scripts: object) => ({ _rift: { scripts } });

const scriptRows: [object, string | undefined][] = [
  [script({ code: 'http(200)' }), undefined],
  [script({ engine: 'javascript', code: 'function respond(ctx) { return http(200) }' }), undefined],
  [
    script({ engine: 'js', code: 'function (' }),
    "Script validation failed: Invalid js script in stub 'stub[0]' response 0: Evaluation error: Function statements require a function name",
  ],
  [
    script({ engine: 'lua', code: 'x' }),
    'Script validation failed: Invalid lua script in stub \'stub[0]\' response 0: the Lua scripting engine was removed; use engine "rhai" or "javascript"',
  ],
  [
    script({ engine: 'perl', code: 'x' }),
    "Script validation failed: Invalid perl script in stub 'stub[0]' response 0: Unknown script engine type: 'perl'",
  ],
  [
    script({ code: 'let = 3' }),
    "Script validation failed: Invalid rhai script in stub 'stub[0]' response 0: Syntax error: no name",
  ],
  [script({ code: 'let = 3' }, { _rift: { scriptEngine: { defaultEngine: 'javascript' } } }), undefined],
  [
    script({ code: 'x', file: 'a.rhai' }),
    'Script resolution failed: script config must specify exactly one of `code`, `file`, or `ref` (found 2)',
  ],
  [
    script({}),
    'Script resolution failed: script config must specify exactly one of `code`, `file`, or `ref` (found 0)',
  ],
  [
    script({ ref: 'nope' }),
    "Script resolution failed: unknown script ref 'nope': no entry named 'nope' in `_rift.scripts`",
  ],
  [script({ ref: 'a' }, named({ a: { code: 'x' } })), undefined],
  [
    script({ code: 'x' }, named({ a: { ref: 'a' } })),
    "Script resolution failed: _rift.scripts entry 'a' may not itself use `ref` — ref chains are not allowed",
  ],
  [
    script({ ref: 'a' }, named({ a: { ref: 'a' } })),
    "Script resolution failed: _rift.scripts entry 'a' may not itself use `ref` — ref chains are not allowed",
  ],
  [script({ file: 'good.js' }), undefined],
  [script({ file: '../x.rhai' }), "Script resolution failed: script file path '../x.rhai' escapes the scripts root"],
  [{ ...script({ code: 'x' }), protocol: 'tcp' }, '_rift.script needs an http or https imposter'],
];

/** Rhai texts with `let =` do not parse; one file exists. */
const scripts: ReadOptions['scripts'] = {
  readFile: (path) =>
    path === 'good.js' ? { code: 'pass()' } : { problem: `script file path '${path}' escapes the scripts root` },
  parse: (engine, code) => {
    if (engine === 'rhai') return code.includes('let =') ? 'Syntax error: no name' : undefined;
    return code.includes('function (') ? 'Evaluation error: Function statements require a function name' : undefined;
  },
};

describe('scripts are resolved and parsed when they come in', () => {
  for (const [post, message] of scriptRows) {
    test(JSON.stringify(post), async () => {
      assert.deepEqual(await messages(post, { scripts }), message === undefined ? [] : [message]);
    });
  }
});

test('JavaScript is parsed even when nobody brings a parser', async () => {
  assert.deepEqual(await messages(script({ engine: 'javascript', code: 'http(418, "tea").header("X-A", "1")' })), []);
  const [message] = await messages(script({ engine: 'javascript', code: 'function (' }));
  assert.match(
    message!,
    /^Script validation failed: Invalid javascript script in stub 'stub\[0\]' response 0: Evaluation error: ./,
  );
});

test('a script file is refused when no folder for scripts is configured', async () => {
  assert.deepEqual(await messages(script({ file: 'a.rhai' })), [
    "Script resolution failed: script file 'a.rhai' cannot be resolved: no --scripts-dir is configured for the admin API",
  ]);
});

test('a resolved script is shown as code and engine', async () => {
  const post = script({ ref: 'a', engine: 'rhai' }, named({ a: { file: 'good.js' } }));
  const result = await readImposter(post, readOptions({ scripts }));
  assert.ok('value' in result);
  assert.deepEqual(result.value.stubs[0]!.responses[0]!._rift, { script: { engine: 'javascript', code: 'pass()' } });
});

test('several scripts that do not parse are one error, naming stub and response', async () => {
  const bad = { _rift: { script: { engine: 'lua', code: 'x' } } };
  const post = {
    imposters: [{ protocol: 'http', port: 4545, stubs: [{ id: 'one', responses: [ok, bad] }, { responses: [bad] }] }],
  };
  const result = await readImposters(post, readOptions());
  assert.ok('errors' in result);
  const reason = 'the Lua scripting engine was removed; use engine "rhai" or "javascript"';
  assert.deepEqual(
    result.errors.map((error) => error.message),
    [
      `Script validation failed in imposter[0] (port 4545): Invalid lua script in stub 'one' response 1: ${reason}; Invalid lua script in stub 'stub[1]' response 0: ${reason}`,
    ],
  );
});

test('unknown keys below _rift are kept and reported with the known key that is near', async () => {
  const post = {
    protocol: 'http',
    _rift: { flowState: { colour: 'red', ttlSecond: 5 }, script: {}, warnings: ['old'] },
    stubs: [
      { responses: [ok] },
      {
        id: 's',
        responses: [
          { is: {}, _rift: { tempated: true, fault: { latency: { msec: 1 }, error: { headers: { x: 'y' } } } } },
        ],
      },
    ],
  };
  const result = await readImposter(post, readOptions());
  assert.ok('value' in result);
  assert.deepEqual(result.value._rift, { flowState: { colour: 'red', ttlSecond: 5 }, script: {} });
  assert.deepEqual(result.warnings, [
    { warningType: 'unknown_key', message: "Unknown key '_rift.flowState.colour'" },
    {
      warningType: 'unknown_key',
      message: "Unknown key '_rift.flowState.ttlSecond' (did you mean 'ttlSeconds'?)",
    },
    { warningType: 'unknown_key', message: "Unknown key '_rift.script' (did you mean 'scripts'?)" },
    {
      warningType: 'unknown_key',
      message: "Unknown key 'stubs[1].responses[0]._rift.tempated' (did you mean 'templated'?)",
      stubIndex: 1,
      stubId: 's',
    },
    {
      warningType: 'unknown_key',
      message: "Unknown key 'stubs[1].responses[0]._rift.fault.latency.msec' (did you mean 'ms'?)",
      stubIndex: 1,
      stubId: 's',
    },
  ]);
});

test('a batch of profile rift is refused when a stub id stands twice', async () => {
  const twice = {
    protocol: 'http',
    stubs: [
      { id: 'a', responses: [ok] },
      { id: 'a', responses: [ok] },
    ],
  };
  const post = { imposters: [twice] };
  assert.ok('value' in (await readImposters(post, readOptions({ profile: 'mountebank' }))));
  assert.ok('value' in (await readImposter(twice, readOptions({ profile: 'rift' }))));
  const result = await readImposters(post, readOptions({ profile: 'rift' }));
  assert.ok('errors' in result);
  assert.equal(
    result.errors[0]!.message,
    "Invalid imposter set (imposters unchanged): A stub with id 'a' already exists",
  );
});

test('stub changes say at their door what is wrong', async () => {
  const imposter = { protocol: 'http', stubs: [] } as unknown as ImposterJson;
  const bad = { responses: [{ is: {}, _rift: { fault: { tcp: 1 } } }] };
  const fragment = '_rift.fault.tcp must be a fault-type string or an object { probability, type }';
  const options = readOptions();
  const rows: [Promise<unknown>, string][] = [
    [readStub(bad, imposter, options), 'Invalid stub JSON: '],
    [readStub(bad, imposter, options, { door: 'Invalid stub: ' }), 'Invalid stub: '],
    [readStubs({ stubs: [bad] }, imposter, options), 'Invalid stubs JSON: '],
    [readStubAddition({ stub: bad }, imposter, 0, options), 'Invalid stub JSON: '],
    [readImposters({ imposters: [{ protocol: 'http', stubs: [bad] }] }, options), 'Invalid batch JSON: '],
  ];
  for (const [read, door] of rows) {
    const result = (await read) as { errors: Error[] };
    assert.deepEqual(
      result.errors.map((error) => error.message),
      [`${door}${fragment}`],
    );
  }
});

test('a stub index that is out of range is named in profile rift', async () => {
  const imposter = { protocol: 'http', stubs: [] } as unknown as ImposterJson;
  const result = await readStubAddition(
    { index: 3, stub: { responses: [ok] } },
    imposter,
    2,
    readOptions({ profile: 'rift' }),
  );
  assert.ok('errors' in result);
  assert.equal(result.errors[0]!.message, 'Stub index 3 is out of range (imposter has 2 stubs)');
});

test('an error object has its keys by profile and by whose failure it is', async () => {
  const object = async (post: unknown, profile: Profile, allowInjection = true) => {
    const result = await readImposter(post, readOptions({ profile, allowInjection }));
    assert.ok('errors' in result);
    return JSON.stringify(errorBody(result.errors, profile).errors[0]);
  };
  const repeat = response({ is: {}, repeat: 0 });
  const message = '"message":"\\"repeat\\" field must be an integer greater than 0","source":{"is":{},"repeat":0}';
  assert.equal(await object(repeat, 'mountebank'), `{"code":"bad data",${message}}`);
  assert.equal(
    await object(repeat, 'rift'),
    `{"code":"400","type":"bad data",${message},"path":"stubs[0].responses[0].repeat"}`,
  );
  const flow = rift({ flowState: { backend: 'redis' } });
  const flowMessage =
    '"message":"Flow store configuration error: flowState.backend is \\"redis\\" but no redis config block was provided"';
  assert.equal(await object(flow, 'mountebank'), `{"code":"400","type":"bad data",${flowMessage}}`);
  assert.equal(await object(flow, 'rift'), `{"code":"400","type":"bad data",${flowMessage},"path":"_rift.flowState"}`);
  const gate = await object(response({ inject: 'x' }), 'rift', false);
  assert.match(gate, /^\{"code":"invalid injection","type":"invalid injection","message":/);
});
