// Mountebank docs: proxies and their options, mutual authentication.

import type { Json, JsonObject } from '../model/types.js';
import { certificate } from '../responding/proxy/certificates.test-help.js';
import { get, post } from './case.fixture.js';
import { type Documented, says } from './documented.fixture.js';

export const origin: JsonObject = { protocol: 'http', stubs: [{ responses: [{ is: { body: 'from the origin' } }] }] };
export const forwarding = (proxy: JsonObject, more: JsonObject = {}): JsonObject => ({
  protocol: 'http',
  stubs: [{ responses: [{ proxy: { to: 'http://origin', ...proxy }, ...more }] }],
});
const generating = (...predicateGenerators: JsonObject[]): JsonObject => forwarding({ predicateGenerators });
const recorded = (
  predicates: Json,
  request: string,
  ...predicateGenerators: JsonObject[]
): Omit<Documented, 'name'> => ({
  imposters: { it: generating(...predicateGenerators), origin },
  steps: [
    { request, body: 'from the origin' },
    {
      stubs: [
        [predicates, 'from the origin'],
        [undefined, 'proxy'],
      ],
    },
  ],
});

const pair = certificate('localhost');

const counting: JsonObject = {
  protocol: 'http',
  stubs: [
    {
      responses: [
        {
          inject:
            "function (req, state) { state.count = (state.count || 0) + 1; return { body: 'number ' + state.count }; }",
        },
      ],
    },
  ],
};

export const proxies: readonly Documented[] = [
  {
    name: 'predicateGenerators: a whole field',
    ...recorded(
      [{ caseSensitive: true, deepEquals: { query: { q: 'mountebank', page: '1' } } }],
      get('/test?q=mountebank&page=1'),
      {
        matches: { query: true },
        caseSensitive: true,
      },
    ),
  },
  {
    name: 'predicateGenerators: one key of a field',
    ...recorded([{ equals: { query: { q: 'mountebank' } } }], get('/test?q=mountebank&page=1'), {
      matches: { query: { q: 'mountebank' } },
    }),
  },
  {
    name: 'predicateGenerators: xpath',
    ...recorded(
      [{ xpath: { selector: '//n' }, deepEquals: { body: ['1', '2', '3'] } }],
      post('<d><n>1</n><n>2</n><n>3</n></d>'),
      {
        matches: { body: true },
        xpath: { selector: '//n' },
      },
    ),
  },
  {
    name: 'predicateGenerators: jsonpath',
    ...recorded(
      [{ jsonpath: { selector: '$..n' }, deepEquals: { body: [1, 2, 3] } }],
      post('[{"n":1},{"n":2},{"n":3}]'),
      {
        matches: { body: true },
        jsonpath: { selector: '$..n' },
      },
    ),
  },
  {
    name: 'predicateGenerators: inject',
    ...recorded([{ exists: { headers: { 'X-Transaction-Id': true } } }], post('x', 'X-Transaction-Id: 100'), {
      inject: `function (config) {
        const predicate = { exists: { headers: { 'X-Transaction-Id': false } } };
        if (config.request.headers['X-Transaction-Id']) {
          config.logger.debug('there');
          predicate.exists.headers['X-Transaction-Id'] = true;
        }
        return [predicate];
      }`,
    }),
  },
  {
    name: 'predicateGenerators: ignore',
    ...recorded(
      [{ deepEquals: { query: { limit: '100', end: '2017' } } }],
      get('/path?limit=100&start=2016&end=2017'),
      {
        matches: { query: true },
        ignore: { query: 'start' },
      },
    ),
  },
  {
    name: 'proxy modes: proxyOnce replays what it recorded, in front of itself',
    imposters: {
      it: forwarding({ mode: 'proxyOnce', predicateGenerators: [{ matches: { path: true } }] }),
      origin: counting,
    },
    steps: [
      says('number 1', get('/test')),
      says('number 1', get('/test')),
      says('number 2', get('/other')),
      {
        stubs: [
          [[{ deepEquals: { path: '/test' } }], 'number 1'],
          [[{ deepEquals: { path: '/other' } }], 'number 2'],
          [undefined, 'proxy'],
        ],
      },
    ],
  },
  {
    name: 'proxy modes: proxyAlways records every answer behind itself',
    imposters: {
      it: forwarding({ mode: 'proxyAlways', predicateGenerators: [{ matches: { path: true } }] }),
      origin: counting,
    },
    steps: [
      says('number 1', get('/test')),
      {
        stubs: [
          [undefined, 'proxy'],
          [[{ deepEquals: { path: '/test' } }], 'number 1'],
        ],
      },
      says('number 2', get('/test')),
      {
        stubs: [
          [undefined, 'proxy'],
          [[{ deepEquals: { path: '/test' } }], 'number 1', 'number 2'],
        ],
      },
    ],
  },
  {
    name: 'proxy modes: proxyTransparent records nothing',
    imposters: { it: forwarding({ mode: 'proxyTransparent' }), origin: counting },
    steps: [says('number 1', get('/test')), says('number 2', get('/test')), { stubs: [[undefined, 'proxy']] }],
  },
  {
    name: 'addDecorateBehavior: on the recorded answer, not on the live one',
    imposters: {
      it: forwarding({ addDecorateBehavior: "config => { config.response.body += ' DECORATED!'; }" }),
      origin,
    },
    steps: [says('from the origin', get()), says('from the origin DECORATED!', get())],
  },
  {
    name: 'addWaitBehavior: the recorded answer waits as long as the origin took',
    imposters: {
      it: forwarding({ addWaitBehavior: true }),
      origin: { protocol: 'http', stubs: [{ responses: [{ is: { body: 'slow' }, behaviors: [{ wait: 30 }] }] }] },
    },
    steps: [
      says('slow', get()),
      {
        stubs: [
          [[], { body: 'slow', behaviors: ['wait'] }],
          [undefined, 'proxy'],
        ],
      },
    ],
  },
  {
    name: 'injectHeaders: what the origin gets besides',
    imposters: {
      it: forwarding({ injectHeaders: { 'X-My-One': 'first', 'X-My-Two': 'second' } }),
      origin: {
        protocol: 'http',
        stubs: [
          {
            responses: [
              { is: { body: 'B' }, behaviors: [{ decorate: 'function (req, res) { res.headers = req.headers; }' }] },
            ],
          },
        ],
      },
    },
    steps: [says('B', get('/', 'X-Own: 1'), { headers: { 'X-My-One': 'first', 'X-My-Two': 'second', 'X-Own': '1' } })],
  },
  {
    name: 'https: mutual authentication, through a proxy that has the certificate',
    imposters: {
      it: forwarding({ to: 'https://origin', key: pair.key, cert: pair.cert }),
      origin: {
        protocol: 'https',
        mutualAuth: true,
        key: pair.key,
        cert: pair.cert,
        stubs: [{ responses: [{ is: { body: 'It worked!' } }] }],
      },
    },
    steps: [says('It worked!', get())],
  },
];
