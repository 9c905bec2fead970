// Mountebank docs: predicates, json, jsonpath, xpath.

import { get, post, send } from './case.fixture.js';
import { BOOK, books, type Documented, one, says, shelf, status, stub, TITLES } from './documented.fixture.js';

export const predicates: readonly Documented[] = [
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
