// Admin exchanges that this server and a real Mountebank answer alike, and those that they do not, with the reason.
// `{A}`, `{B}`, `{C}` stand for ports of imposters, `{admin}` for the admin port.

export interface AdminExchange {
  readonly method: string;
  readonly path: string;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent to the imposter on that port instead of the admin port. */
  readonly to?: 'A' | 'B' | 'C';
  /** Compared: status only (pages whose content is free), or status, headers and body. Default all. */
  readonly compare?: 'status' | 'status-and-headers';
  /** Anchor of the reason in docs/differences.md: the two answers must differ. */
  readonly differs?: string;
}

export interface Story {
  readonly name: string;
  /** Which pair of servers: how both were started. */
  readonly servers: 'plain' | 'guarded' | 'injecting';
  readonly exchanges: readonly AdminExchange[];
}

const get = (path: string, more: Partial<AdminExchange> = {}): AdminExchange => ({ method: 'GET', path, ...more });
const post = (path: string, body?: unknown, more: Partial<AdminExchange> = {}): AdminExchange => ({
  method: 'POST',
  path,
  body,
  ...more,
});
const put = (path: string, body?: unknown, more: Partial<AdminExchange> = {}): AdminExchange => ({
  method: 'PUT',
  path,
  body,
  ...more,
});
const del = (path: string, more: Partial<AdminExchange> = {}): AdminExchange => ({ method: 'DELETE', path, ...more });
const is = (body: unknown, more: object = {}) => ({ is: { body, ...more } });
const stub = (body: unknown, predicates?: unknown) =>
  predicates === undefined ? { responses: [is(body)] } : { predicates, responses: [is(body)] };
const create = (more: object = {}, exchange: Partial<AdminExchange> = {}) =>
  post('/imposters', { protocol: 'http', port: '{A}', ...more }, exchange);
const accept = (value: string) => ({ headers: { Accept: value } });

