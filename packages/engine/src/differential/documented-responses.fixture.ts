// Mountebank docs: getting started, stubs, http, faults, injection.

import { get, post, send } from './case.fixture.js';
import { type Documented, one, says, status, stub } from './documented.fixture.js';

export const responses: readonly Documented[] = [
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
