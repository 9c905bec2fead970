// What Mountebank's documentation promises of http and https imposters, page by page, as examples of our own.

import type { Json, JsonObject } from '../model/types.js';
import { certificate } from '../responding/proxy/certificates.test-help.js';
import { get, post, send } from './case.fixture.js';

/** A request and what the documentation says of its answer; or what an imposter shows afterwards. */
export type Step =
  | {
      readonly to?: string;
      readonly request: string;
      readonly status?: number;
      readonly headers?: JsonObject;
      readonly body?: string | RegExp;
    }
  | { readonly of?: string; readonly requests: readonly JsonObject[] }
  | {
      readonly of?: string;
      readonly stubs: readonly (readonly [predicates: Json | undefined, ...responses: Json[]])[];
    };

export interface Documented {
  /** Page of the documentation, and what it shows. */
  readonly name: string;
  /** By name; `http://NAME` in them is the address of the imposter of that name. The first gets requests without a name. */
  readonly imposters: { readonly [name: string]: JsonObject };
  /** Files in the working directory of the example: `FOLDER` in texts is its path. */
  readonly files?: { readonly [name: string]: string };
  readonly steps: readonly Step[];
}

const stub = (body: Json, ...predicates: JsonObject[]): JsonObject => ({ predicates, responses: [{ is: { body } }] });
const status = (statusCode: number, ...predicates: JsonObject[]): JsonObject => ({
  predicates,
  responses: [{ is: { statusCode } }],
});
const one = (...stubs: JsonObject[]): { readonly it: JsonObject } => ({ it: { protocol: 'http', stubs } });
const says = (body: string | RegExp, request: string, more: { status?: number; headers?: JsonObject } = {}): Step => ({
  request,
  body,
  ...more,
});