export const stories: readonly Story[] = [
  {
    name: 'home and its negotiation',
    servers: 'plain',
    exchanges: [
      get('/'),
      get('/', { headers: { Host: 'example.com' } }),
      get('/', accept('*/*')),
      get('/', accept('application/*')),
      get('/', accept('application/json')),
      get('/', accept('application/json, text/html')),
      get('/', accept('application/xml')),
      get('/', accept('text/plain')),
      get('/', accept('application/json;q=0')),
      get('/', { ...accept('application/json; charset=utf-8, */*;q=0'), differs: 'accept-parameters' }),
      get('/', { ...accept('application/json; charset=utf-8'), differs: 'accept-parameters' }),
      get('/', { ...accept('text/html'), compare: 'status' }),
      get('/', { ...accept('text/html, application/json'), compare: 'status' }),
      get('/', { ...accept('text/html;q=0.5, application/json;q=0.6') }),
      get('/', { headers: { Accept: '*/*', 'User-Agent': 'MSIE 6' }, compare: 'status' }),
      get('/', { headers: { Accept: 'application/json', 'User-Agent': 'MSIE 6' } }),
      get('/?x=1'),
      { method: 'HEAD', path: '/' },
      get('/', { headers: { Connection: 'close' } }),
    ],
  },
  {
    name: 'routing',
    servers: 'plain',
    exchanges: [
      get('/Imposters/'),
      get('/IMPOSTERS'),
      get('/imposters//'),
      get('//imposters'),
      get('/nope'),
      get('/nope?<b>=1'),
      get('/%3Cscript%3E'),
      get("/it's&<b>"),
      get('/imposters/%zz'),
      get('/imposters/abc'),
      get('/imposters/04545'),
      get('/imposters/1'),
      get('/imposters/1', accept('application/xml')),
      { method: 'PATCH', path: '/imposters' },
      { method: 'PUT', path: '/imposters/1' },
      { method: 'POST', path: '/imposters/1' },
      { method: 'POST', path: '/' },
      { method: 'TRACE', path: '/' },
      del('/imposters/1/stubs'),
      del('/logs'),
      { method: 'OPTIONS', path: '/' },
      { method: 'OPTIONS', path: '/imposters' },
      { method: 'OPTIONS', path: '/imposters/1' },
      { method: 'OPTIONS', path: '/logs' },
      { method: 'OPTIONS', path: '/config' },
      { method: 'OPTIONS', path: '/metrics' },
      { method: 'OPTIONS', path: '/imposters/1/savedProxyResponses' },
      { method: 'OPTIONS', path: '/imposters/1/stubs', differs: 'stub-reading' },
      { method: 'OPTIONS', path: '/imposters/1/stubs/0', differs: 'stub-reading' },
      { method: 'OPTIONS', path: '/nope' },
      get('/imposters/1/stubs', { differs: 'stub-reading' }),
      get('/imposters/1/nope'),
      get('/favicon.ico'),
      get('/images', { compare: 'status-and-headers' }),
      get('/images/'),
      get('/images/nope.png'),
      get('/images/favicon.ico', { compare: 'status' }),
      get('/releases/v0.0.0'),
      get('/feed?page=0', { differs: 'feed-pages', compare: 'status' }),
      get('/feed', { compare: 'status' }),
      get('/sitemap', { compare: 'status' }),
      get('/docs/api/overview', { compare: 'status' }),
      get('/docs/nope'),
    ],
  },
  {
    name: 'bodies that are no JSON',
    servers: 'plain',
    exchanges: [
      get('/imposters', { body: 'junk' }),
      get('/imposters', { body: '{"a":1}' }),
      put('/imposters/9/stubs', '{bad'),
      post('/imposters', '{"protocol":"http",}'),
      post('/imposters', '\ufeff{}'),
      post('/nope', 'x'),
      post('/nope', '{}'),
      del('/imposters/1', { body: "it's <b> \u00fc" }),
      post('/imposters', '   '),
      post('/imposters', ' {} '),
      { method: 'OPTIONS', path: '/imposters', body: 'x' },
      get('/images/favicon.ico', { body: 'x' }),
    ],
  },
  {
    name: 'an imposter from creation to deletion',
    servers: 'plain',
    exchanges: [
      get('/imposters'),
      create({ name: 'svc', recordRequests: 1, zzz: 1, numberOfRequests: 7, requests: [1], _links: {} }),
      get('/imposters/{A}'),
      { method: 'HEAD', path: '/imposters/{A}' },
      get('/imposters/{A}', { ...accept('text/html'), compare: 'status' }),
      get('/imposters/{A}', accept('application/xml')),
      get('/imposters/{A}?replayable=true'),
      get('/imposters/{A}?replayable=TRUE'),
      get('/imposters/{A}?replayable=1'),
      get('/imposters/{A}?replayable=yes&removeProxies='),
      get('/imposters/{A}/'),
      get('/imposters'),
      get('/imposters?replayable=true'),
      get('/imposters?removeProxies=true'),
      get('/imposters', { headers: { Host: 'other:1' } }),
      get('/', { to: 'A', headers: { Connection: 'close' } }),
      get('/imposters/{A}'),
      del('/imposters/{A}?replayable=true'),
      del('/imposters/{A}'),
      get('/imposters/{A}'),
      get('/imposters'),
    ],
  },
  {
    name: 'forms of an imposter',
    servers: 'plain',
    exchanges: [
      create({
        name: 'café ✓',
        defaultResponse: { statusCode: 404, headers: { 'X-Z': 'z', 'A-B': 'b' }, body: 'none' },
        stubs: [
          {
            comment: 'kept',
            predicates: [{ equals: { path: '/a' } }],
            responses: [is('a')],
            extra: { b: 1, 2: 2, 1: 1 },
          },
          { responses: [{ proxy: { to: 'http://127.0.0.1:1' } }] },
          { responses: [{ proxy: { to: 'http://127.0.0.1:1' } }, is('b')] },
          { responses: [is('c', { headers: { 'Content-Type': 'text/plain' }, statusCode: '201' })] },
        ],
      }),
      get('/imposters/{A}?removeProxies=true'),
      get('/imposters/{A}?removeProxies=true&replayable=true'),
      get('/imposters?removeProxies=true'),
      get('/imposters?replayable=true&removeProxies=true'),
      get('/imposters'),
      del('/imposters?replayable=false&removeProxies=true'),
      del('/imposters'),
      create({ name: '' }),
      del('/imposters?replayable=false'),
      create({ name: 0 }),
      create({ port: '{B}', name: 7, recordRequests: 'false', stubs: null }),
      get('/imposters'),
      del('/imposters'),
      create({ stubs: [{ predicates: [], responses: [{ is: {}, _behaviors: { wait: 5, repeat: 2 } }] }] }),
      get('/imposters/{A}'),
      del('/imposters/{A}'),
      create({
        stubs: [
          {
            responses: [
              {
                is: { body: { _links: { self: { href: '/x' } } } },
                _behaviors: { copy: [{ from: 'path', into: '${p}', using: { method: 'regex', selector: '.*' } }] },
              },
            ],
          },
        ],
      }),
      del('/imposters/{A}?replayable=true'),
      create({ allowCORS: true }, { differs: 'round-trip' }),
      del('/imposters/{A}', { differs: 'round-trip' }),
      create({ host: 'localhost' }, { differs: 'round-trip' }),
      del('/imposters', { differs: 'round-trip' }),
      create(
        { stubs: [{ responses: [is('x')], matches: [1], _links: { self: { href: '/q' } } }] },
        { differs: 'stub-output-keys' },
      ),
      get('/imposters/{A}?replayable=true', { differs: 'stub-output-keys' }),
      del('/imposters', { differs: 'stub-output-keys' }),
    ],
  },
  {
    name: 'replacing the set',
    servers: 'plain',
    exchanges: [
      put('/imposters', {
        imposters: [
          { protocol: 'http', port: '{B}' },
          { protocol: 'http', port: '{A}', name: 'a' },
        ],
      }),
      get('/imposters'),
      put('/imposters', {}),
      put('/imposters', { imposters: [{ protocol: 'http', port: '{C}' }, { port: 'x' }, { protocol: 'ftp' }] }),
      put('/imposters', {
        imposters: [
          { protocol: 'http', port: '{C}', stubs: [{ responses: [] }, { responses: [{ is: {}, repeat: 0 }] }] },
          { protocol: 'http', stubs: [{}] },
        ],
      }),
      get('/imposters'),
    ],
  },
  {
    name: 'the set emptied by a replacement',
    servers: 'plain',
    exchanges: [
      create(),
      put('/imposters', { imposters: [] }),
      get('/imposters'),
      put('/imposters', { imposters: [{ protocol: 'http', port: '{A}' }] }),
      put('/imposters', { imposters: [{ protocol: 'http', port: '{A}', name: 'again' }] }),
      get('/imposters/{A}'),
      del('/imposters'),
    ],
  },
  {
    name: 'stubs by position',
    servers: 'plain',
    exchanges: [
      create({ stubs: [stub('a'), stub('b')] }),
      post('/imposters/{A}/stubs', { index: 0, stub: stub('s') }),
      post('/imposters/{A}/stubs', { stub: stub('end') }),
      post('/imposters/{A}/stubs', { index: 1.7, stub: stub('fraction') }),
      post('/imposters/{A}/stubs', { index: 99, stub: stub('x') }),
      post('/imposters/{A}/stubs', { index: -1, stub: stub('x') }),
      post('/imposters/{A}/stubs', { index: null, stub: stub('x') }),
      post('/imposters/{A}/stubs', { index: '0', stub: stub('x') }),
      post('/imposters/{A}/stubs', { index: 99 }),
      post('/imposters/{A}/stubs', {}),
      post('/imposters/{A}/stubs'),
      post('/imposters/{A}/stubs', { stub: { responses: [] } }),
      post('/imposters/{A}/stubs', { stub: { responses: [{}] } }),
      post('/imposters/{A}/stubs?replayable=true', { stub: stub('r') }),
      post('/imposters/1/stubs', { stub: stub('x') }),
      put('/imposters/{A}/stubs/1', stub('replaced', [{ equals: { path: '/p' } }])),
      put('/imposters/{A}/stubs/99', stub('x')),
      put('/imposters/{A}/stubs/-1', stub('x')),
      put('/imposters/{A}/stubs/abc', stub('x')),
      put('/imposters/{A}/stubs/01', stub('x')),
      put('/imposters/{A}/stubs/0', { predicates: [{ foo: {} }], responses: [is('x')] }),
      put('/imposters/{A}/stubs/0'),
      put('/imposters/1/stubs/0', stub('x')),
      del('/imposters/{A}/stubs/0'),
      del('/imposters/{A}/stubs/99'),
      del('/imposters/{A}/stubs/abc'),
      del('/imposters/1/stubs/0'),
      put('/imposters/{A}/stubs', { stubs: [stub('only')] }),
      put('/imposters/{A}/stubs', {}),
      put('/imposters/{A}/stubs'),
      put('/imposters/{A}/stubs', { stubs: null }),
      put('/imposters/{A}/stubs', { stubs: {} }),
      put('/imposters/{A}/stubs', { stubs: [{ responses: [] }, { responses: [{ is: {}, repeat: 0 }] }] }),
      put('/imposters/1/stubs', { stubs: [] }),
      put('/imposters/{A}/stubs', { stubs: [] }),
      post('/imposters/{A}/stubs', { stub: { responses: [{ is: {}, _behaviors: { wait: 1, repeat: 3 } }] } }),
      get('/imposters/{A}'),
      del('/imposters'),
    ],
  },
  {
    name: 'recorded requests',
    servers: 'plain',
    exchanges: [
      create({ recordRequests: true, stubs: [stub('a', [{ equals: { path: '/a' } }])] }),
      get('/a?x=1&y=2&x=3&z', { to: 'A', headers: { 'X-Custom-Header': 'V', Connection: 'close' } }),
      post('/b', 'k=v&z=1+2', {
        to: 'A',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8', Connection: 'close' },
      }),
      post('/c%20d', { json: [1, 2] }, { to: 'A', headers: { Connection: 'close' } }),
      get('/imposters/{A}'),
      get('/imposters/{A}', { ...accept('text/html'), compare: 'status' }),
      del('/imposters/{A}/savedProxyResponses'),
      del('/imposters/{A}/requests'),
      del('/imposters/{A}/savedRequests', accept('application/xml')),
      get('/imposters/{A}'),
      del('/imposters/{A}/savedRequests'),
      del('/imposters/{A}/savedRequests', { ...accept('text/html'), compare: 'status' }),
      del('/imposters/1/savedRequests'),
      del('/imposters/1/savedProxyResponses'),
      del('/imposters/1/requests'),
      del('/imposters'),
    ],
  },
  {
    name: 'what is refused at creation',
    servers: 'plain',
    exchanges: [
      post('/imposters', {}),
      post('/imposters'),
      post('/imposters', '""'),
      post('/imposters', '[]'),
      post('/imposters', '17'),
      post('/imposters', { port: 'abc' }),
      post('/imposters', { port: 0, protocol: 'http' }),
      post('/imposters', { port: 65536, protocol: 'http' }),
      post('/imposters', { port: 1.5, protocol: 'http' }),
      post('/imposters', { port: '', protocol: 'http' }),
      post('/imposters', { protocol: 'ftp' }),
      post('/imposters', { protocol: 'http', stubs: [{}] }),
      post('/imposters', { protocol: 'http', stubs: [{ responses: [] }, {}] }),
      post('/imposters', { protocol: 'http', stubs: [{ responses: [{}] }] }),
      post('/imposters', { protocol: 'http', stubs: [{ responses: [{ is: {}, proxy: { to: 'http://x' } }] }] }),
      post('/imposters', { protocol: 'http', stubs: [{ responses: [{ is: {}, repeat: 0 }] }] }),
      post('/imposters', { protocol: 'http', stubs: [{ responses: [{ is: {}, behaviors: [{ foo: 1 }] }] }] }),
      post('/imposters', { protocol: 'http', stubs: [{ responses: [{ is: {}, behaviors: [{ copy: {} }] }] }] }),
      post('/imposters', { protocol: 'http', stubs: [{ responses: [{ is: {}, behaviors: [{ lookup: {} }] }] }] }),
      post('/imposters', { protocol: 'http', stubs: [{ responses: [{ is: {}, behaviors: [{ wait: -1 }] }] }] }),
      post('/imposters', {
        protocol: 'http',
        stubs: [{ responses: [{ is: {}, behaviors: [{ wait: 1, decorate: 'x' }] }] }],
      }),
      post('/imposters', { protocol: 'http', stubs: [{ responses: [{ is: {}, behaviors: [{ wait: '100' }] }] }] }),
      post('/imposters', { protocol: 'http', stubs: [{ responses: [{ inject: '() => 1' }] }] }),
      post('/imposters', {
        protocol: 'http',
        stubs: [{ responses: [{ is: {}, behaviors: [{ shellTransform: 'x' }, { decorate: 'y' }] }] }],
      }),
      post('/imposters', {
        protocol: 'http',
        stubs: [{ predicates: [{ inject: '() => true' }], responses: [is('x')] }],
      }),
      post('/imposters', { protocol: 'http', stubs: [{ responses: [{ proxy: {} }] }] }),
      post('/imposters', { protocol: 'http', stubs: [{ responses: [{ proxy: { to: 'http://x/path' } }] }] }),
      post('/imposters', { protocol: 'http', stubs: [{ predicates: [{ not: {} }], responses: [is('x')] }] }),
      post('/imposters', { protocol: 'http', stubs: [{ predicates: [{ foo: 1 }], responses: [is('x')] }] }),
      post('/imposters', {
        protocol: 'http',
        stubs: [{ predicates: [{ equals: { body: 1 }, xpath: { selector: '=*' } }], responses: [is('x')] }],
      }),
      post(
        '/imposters',
        { protocol: 'http', stubs: [{ predicates: [{ or: [{ inject: '() => true' }] }], responses: [is('x')] }] },
        { differs: 'nested-injection' },
      ),
      post(
        '/imposters',
        { protocol: 'http', stubs: [{ predicates: [{ matches: { path: '[' } }], responses: [is('x')] }] },
        { differs: 'plain-exceptions' },
      ),
      post(
        '/imposters',
        { protocol: 'http', stubs: [{ responses: [{ proxy: { to: 'no url' } }] }] },
        { differs: 'plain-exceptions' },
      ),
    ],
  },
  {
    name: 'tcp and https imposters',
    servers: 'plain',
    exchanges: [
      post('/imposters', { protocol: 'tcp', port: '{A}', name: 't', stubs: [{ responses: [{ is: { data: 'x' } }] }] }),
      get('/imposters/{A}'),
      get('/imposters/{A}?replayable=true'),
      post('/imposters', { protocol: 'tcp', port: '{B}', mode: 'binary', recordRequests: true }),
      get('/imposters'),
      get('/imposters?replayable=true'),
      post('/imposters/{A}/stubs', { stub: { responses: [{ proxy: { to: { host: 'localhost', port: 9 } } }] } }),
      post('/imposters/{B}/stubs', {
        stub: { predicates: [{ matches: { data: 'a' } }], responses: [{ is: { data: 'AAA=' } }] },
      }),
      post('/imposters/{B}/stubs', {
        stub: {
          predicates: [{ equals: { data: 'AA==' }, jsonpath: { selector: '$' } }],
          responses: [{ is: { data: 'AAA=' } }],
        },
      }),
      put('/imposters/{A}/stubs/0', { responses: [{ is: { data: 'y' }, _behaviors: { wait: 1 } }] }),
      del('/imposters/{A}/stubs/1'),
      del('/imposters/{A}'),
      del('/imposters'),
      post('/imposters', {
        protocol: 'tcp',
        mode: 'foo',
        endOfRequestResolver: { inject: '() => true' },
        stubs: [{ responses: [] }, { responses: [{ is: {}, behaviors: [{ foo: 1 }] }] }],
      }),
      post('/imposters', { protocol: 'tcp', mode: 'foo' }),
      post('/imposters', { protocol: 'tcp', port: 'x', mode: 'foo' }),
      put('/imposters', {
        imposters: [
          { protocol: 'tcp', port: '{B}' },
          { protocol: 'http', port: '{A}' },
        ],
      }),
      get('/imposters'),
      put('/imposters', {
        imposters: [
          { protocol: 'tcp', port: '{A}', mode: 'x' },
          { protocol: 'http', port: '{C}' },
        ],
      }),
      get('/imposters'),
      post('/imposters', { protocol: 'https', port: '{C}', key: 'no PEM', cert: 'no PEM' }, { differs: 'bind-errors' }),
      get('/imposters'),
      del('/imposters'),
    ],
  },
  {
    name: 'order of several errors',
    servers: 'plain',
    exchanges: [
      create({
        stubs: [
          { responses: [{ is: {}, behaviors: [{ copy: {} }, { lookup: { key: {}, fromDataSource: {} } }] }] },
          { responses: [{ is: {}, repeat: -1, behaviors: [{ shellTransform: 1 }, { wait: true }] }] },
          { predicates: [{ inject: 'x' }], responses: [{ inject: 'y' }] },
          { predicates: [{ equals: {} }, {}], responses: [{ is: {} }] },
        ],
      }),
      create({
        stubs: [
          {
            responses: [
              { is: {}, behaviors: [{ copy: { from: { a: 1, b: 2 }, into: 1, using: { method: 'x', selector: 2 } } }] },
            ],
          },
          {
            responses: [
              {
                is: {},
                behaviors: [
                  {
                    lookup: {
                      key: { from: 1, using: 'x' },
                      fromDataSource: { csv: { path: 1, keyColumn: 2, delimiter: 3 } },
                      into: null,
                    },
                  },
                ],
              },
            ],
          },
          { responses: [{ is: {}, behaviors: [{}, { wait: 0, x: 1 }] }] },
        ],
      }),
      create({
        stubs: [{ responses: [{ proxy: { to: 'http://localhost:1/' } }, { proxy: { to: 'http://localhost:1/a?b' } }] }],
      }),
      create({ stubs: [{ responses: [{ is: '' }] }] }),
      create({
        stubs: [
          {
            responses: [
              { is: {}, repeat: '3' },
              { is: {}, repeat: 1.5 },
            ],
          },
        ],
      }),
      del('/imposters'),
    ],
  },
  {
    name: 'ports that cannot be had',
    servers: 'plain',
    exchanges: [
      create(),
      create({}, { differs: 'port-conflict' }),
      post('/imposters', { protocol: 'http', port: '{admin}' }, { differs: 'port-conflict' }),
      create({ port: '{B}', host: '192.0.2.1' }, { differs: 'bind-errors' }),
      get('/imposters'),
      del('/imposters'),
    ],
  },
  {
    name: 'logs and configuration',
    servers: 'plain',
    exchanges: [
      get('/logs'),
      get('/logs?startIndex=0&endIndex=0'),
      get('/logs?startIndex=5'),
      get('/logs?startIndex=x&endIndex=y'),
      get('/logs', { ...accept('text/html'), compare: 'status' }),
      get('/logs', accept('text/plain')),
      get('/config', { compare: 'status' }),
      get('/config', { ...accept('text/html'), compare: 'status' }),
      get('/config', accept('text/plain')),
      get('/metrics', { compare: 'status' }),
      { method: 'HEAD', path: '/metrics', compare: 'status' },
    ],
  },
  {
    name: 'with a key and an origin',
    servers: 'guarded',
    exchanges: [
      get('/'),
      get('/nope'),
      get('/metrics'),
      get('/images/favicon.ico'),
      post('/imposters', 'junk'),
      { method: 'OPTIONS', path: '/' },
      get('/', { headers: { 'X-Api-Key': 'wrong' } }),
      get('/', { headers: { 'X-Api-Key': 's3' } }),
      get('/', { headers: { 'x-api-key': 's3', Origin: 'http://b.test' } }),
      get('/', { headers: { 'x-api-key': 's3', Accept: 'application/xml' } }),
      get('/nope', { headers: { 'x-api-key': 's3' } }),
      get('/releases/v0.0.0', { headers: { 'x-api-key': 's3' } }),
      post('/imposters', 'junk', { headers: { 'x-api-key': 's3' } }),
      post('/imposters', {}, { headers: { 'x-api-key': 's3' } }),
      create({}, { headers: { 'x-api-key': 's3' } }),
      get('/imposters/{A}', { headers: { 'x-api-key': 's3' } }),
      put('/imposters/{A}/stubs', { stubs: [stub('a')] }, { headers: { 'x-api-key': 's3' } }),
      { method: 'OPTIONS', path: '/imposters', headers: { 'x-api-key': 's3' } },
      {
        method: 'OPTIONS',
        path: '/nope',
        headers: { 'x-api-key': 's3', Origin: 'http://b.test', 'Access-Control-Request-Headers': 'a, b' },
      },
      {
        method: 'OPTIONS',
        path: '/imposters',
        headers: { Origin: 'http://a.test', 'Access-Control-Request-Method': 'POST' },
        differs: 'preflight-key',
      },
      get('/', { headers: { Authorization: 'Bearer s3' }, differs: 'authorization-header' }),
      del('/imposters', { headers: { 'x-api-key': 's3' } }),
    ],
  },
  {
    name: 'with scripts and matches',
    servers: 'injecting',
    exchanges: [
      create({
        recordRequests: true,
        stubs: [
          { predicates: [{ equals: { path: '/a' } }], responses: [is('A'), is('B')] },
          { responses: [{ is: { body: 'w' }, behaviors: [{ wait: '() => 0' }] }] },
        ],
      }),
      get('/a', { to: 'A', headers: { Connection: 'close' } }),
      get('/a', { to: 'A', headers: { Connection: 'close' } }),
      get('/imposters/{A}'),
      get('/imposters/{A}?replayable=true'),
      put('/imposters/{A}/stubs/0', stub('new', [{ equals: { path: '/a' } }])),
      get('/a', { to: 'A', headers: { Connection: 'close' } }),
      del('/imposters/{A}/savedProxyResponses'),
      del('/imposters/{A}'),
      create({ stubs: [{ responses: [{ inject: 'config => ({ body: config.request.path })' }] }] }),
      get('/scripted', { to: 'A', headers: { Connection: 'close' } }),
      del('/imposters?replayable=false'),
    ],
  },
];
