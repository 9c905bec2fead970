// Mountebank docs: behaviors.

import { get, post, send } from './case.fixture.js';
import { BOOK, books, type Documented, one, says, shelf, TITLES } from './documented.fixture.js';
import { forwarding, origin } from './documented-proxies.fixture.js';

export const behaviors: readonly Documented[] = [
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