const origin: JsonObject = { protocol: 'http', stubs: [{ responses: [{ is: { body: 'from the origin' } }] }] };
const forwarding = (proxy: JsonObject, more: JsonObject = {}): JsonObject => ({
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

const BOOK = 'http://books.test/ns';
const shelf = (titles: readonly string[], prefix = '', attributes: readonly string[] = ['', '', '']) =>
  `<shelf xmlns:b="${BOOK}" size="${titles.length}">${titles
    .map(
      (title, i) =>
        `<book><${prefix}title${attributes[i]}>${title}</${prefix}title><b:note>a fox and ${title}</b:note></book>`,
    )
    .join('')}</shelf>`;
const TITLES = ['Watership Down', 'The Wind in the Willows', 'Charlotte'];
const books = JSON.stringify({
  shelf: TITLES.map((title, i) => ({ title, note: `note ${i}`, author: `author ${i}` })),
});

const pair = certificate('localhost');

const predicates: readonly Documented[] = [
  {
    name: 'predicates: an array in a predicate, whole, in part, and one element',
    imposters: one(
      stub('all', { deepEquals: { query: { key: ['first', 'second'] } } }),
      stub('some', { equals: { query: { key: ['first', 'second'] } } }),
      stub('one', { equals: { query: { key: 'first' } } }),
    ),
    steps: [
      says('all', get('/path?key=second&key=first')),
      says('some', get('/path?key=second&key=first&key=third')),
      says('one', get('/path?key=first&key=third')),
    ],
  },
  {
    name: 'equals: several fields, except, caseSensitive, first match wins',
    imposters: one(
      status(
        400,
        {
          equals: {
            method: 'POST',
            path: '/test',
            query: { first: '1', second: '2' },
            headers: { Accept: 'text/plain' },
          },
        },
        { equals: { body: 'hello, world' }, caseSensitive: true, except: '!$' },
      ),
      status(406, { equals: { headers: { Accept: 'application/xml' } } }),
      status(405, { equals: { method: 'PUT' } }),
      status(500, { equals: { method: 'PUT' } }),
    ),
    steps: [
      { request: send('POST', '/test?Second=2&First=1', ['accept: text/plain'], 'hello, world!'), status: 400 },
      { request: send('POST', '/test?Second=2&First=1', ['Accept: application/xml'], '"hello, world!"'), status: 406 },
      { request: send('PUT', '/test?Second=2&First=1', ['Accept: application/json'], '"hello, world!"'), status: 405 },
    ],
  },
  {
    name: 'deepEquals: the whole query and nothing else',
    imposters: one(
      stub('none', { deepEquals: { query: {} } }),
      stub('one', { deepEquals: { query: { first: '1' } } }),
      stub('two', { deepEquals: { query: { first: '1', second: '2' } } }),
    ),
    steps: [
      says('none', get('/test')),
      says('one', get('/test?First=1')),
      says('two', get('/test?Second=2&First=1')),
      says('', get('/test?Second=2&First=1&Third=3'), { status: 200 }),
    ],
  },
  {
    name: 'contains, startsWith, endsWith: parts of a text in any case, the first of equal stubs',
    imposters: one(
      stub('contains', { contains: { body: 'middle' } }),
      stub('starts', { startsWith: { body: 'first' } }),
      stub('ends', { endsWith: { body: 'last' } }),
      stub('never', { endsWith: { body: 'last' } }),
    ),
    steps: [
      says('contains', post('first MIDDLE last')),
      says('starts', post('FIRST of all')),
      says('ends', post('this is the Last')),
    ],
  },
  {
    name: 'matches: an expression, with and without case',
    imposters: one(
      stub('one', { matches: { body: '^first\\Wsecond' }, caseSensitive: true }),
      stub('two', { matches: { body: 'second\\s+request' } }),
      stub('never', { matches: { body: 'second\\s+request' } }),
    ),
    steps: [says('one', post('first second')), says('two', post('Second Request')), says('', post('First Second'))],
  },
  {
    name: 'exists: parameters, headers, body',
    imposters: one(
      stub('first', {
        exists: { query: { q: true, search: false }, headers: { Accept: true, 'X-Rate-Limit': false } },
      }),
      stub('second', { exists: { method: true, body: false } }),
      stub('third', { exists: { body: true } }),
    ),
    steps: [
      says('first', get('/?q=mountebank', 'Accept: text/plain')),
      says('second', get('/', 'Accept: text/plain')),
      says('third', post('non-empty', 'Accept: application/json')),
    ],
  },
  {
    name: 'not, or, and',
    imposters: one(
      stub('not', { not: { contains: { body: 'data' } } }),
      stub('and', {
        and: [{ startsWith: { body: 'start' } }, { endsWith: { body: 'end' } }, { contains: { body: 'middle' } }],
      }),
      stub('or', {
        or: [{ startsWith: { body: 'start' } }, { endsWith: { body: 'end' } }, { contains: { body: 'middle' } }],
      }),
    ),
    steps: [
      says('not', post('production')),
      says('and', post('start data middle end')),
      says('or', post('start data')),
      says('or', post('data end')),
      says('or', post('data middle data')),
      says('', post('data')),
    ],
  },
  {
    name: 'inject: a predicate with the runtime of Node',
    imposters: one(
      stub('high', {
        inject: "function (request, logger) { logger.info('x'); return Buffer.from(request.body, 'base64')[2] > 100; }",
      }),
      stub('low', { inject: "request => Buffer.from(request.body, 'base64')[2] <= 100" }),
    ),
    steps: [says('high', post('Y2Rl')), says('low', post('YmNk'))],
  },
  {
    name: 'json: fields of a JSON body, with parameters',
    imposters: one(
      stub(
        { code: 'SUCCESS', author: 'K. Grahame' },
        { equals: { body: { title: 'Water Rat' } }, caseSensitive: true, comment: 'is ignored' },
        { equals: { body: { title: 'RAT' } }, except: 'WATER ' },
        { matches: { body: { title: '^Water' } } },
        { exists: { body: { title: true } } },
        { exists: { body: { name: false } } },
      ),
    ),
    steps: [
      says(
        '{\n    "code": "SUCCESS",\n    "author": "K. Grahame"\n}',
        post('{"title": "Water Rat", "summary": "boats"}'),
      ),
    ],
  },
  {
    name: 'json: arrays in a JSON body',
    imposters: one(
      stub('exactly', { deepEquals: { body: { books: [{ title: 'One' }, { title: 'Two' }] } } }),
      stub('listed', { equals: { body: { books: { title: 'One' } } } }),
    ),
    steps: [
      says('exactly', post('{"books": [{"title": "Two"}, {"title": "One"}]}')),
      says('listed', post('{"books": [{"title": "Two"}, {"title": "One"}, {"title": "Three"}]}')),
    ],
  },
  {
    name: 'jsonpath: any of several values, all of them for deepEquals',
    imposters: one(
      stub(
        'any',
        { equals: { body: 'Charlotte' }, jsonpath: { selector: '$..title' }, caseSensitive: true },
        { equals: { body: 'DOWN' }, jsonpath: { selector: '$..TITLE' }, except: 'WATERSHIP ' },
        { matches: { body: '^Watership' }, jsonpath: { selector: '$..title' } },
        { exists: { body: true }, jsonpath: { selector: '$..title' } },
        { exists: { body: false }, jsonpath: { selector: '$..publisher' } },
      ),
      stub(
        'deep',
        { deepEquals: { body: 'author 1' }, jsonpath: { selector: '$.shelf[1].author' } },
        { deepEquals: { body: ['author 0', 'author 1', 'author 2'] }, jsonpath: { selector: '$.shelf..author' } },
      ),
    ),
    steps: [
      says('any', post(books)),
      says('deep', post(books.replace('Charlotte', 'Another'))),
      says('', post('no JSON')),
    ],
  },
  {
    name: 'xpath: nodes, numbers, booleans, namespaces, attributes',
    imposters: one(
      stub(
        'nodes',
        { equals: { body: 'Charlotte' }, xpath: { selector: '//title' }, caseSensitive: true },
        { equals: { body: 'DOWN' }, xpath: { selector: '//TITLE' }, except: 'WATERSHIP ' },
        { matches: { body: '^Watership' }, xpath: { selector: '//title' } },
        { exists: { body: true }, xpath: { selector: '//title' } },
        { exists: { body: false }, xpath: { selector: '//title/@first' } },
        { equals: { body: 3 }, xpath: { selector: 'count(//title)' } },
        { equals: { body: true }, xpath: { selector: 'boolean(//title)' } },
      ),
      stub(
        'namespaces',
        { contains: { body: 'fox' }, xpath: { selector: '//n:note', ns: { n: BOOK } } },
        { contains: { body: 'fox' }, xpath: { selector: `//*[local-name(.)='note' and namespace-uri(.)='${BOOK}']` } },
        { exists: { body: false }, xpath: { selector: '//title/@first' } },
      ),
      stub(
        'attributes',
        { deepEquals: { body: '3' }, xpath: { selector: '//shelf/@size' } },
        { deepEquals: { body: ['false', 'false', 'true'] }, xpath: { selector: '//title/@first' } },
      ),
    ),
    steps: [
      says('nodes', post(shelf(TITLES))),
      says('namespaces', post(shelf(TITLES, 'b:'))),
      says('attributes', post(shelf(TITLES, '', [' first="false"', ' first="true"', ' first="false"']))),
    ],
  },
];

const responses: readonly Documented[] = [
  {
    name: 'getting started: a stub that matches, and the default response',
    imposters: one(
      status(400, {
        and: [
          { equals: { path: '/test', method: 'POST', headers: { 'Content-Type': 'application/json' } } },
          { not: { contains: { body: 'requiredField' }, caseSensitive: true } },
        ],
      }),
    ),
    steps: [
      { request: send('POST', '/test', ['Content-Type: application/json'], '{"optionalField": true}'), status: 400 },
      { request: send('POST', '/test', [], '{"optionalField": true}'), status: 200 },
    ],
  },
  {
    name: 'stubs: responses in turn, and what was requested',
    imposters: {
      it: {
        protocol: 'http',
        recordRequests: true,
        stubs: [
          {
            predicates: [{ equals: { method: 'POST', path: '/customers/123' } }],
            responses: [
              {
                is: {
                  statusCode: 201,
                  headers: { Location: '/customers/123', 'Content-Type': 'application/xml' },
                  body: '<customer/>',
                },
              },
              { is: { statusCode: 400, headers: { 'Content-Type': 'application/xml' }, body: '<error/>' } },
            ],
          },
          { responses: [{ is: { statusCode: 404 } }] },
        ],
      },
    },
    steps: [
      says('<customer/>', send('POST', '/customers/123', [], '<c/>'), {
        status: 201,
        headers: { Location: '/customers/123', 'Content-Type': 'application/xml' },
      }),
      says('<error/>', send('POST', '/customers/123', [], '<c/>'), {
        status: 400,
        headers: { 'Content-Type': 'application/xml' },
      }),
      { request: get('/'), status: 404 },
      {
        requests: [
          {
            method: 'POST',
            path: '/customers/123',
            query: {},
            headers: { Host: 'm', 'Content-Length': '4' },
            body: '<c/>',
          },
          {
            method: 'POST',
            path: '/customers/123',
            query: {},
            headers: { Host: 'm', 'Content-Length': '4' },
            body: '<c/>',
          },
          { method: 'GET', path: '/', query: {}, headers: { Host: 'm' }, body: '' },
        ],
      },
    ],
  },
  {
    name: 'stubs: repeat',
    imposters: one({ responses: [{ is: { body: 'twice' }, repeat: 2 }, { is: { body: 'then' } }] }),
    steps: ['twice', 'twice', 'then', 'twice'].map((body) => says(body, get())),
  },
  {
    name: 'http: a JSON object as body',
    imposters: one({
      responses: [
        { is: { statusCode: 200, headers: { 'Content-Type': 'application/json' }, body: { id: 123, name: 'Turbo' } } },
      ],
    }),
    steps: [
      says('{\n    "id": 123,\n    "name": "Turbo"\n}', get(), {
        status: 200,
        headers: { 'Content-Type': 'application/json' },
      }),
    ],
  },
  {
    name: 'http: connections are closed unless the default response keeps them',
    imposters: {
      it: { protocol: 'http' },
      keeping: { protocol: 'http', defaultResponse: { headers: { Connection: 'keep-alive' } } },
    },
    steps: [
      { request: get(), headers: { Connection: 'close' } },
      { to: 'keeping', request: get('/', 'Connection: keep-alive'), headers: { Connection: 'keep-alive' } },
    ],
  },
  {
    name: 'http: binary bodies',
    imposters: one({ responses: [{ is: { body: 'aGVsbG8=', _mode: 'binary' } }] }),
    steps: [says('hello', get())],
  },
  {
    name: 'http: key-value pairs of a form',
    imposters: one(stub('Smith', { equals: { form: { lastname: 'Smith' } } })),
    steps: [says('Smith', post('firstname=bob&lastname=smith', 'Content-Type: application/x-www-form-urlencoded'))],
  },
  {
    name: 'faults: random data instead of an answer',
    imposters: one({ responses: [{ fault: 'RANDOM_DATA_THEN_CLOSE' }] }),
    steps: [says(/^.{20,}$/, get())],
  },
  {
    name: 'faults: the connection is closed without an answer',
    imposters: one({ responses: [{ fault: 'CONNECTION_RESET_BY_PEER' }] }),
    steps: [says('', get())],
  },
  {
    name: 'injection: a predicate over several fields',
    imposters: one({
      responses: [{ is: { statusCode: 400 } }],
      predicates: [
        {
          inject: `function (config) {
            const hasProlog = () => config.request.body.indexOf('<?xml') === 0;
            return config.request.headers['Content-Type'] === 'application/xml' ? !hasProlog() : hasProlog();
          }`,
        },
      ],
    }),
    steps: [
      { request: post('<a/>', 'Content-Type: application/xml'), status: 400 },
      { request: post('<?xml?><a/>', 'Content-Type: application/json'), status: 400 },
      { request: post('<?xml?><a/>', 'Content-Type: application/xml'), status: 200 },
    ],
  },
  {
    name: 'injection: responses with state, callback and modules of Node; state is that of one imposter',
    imposters: {
      it: {
        protocol: 'http',
        stubs: [
          {
            predicates: [{ equals: { method: 'GET', path: '/counter' } }],
            responses: [
              { inject: "config => ({ body: Object.keys(config.state.requests || {}).length + ' proxied calls' })" },
            ],
          },
          {
            responses: [
              {
                inject: `function (config) {
                  const key = config.request.method + ' ' + config.request.path;
                  config.state.requests = config.state.requests || {};
                  if (config.state.requests[key]) { config.callback(config.state.requests[key]); return; }
                  const options = { method: config.request.method, path: config.request.path, headers: config.request.headers };
                  require('http').request('http://origin', options, response => {
                    let body = '';
                    response.setEncoding('utf8');
                    response.on('data', chunk => { body += chunk; });
                    response.on('end', () => {
                      config.state.requests[key] = { statusCode: response.statusCode, headers: response.headers, body };
                      config.logger.info('proxied');
                      config.callback(config.state.requests[key]);
                    });
                  }).end();
                }`,
              },
            ],
          },
        ],
      },
      origin: {
        protocol: 'http',
        stubs: [
          {
            responses: [
              {
                inject: `config => {
                  config.logger.info('called');
                  config.state.requests = (config.state.requests || 0) + 1;
                  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ count: config.state.requests }) };
                }`,
              },
            ],
          },
        ],
      },
    },
    steps: [
      says('{"count":1}', get('/first')),
      says('{"count":2}', get('/second')),
      says('{"count":1}', get('/first')),
      says('2 proxied calls', get('/counter')),
    ],
  },
];

const behaviors: readonly Documented[] = [
  {
    name: 'wait: milliseconds',
    imposters: one({ responses: [{ is: { body: 'late' }, behaviors: [{ wait: 50 }] }] }),
    steps: [says('late', get())],
  },
  {
    name: 'wait: a function',
    imposters: one({
      responses: [
        { is: { body: 'late' }, behaviors: [{ wait: 'function() { return Math.floor(Math.random() * 40) + 10; }' }] },
      ],
    }),
    steps: [says('late', get())],
  },
  {
    name: 'copy: expressions into status, header and body',
    imposters: one({
      responses: [
        {
          is: { statusCode: '${code}', headers: { 'X-Test': '${header}' }, body: 'It was ${name}. Hello, ${name}!' },
          behaviors: [
            { copy: { from: 'path', into: '${code}', using: { method: 'regex', selector: '\\d+' } } },
            { copy: { from: { headers: 'X-Request' }, into: '${header}', using: { method: 'regex', selector: '.+' } } },
            {
              copy: {
                from: { query: 'name' },
                into: '${name}',
                using: { method: 'regex', selector: 'MOUNT\\w+$', options: { ignoreCase: true } },
              },
            },
          ],
        },
      ],
    }),
    steps: [
      says(
        'It was mountebank. Hello, mountebank!',
        get('/statusCode/400?ignore=this&name=mountebank', 'X-REQUEST: Header value'),
        {
          status: 400,
          headers: { 'X-Test': 'Header value' },
        },
      ),
    ],
  },
  {
    name: 'copy: the first node of several, by XPath',
    imposters: one({
      responses: [
        {
          is: { body: 'Have you read BOOK?' },
          behaviors: [
            {
              copy: { from: 'body', into: 'BOOK', using: { method: 'xpath', selector: '//n:title', ns: { n: BOOK } } },
            },
          ],
        },
      ],
    }),
    steps: [says('Have you read Watership Down?', post(shelf(TITLES, 'b:')))],
  },
  {
    name: 'copy: the first value of several, by JSONPath',
    imposters: one({
      responses: [
        {
          is: { body: 'Have you read BOOK?' },
          behaviors: [{ copy: { from: 'body', into: 'BOOK', using: { method: 'jsonpath', selector: '$..title' } } }],
        },
      ],
    }),
    steps: [says('Have you read Watership Down?', post(books))],
  },
  {
    name: 'copy: groups and values by index',
    imposters: one({
      responses: [
        {
          is: { body: '${B}[1]: ${N}[0]\n${B}[2]: ${N}[1]\n${B}[3]: ${N}[2]' },
          behaviors: [
            { copy: { from: 'body', into: '${N}', using: { method: 'jsonpath', selector: '$..note' } } },
            {
              copy: {
                from: { query: 'books' },
                into: '${B}',
                using: { method: 'regex', selector: '([^,]+),([^,]+),(.+)$' },
              },
            },
          ],
        },
      ],
    }),
    steps: [says('A b: note 0\nC: note 1\nD: note 2', send('POST', '/?books=A%20b,C,D', [], books))],
  },
  {
    name: 'lookup: a row of a CSV file',
    files: {
      'values.csv':
        'id,code,Name,price,tree,jobs\n1,400,liquid,23,mango,farmer\n2,500,water,12,pine,shepherd\n3,200,plasma,26,guava,logger\n',
    },
    imposters: one({
      responses: [
        {
          is: {
            statusCode: "${row}['code']",
            headers: { 'X-Tree': "${row}['tree']" },
            body: 'Hello ${row}["Name"], a ${row}[jobs]?',
          },
          behaviors: [
            {
              lookup: {
                key: { from: 'path', using: { method: 'regex', selector: '/(.*)$' }, index: 1 },
                fromDataSource: { csv: { path: 'FOLDER/values.csv', keyColumn: 'Name', delimiter: ',' } },
                into: '${row}',
              },
            },
          ],
        },
      ],
    }),
    steps: [says('Hello liquid, a farmer?', get('/liquid'), { status: 400, headers: { 'X-Tree': 'mango' } })],
  },
  {
    name: 'decorate: the time in a response',
    imposters: one({
      responses: [
        {
          is: { body: 'The time is ${TIME}' },
          behaviors: [
            {
              decorate:
                "(config) => { config.response.body = config.response.body.replace('${TIME}', new Date().toISOString()); }",
            },
          ],
        },
      ],
    }),
    steps: [says(/^The time is \d{4}-\d\d-\d\dT/, get())],
  },
  {
    name: 'decorate: a header on a proxied response',
    imposters: {
      it: forwarding({}, { behaviors: [{ decorate: "(config) => { config.response.headers['X-Test'] = 'True'; }" }] }),
      origin,
    },
    steps: [says('from the origin', get('/test'), { headers: { 'X-Test': 'True' } })],
  },
  {
    name: 'shellTransform: a program that finds a name in a file',
    files: {
      'names.txt': '123|Frodo Baggins\n234|Samwise Gamgee\n',
      'name.js': `const request = JSON.parse(process.env.MB_REQUEST);
        const response = JSON.parse(process.env.MB_RESPONSE);
        for (const line of require('fs').readFileSync(__dirname + '/names.txt', 'utf8').split('\\n')) {
          const [id, name] = line.split('|');
          if (request.path === '/accounts/' + id) response.body = response.body.replace('\${YOU}', name);
        }
        console.log(JSON.stringify(response));`,
    },
    imposters: one({
      predicates: [{ matches: { path: '/accounts/\\d+' } }],
      responses: [{ is: { body: 'Hello, ${YOU}!' }, behaviors: [{ shellTransform: 'node FOLDER/name.js' }] }],
    }),
    steps: [says('Hello, Samwise Gamgee!', get('/accounts/234')), says('Hello, Frodo Baggins!', get('/accounts/123'))],
  },
  {
    name: 'behaviors: a pipeline, one kind several times',
    imposters: one({
      responses: [
        {
          is: { body: '$A' },
          behaviors: [
            { copy: { from: 'path', into: '$A', using: { method: 'regex', selector: '\\w+' } } },
            { decorate: "c => { c.response.body += '-1'; }" },
            { wait: 5 },
            {
              shellTransform:
                'node -e "const r = JSON.parse(process.env.MB_RESPONSE); r.body += \'-2\'; console.log(JSON.stringify(r))" #',
            },
            { decorate: "c => { c.response.body += '-3'; }" },
          ],
        },
      ],
    }),
    steps: [says('x-1-2-3', get('/x'))],
  },
];

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

const proxies: readonly Documented[] = [
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

export const documented: readonly Documented[] = [...predicates, ...responses, ...behaviors, ...proxies];
