// What a tcp imposter does, as a table: it is run against our imposters and against the real Mountebank. Where the two
// differ on purpose, `differs` says why and Mountebank is not asked.

import type { JsonObject } from '../../model/types.js';

/** Chunks sent one after the other, then all that must have come back. Texts, or bytes. */
type CaseStep = readonly [send: string | Buffer | readonly (string | Buffer)[], receive: string | Buffer];

export interface TcpCase {
  readonly name: string;
  readonly imposter: JsonObject;
  readonly steps: readonly CaseStep[];
  /** How the connection stands after the last step; default `open`. */
  readonly end?: 'closed' | 'reset';
  /** `data` of the recorded requests; default: not looked at. */
  readonly recorded?: readonly string[];
  /** Run once more for every way to cut the first message in two. */
  readonly cutAnywhere?: boolean;
  /** Why the real Mountebank does something else. */
  readonly differs?: string;
}

const answer = (data: unknown, more: object = {}) => ({ is: { data } as JsonObject, ...more });
const stub = (predicate: object, ...responses: object[]) => ({ predicates: [predicate], responses });
const always = (...responses: object[]) => ({ stubs: [{ responses }] }) as unknown as JsonObject;
const stubs = (...list: object[]) => ({ stubs: list }) as unknown as JsonObject;
const binary = (imposter: JsonObject): JsonObject => ({ mode: 'binary', ...imposter });
const base64 = (...bytes: number[]) => Buffer.from(bytes).toString('base64');
const byLine = { endOfRequestResolver: { inject: "data => data.indexOf('\\n') > 0" } };
const yesOr = (predicate: object) => stubs(stub(predicate, answer('yes')), { responses: [answer('no')] });
const binaryYesOr = (predicate: object) =>
  binary(stubs(stub(predicate, answer('eWVz')), { responses: [answer('bm8=')] }));
const injected = (inject: string) => always({ inject });

export const tcpCases: readonly TcpCase[] = [
  // answers
  {
    name: 'without stubs nothing is answered and the connection stays open',
    imposter: {},
    steps: [['hi\n', '']],
    recorded: ['hi\n'],
  },
  {
    name: 'a text answer is written as it stands',
    imposter: always(answer('resp')),
    steps: [['anything', 'resp']],
    recorded: ['anything'],
  },
  {
    name: 'no line end is added',
    imposter: always(answer('a\n')),
    steps: [
      ['1', 'a\n'],
      ['2', 'a\n'],
    ],
  },
  {
    name: 'text is UTF-8 in both directions',
    imposter: always(answer('grüße €😀')),
    steps: [['größe', 'grüße €😀']],
    recorded: ['größe'],
  },
  {
    name: 'invalid UTF-8 is recorded as replacement characters',
    imposter: always(answer('ok')),
    steps: [[Buffer.from([0x61, 0xff, 0xfe]), 'ok']],
    recorded: ['a\ufffd\ufffd'],
  },
  {
    name: 'responses take turns over one connection',
    imposter: always(answer('1'), answer('2')),
    steps: [
      ['a', '1'],
      ['b', '2'],
      ['c', '1'],
    ],
  },
  {
    name: 'repeat',
    imposter: always(answer('1', { repeat: 2 }), answer('2')),
    steps: [
      ['a', '1'],
      ['b', '1'],
      ['c', '2'],
      ['d', '1'],
    ],
  },
  {
    name: 'an empty answer writes nothing',
    imposter: always(answer('')),
    steps: [['a', '']],
  },
  {
    name: 'an answer without data is the default one',
    imposter: { defaultResponse: { data: 'DEF' }, ...always({ is: {} }) },
    steps: [['a', 'DEF']],
  },
  {
    name: 'no matching stub gives the default answer',
    imposter: { defaultResponse: { data: 'DEF' }, ...stubs(stub({ equals: { data: 'x' } }, answer('X'))) },
    steps: [
      ['a', 'DEF'],
      ['x', 'X'],
    ],
  },
  {
    name: 'an empty answer is the default one',
    imposter: { defaultResponse: { data: 'DEF' }, ...always(answer('')) },
    steps: [['a', 'DEF']],
  },
  {
    name: 'a default answer in binary mode is base64',
    imposter: binary({ defaultResponse: { data: 'AQI=' } }),
    steps: [['a', Buffer.from([1, 2])]],
  },
  { name: 'an array of numbers is written as bytes', imposter: always(answer([104, 105])), steps: [['a', 'hi']] },
  {
    name: 'a number is written as text',
    imposter: always(answer(5)),
    steps: [['a', '5']],
    differs: 'F32: Mountebank answers with an error',
  },
  {
    name: 'true is written as text',
    imposter: always(answer(true)),
    steps: [['a', 'true']],
    differs: 'F32: Mountebank answers with an error',
  },
  {
    name: 'an object is written as JSON',
    imposter: always(answer({ a: [1] })),
    steps: [['a', '{"a":[1]}']],
    differs: 'F32: Mountebank answers with an error',
  },
  {
    name: 'a default response without data counts as empty',
    imposter: { defaultResponse: {} },
    steps: [['a', '']],
    differs: 'F32: Mountebank answers with an error',
  },
  {
    name: 'close ends the connection after the bytes',
    imposter: always({ is: { data: 'bye', close: true } }),
    steps: [['a', 'bye']],
    end: 'closed',
    differs: 'Mountebank never ends a connection',
  },
  {
    name: 'close without data only ends the connection',
    imposter: always({ is: { close: true } }),
    steps: [['a', '']],
    end: 'closed',
    differs: 'Mountebank never ends a connection',
  },
  {
    name: 'a long answer arrives whole',
    imposter: always(answer('x'.repeat(300_000))),
    steps: [['a', 'x'.repeat(300_000)]],
  },

  // binary
  {
    name: 'binary data is base64 in predicates, answers and records',
    imposter: binary(stubs(stub({ contains: { data: 'Av8=' } }, answer('AQI=')))),
    steps: [[Buffer.from([1, 2, 255]), Buffer.from([1, 2])]],
    recorded: ['AQL/'],
  },
  {
    name: 'every byte survives in binary mode',
    imposter: binary(always(answer(Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString('base64')))),
    steps: [['a', Buffer.from(Array.from({ length: 256 }, (_, i) => i))]],
  },
  {
    name: 'base64 of an answer is read leniently',
    imposter: binary(always(answer('A Q\nI'))),
    steps: [['a', Buffer.from([1, 2])]],
  },
  {
    name: 'binary equals',
    imposter: binaryYesOr({ equals: { data: base64(0x61, 0x62) } }),
    steps: [
      ['ab', 'yes'],
      ['abc', 'no'],
    ],
  },
  {
    name: 'binary startsWith is free of base64 alignment',
    imposter: binaryYesOr({ startsWith: { data: base64(0x61) } }),
    steps: [
      ['abc', 'yes'],
      ['bac', 'no'],
    ],
  },
  {
    name: 'binary endsWith is free of base64 alignment',
    imposter: binaryYesOr({ endsWith: { data: base64(0x63) } }),
    steps: [
      ['abc', 'yes'],
      ['abcd', 'no'],
    ],
  },
  {
    name: 'binary contains folds ASCII letters',
    imposter: binaryYesOr({ contains: { data: base64(0x42) } }),
    steps: [
      ['abc', 'yes'],
      ['xyz', 'no'],
    ],
  },
  {
    name: 'binary caseSensitive',
    imposter: binaryYesOr({ caseSensitive: true, contains: { data: base64(0x42) } }),
    steps: [
      ['abc', 'no'],
      ['aBc', 'yes'],
    ],
  },
  {
    name: 'bytes that are no UTF-8 are different bytes',
    imposter: binaryYesOr({ contains: { data: base64(0xff) } }),
    steps: [
      [Buffer.from([0xfe]), 'no'],
      [Buffer.from([0xff]), 'yes'],
    ],
    differs: 'F10: in Mountebank all invalid bytes are equal',
  },
  { name: 'binary exists', imposter: binaryYesOr({ exists: { data: true } }), steps: [['a', 'yes']] },
  {
    name: 'binary deepEquals',
    imposter: binaryYesOr({ deepEquals: { data: base64(1, 2) } }),
    steps: [
      [Buffer.from([1, 2]), 'yes'],
      [Buffer.from([1]), 'no'],
    ],
  },

  // predicates
  {
    name: 'equals folds case',
    imposter: yesOr({ equals: { data: 'ABC' } }),
    steps: [
      ['abc', 'yes'],
      ['abcd', 'no'],
    ],
  },
  {
    name: 'equals with caseSensitive',
    imposter: yesOr({ caseSensitive: true, equals: { data: 'ABC' } }),
    steps: [
      ['abc', 'no'],
      ['ABC', 'yes'],
    ],
  },
  {
    name: 'contains',
    imposter: yesOr({ contains: { data: 'b' } }),
    steps: [
      ['abc', 'yes'],
      ['xyz', 'no'],
    ],
  },
  {
    name: 'startsWith',
    imposter: yesOr({ startsWith: { data: 'GET' } }),
    steps: [
      ['get k', 'yes'],
      ['set k', 'no'],
    ],
  },
  {
    name: 'endsWith',
    imposter: yesOr({ endsWith: { data: '\r\n' } }),
    steps: [
      ['a\r\n', 'yes'],
      ['a\n', 'no'],
    ],
  },
  {
    name: 'matches',
    imposter: yesOr({ matches: { data: '^\\d+$' } }),
    steps: [
      ['123', 'yes'],
      ['12a', 'no'],
    ],
  },
  {
    name: 'except',
    imposter: yesOr({ equals: { data: 'ab' }, except: '\\d' }),
    steps: [
      ['a1b2', 'yes'],
      ['a1c', 'no'],
    ],
  },
  {
    name: 'deepEquals',
    imposter: yesOr({ deepEquals: { data: 'abc' } }),
    steps: [
      ['abc', 'yes'],
      ['abcd', 'no'],
    ],
  },
  { name: 'exists: false', imposter: yesOr({ exists: { data: false } }), steps: [['a', 'no']] },
  {
    name: 'not',
    imposter: yesOr({ not: { equals: { data: 'a' } } }),
    steps: [
      ['a', 'no'],
      ['b', 'yes'],
    ],
  },
  {
    name: 'or',
    imposter: yesOr({ or: [{ equals: { data: 'a' } }, { equals: { data: 'b' } }] }),
    steps: [
      ['a', 'yes'],
      ['b', 'yes'],
      ['c', 'no'],
    ],
  },
  {
    name: 'and',
    imposter: yesOr({ and: [{ contains: { data: 'a' } }, { contains: { data: 'b' } }] }),
    steps: [
      ['ab', 'yes'],
      ['a', 'no'],
    ],
  },
  {
    name: 'a JSON object as operand',
    imposter: yesOr({ equals: { data: { k: 'v' } } }),
    steps: [
      ['{"k":"V","x":1}', 'yes'],
      ['{"k":"w"}', 'no'],
    ],
  },
  {
    name: 'jsonpath',
    imposter: yesOr({ equals: { data: 'v' }, jsonpath: { selector: '$.a[0].k' } }),
    steps: [
      ['{"a":[{"k":"v"}]}', 'yes'],
      ['{"a":[]}', 'no'],
      ['no JSON', 'no'],
    ],
  },
  {
    name: 'xpath',
    imposter: yesOr({ equals: { data: 'v' }, xpath: { selector: '//k' } }),
    steps: [
      ['<a><k>v</k></a>', 'yes'],
      ['<a/>', 'no'],
    ],
  },
  { name: 'a predicate on the ip', imposter: yesOr({ contains: { ip: '127.0.0.1' } }), steps: [['a', 'yes']] },
  {
    name: 'a predicate on a field that tcp does not have',
    imposter: yesOr({ equals: { path: '/' } }),
    steps: [['a', 'no']],
  },
  {
    name: 'a predicate with inject',
    imposter: yesOr({ inject: 'config => config.request.data.length === 3' }),
    steps: [
      ['abc', 'yes'],
      ['ab', 'no'],
    ],
  },
  {
    name: 'a predicate with inject in the old form',
    imposter: yesOr({ inject: 'request => request.data === "abc"' }),
    steps: [
      ['abc', 'yes'],
      ['ab', 'no'],
    ],
  },

  // framing
  {
    name: 'a resolver collects chunks until it says so',
    imposter: { ...byLine, ...always(answer('resp')) },
    steps: [
      [['ab', 'cd\n'], 'resp'],
      ['x\n', 'resp'],
    ],
    recorded: ['abcd\n', 'x\n'],
    cutAnywhere: true,
  },
  {
    name: 'a resolver gets bytes in binary mode',
    imposter: binary({
      endOfRequestResolver: { inject: 'd => Buffer.isBuffer(d) && d.length >= 4' },
      ...always(answer('b2s=')),
    }),
    steps: [[['ab', 'cd'], 'ok']],
    recorded: ['YWJjZA=='],
    cutAnywhere: true,
  },
  {
    name: 'characters cut in two are whole for a resolver',
    imposter: { endOfRequestResolver: { inject: "d => d.endsWith('.')" }, ...always(answer('ok')) },
    steps: [['größe €😀.', 'ok']],
    recorded: ['größe €😀.'],
    cutAnywhere: true,
  },
  {
    name: 'a resolver that throws never completes a request',
    imposter: { endOfRequestResolver: { inject: "() => { throw new Error('x'); }" }, ...always(answer('ok')) },
    steps: [[['a', 'b'], '']],
    recorded: [],
  },
  {
    name: 'a resolver that does not parse never completes a request',
    imposter: { endOfRequestResolver: { inject: 'function (' }, ...always(answer('ok')) },
    steps: [['a', '']],
    recorded: [],
  },
  {
    name: 'what a resolver leaves over belongs to the same request',
    imposter: { ...byLine, ...always(answer('r')) },
    steps: [
      ['ab\ncd', 'r'],
      ['e\n', 'r'],
    ],
    recorded: ['ab\ncd', 'e\n'],
  },
  {
    name: 'a long request is collected whole',
    imposter: { ...byLine, ...always({ inject: 'c => ({ data: String(c.request.data.length) })' }) },
    steps: [[`${'x'.repeat(200_000)}\n`, '200001']],
  },
  {
    name: 'a length prefix',
    imposter: binary({
      endOfRequestResolver: { inject: 'd => d.length > 1 && d.length >= 2 + d.readUInt16BE(0)' },
      ...always(answer('AAA=')),
    }),
    steps: [[Buffer.from([0, 3, 1, 2, 3]), Buffer.from([0, 0])]],
    recorded: [base64(0, 3, 1, 2, 3)],
    cutAnywhere: true,
  },

  // scripts and behaviors
  { name: 'inject', imposter: injected("c => ({ data: c.request.data + '!' })"), steps: [['hi', 'hi!']] },
  {
    name: 'inject in the old form with a callback',
    imposter: injected("(request, state, logger, callback) => { callback({ data: request.data + '!' }); }"),
    steps: [['hi', 'hi!']],
  },
  {
    name: 'inject keeps state',
    imposter: injected('c => { c.state.n = (c.state.n || 0) + 1; return { data: String(c.state.n) }; }'),
    steps: [
      ['a', '1'],
      ['b', '2'],
    ],
  },
  {
    name: 'inject that throws a text has no text to show',
    imposter: injected("c => { throw 'boom'; }"),
    steps: [
      [
        'a',
        '{"errors":[{"code":"invalid injection","message":"invalid response injection","source":"(c => { throw \'boom\'; })(config, injectState, logger, done, imposterState);"}]}',
      ],
    ],
  },
  {
    name: 'inject that throws an error answers with an error and keeps the connection',
    imposter: injected("c => { throw new Error('boom'); }"),
    steps: [
      [
        'a',
        '{"errors":[{"code":"invalid injection","message":"invalid response injection","source":"(c => { throw new Error(\'boom\'); })(config, injectState, logger, done, imposterState);","data":"boom"}]}',
      ],
    ],
  },
  { name: 'wait', imposter: always(answer('later', { behaviors: [{ wait: 20 }] })), steps: [['a', 'later']] },
  {
    name: 'copy with regex',
    imposter: always(
      answer(`hi \${n}[1]`, {
        behaviors: [{ copy: { from: 'data', into: '${n}', using: { method: 'regex', selector: 'name=(\\w+)' } } }],
      }),
    ),
    steps: [['name=bob', 'hi bob']],
  },
  {
    name: 'copy with jsonpath',
    imposter: always(
      answer('hi ${n}', {
        behaviors: [{ copy: { from: 'data', into: '${n}', using: { method: 'jsonpath', selector: '$.n' } } }],
      }),
    ),
    steps: [['{"n":"bob"}', 'hi bob']],
  },
  {
    name: 'decorate',
    imposter: always(answer('a', { behaviors: [{ decorate: 'c => { c.response.data += c.request.data; }' }] })),
    steps: [['b', 'ab']],
  },
  {
    name: 'shellTransform',
    imposter: always(
      answer('a', {
        behaviors: [
          {
            shellTransform: `node -e 'console.log(JSON.stringify({data:JSON.parse(process.env.MB_REQUEST).data+"!"}))'`,
          },
        ],
      }),
    ),
    steps: [['b', 'b!']],
  },
  {
    name: 'two behaviors',
    imposter: always(
      answer('${n}', {
        behaviors: [
          { copy: { from: 'data', into: '${n}', using: { method: 'regex', selector: '\\d+' } } },
          { decorate: 'c => { c.response.data += "?"; }' },
        ],
      }),
    ),
    steps: [['a12', '12?']],
  },

  // faults
  {
    name: 'random data, then the end',
    imposter: always({ fault: 'RANDOM_DATA_THEN_CLOSE' }),
    steps: [['a', 'Htijy%@tWXJ/hQ#[Q:7G@dH4"gu[QaX&']],
    end: 'closed',
  },
  {
    name: 'a reset',
    imposter: always({ fault: 'CONNECTION_RESET_BY_PEER' }),
    steps: [['a', '']],
    end: 'reset',
    differs: 'F26: Mountebank ends the connection normally',
  },
  {
    name: 'an unknown fault does nothing',
    imposter: always({ fault: 'OTHER' }),
    steps: [['a', '']],
  },
  {
    name: 'an empty response',
    imposter: always({ fault: 'EMPTY_RESPONSE' }),
    steps: [['a', '']],
    end: 'closed',
    differs: 'Mountebank knows two faults',
  },
  {
    name: 'other random data',
    imposter: always({ fault: 'garbage' }),
    steps: [['a', Buffer.from('00fffefd1337deadbeef', 'hex')]],
    end: 'closed',
    differs: 'Mountebank knows two faults',
  },
  {
    name: 'a malformed chunk',
    imposter: always({ fault: 'malformed' }),
    steps: [['a', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZZZZ not a valid chunk size\r\n']],
    end: 'closed',
    differs: 'Mountebank knows two faults',
  },
];
