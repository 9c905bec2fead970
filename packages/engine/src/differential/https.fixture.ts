// https imposters: certificates of server and clients, ciphers, what is inside TLS and what ends it.

import { createPrivateKey } from 'node:crypto';
import type { JsonObject } from '../model/types.js';
import { certificate } from '../responding/proxy/certificates.test-help.js';
import { type DifferentialCase, get, is, post, raw, responses, send } from './case.fixture.js';

const ca = certificate('an authority');
const server = certificate('localhost', ca);
const client = certificate('a client', ca);
const stranger = certificate('a stranger');
const encrypted = createPrivateKey(server.key)
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
  .toString();

const https = (imposter: JsonObject, more: JsonObject = {}): JsonObject => ({
  protocol: 'https',
  ...imposter,
  ...more,
});
const own = (more: JsonObject = {}): JsonObject =>
  https(is({ body: 'x' }), { key: server.key, cert: server.cert, ...more });
const verified = { mutualAuth: true, rejectUnauthorized: true, ca: [ca.cert] };
const clients = { none: {}, client, stranger } as const;

const auth: readonly (readonly [string, JsonObject])[] = [
  ['no client certificates', {}],
  ['rejectUnauthorized alone', { rejectUnauthorized: true }],
  ['rejectUnauthorized with ca', { rejectUnauthorized: true, ca: [ca.cert] }],
  ['mutualAuth without rejectUnauthorized', { mutualAuth: true, ca: [ca.cert] }],
  ['mutualAuth and rejectUnauthorized, system authorities', { mutualAuth: true, rejectUnauthorized: true }],
  ['mutualAuth, rejectUnauthorized and ca', verified],
  ['ca as one text', { ...verified, ca: ca.cert }],
  ['ca of somebody else', { ...verified, ca: [stranger.cert] }],
  ['mutualAuth as text', { ...verified, mutualAuth: 'true' }],
];

/** Every field that an imposter with stubs can have. */
const CONTRACT = own({
  name: 'a contract',
  recordRequests: 'true',
  numberOfRequests: '1',
  mutualAuth: false,
  defaultResponse: { statusCode: 400, body: 'Bad Request', headers: {} },
  stubs: [
    {
      responses: [
        {
          is: {
            statusCode: 201,
            headers: { Location: 'http://example.test/r' },
            body: 'The time is ${TIME}',
            _mode: 'text',
          },
          repeat: 3,
          behaviors: [
            { wait: 5 },
            { decorate: "config => { config.response.body = config.response.body.replace('${TIME}', 'now'); }" },
            { shellTransform: 'echo "$MB_RESPONSE" #' },
            {
              copy: {
                from: 'body',
                into: '${NAME}',
                using: { method: 'xpath', selector: '//t:name', ns: { t: 'urn:t' } },
              },
            },
            {
              lookup: {
                key: {
                  from: { headers: 'If-Modified-Since' },
                  using: {
                    method: 'regex',
                    selector: '(\\w+), (\\d+)',
                    options: { ignoreCase: true, multiline: true },
                  },
                  index: 2,
                },
                fromDataSource: { csv: { path: 'values.csv', keyColumn: 'month', delimiter: ',' } },
                into: '${row}',
              },
            },
          ],
        },
        { inject: "function (config) { config.callback({ body: 'It worked!' }); }" },
      ],
      predicates: [
        { equals: { body: 'value' }, caseSensitive: true, except: '^The ', jsonpath: { selector: '$..book' } },
        { inject: 'function (config) { return config.request.body.length < 100; }' },
      ],
    },
  ],
});

export const httpsCases: readonly DifferentialCase[] = [
  {
    name: 'the default certificate',
    imposter: https(is({ body: 'x' })),
    requests: [get(), post('b'), send('HEAD', '/')],
  },
  { name: 'an own pair, and how it is shown', imposter: own(), requests: [get()], after: true },
  {
    name: 'the fields of https as they are shown',
    imposter: own({ ...verified, ciphers: 'aes128-gcm-sha256:high' }),
    requests: [],
    after: true,
  },
  {
    name: 'fields that are falsy',
    imposter: own({ mutualAuth: false, rejectUnauthorized: false, ca: [] }),
    requests: [get()],
    after: true,
  },
  {
    name: 'every field of the documented contract at once',
    imposter: CONTRACT,
    requests: [get(), post('{"book":"The value"}'), post('{"book":"the value"}')],
  },
  { name: 'the documented contract as it is shown', imposter: CONTRACT, requests: [get()], after: true },
  { name: 'any server name is served', imposter: own(), requests: [get()], tls: { servername: 'other.test' } },
  { name: 'no server name is served', imposter: own(), requests: [get()], tls: { servername: '' } },
  { name: 'TLS 1.2', imposter: own(), requests: [get()], tls: { maxVersion: 'TLSv1.2' } },
  { name: 'TLS 1.3', imposter: own(), requests: [get()], tls: { minVersion: 'TLSv1.3' } },
  {
    name: 'TLS 1.1 is refused',
    imposter: own(),
    requests: [get()],
    tls: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
  },
  { name: 'HTTP/2 is not negotiated', imposter: own(), requests: [get()], tls: { ALPNProtocols: ['h2', 'http/1.1'] } },
  {
    name: 'a client that speaks HTTP/2 only is refused',
    imposter: own(),
    requests: [get()],
    tls: { ALPNProtocols: ['h2'] },
  },
  { name: 'HTTP without TLS is not answered', imposter: own(), requests: [get()], tls: 'none' },
  { name: 'other bytes instead of TLS', imposter: own(), requests: ['\0\0\0\0\0\0\0\0'], tls: 'none' },
  {
    name: 'a cipher that both have',
    imposter: own({ ciphers: 'ecdhe-rsa-aes128-gcm-sha256' }),
    requests: [get()],
    tls: { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' },
  },
  {
    name: 'a cipher that the server has not',
    imposter: own({ ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }),
    requests: [get()],
    tls: { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES256-GCM-SHA384' },
  },
  {
    name: 'ciphers do not touch TLS 1.3',
    imposter: own({ ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }),
    requests: [get()],
    tls: { minVersion: 'TLSv1.3' },
  },
  {
    name: 'a kept connection',
    imposter: own(is({ body: 'k', headers: { Connection: 'keep-alive' } })),
    requests: [[get('/1'), get('/2')], get() + get()],
  },
  { name: 'random data inside TLS', imposter: own(responses({ fault: 'RANDOM_DATA_THEN_CLOSE' })), requests: [get()] },
  { name: 'a request that is refused', imposter: own(), requests: [raw('nonsense'), raw('GET / HTTP/1.1')] },
  {
    name: 'requests are recorded as over HTTP',
    imposter: own({ recordRequests: true }),
    requests: [get('/a?b=c')],
    after: true,
  },
  {
    name: 'CORS over https',
    imposter: own({ allowCORS: true }),
    requests: [
      send('OPTIONS', '/', ['Origin: o', 'Access-Control-Request-Method: PUT', 'Access-Control-Request-Headers: x']),
    ],
  },
  {
    name: 'scripts over https',
    imposter: own(responses({ inject: 'c => ({ body: c.request.path })' })),
    requests: [get('/p')],
  },
  ...auth.flatMap(([what, fields]) =>
    Object.entries(clients).map(
      ([who, pair]): DifferentialCase => ({
        name: `client certificates: ${what}; the client has ${who}`,
        imposter: own(fields),
        requests: [get()],
        tls: pair,
      }),
    ),
  ),
  ...(
    [
      ['a certificate that is no PEM', { cert: 'x' }],
      ['a key that is no PEM', { key: 'x' }],
      ['a pair that does not belong together', { key: client.key }],
      ['an encrypted key', { key: encrypted }],
      ['unknown ciphers', { ciphers: 'NO-SUCH' }],
    ] as const
  ).map(([what, fields]): DifferentialCase => ({ name: `refused: ${what}`, imposter: own(fields), requests: [] })),
  ...(['key', 'cert'] as const).map(
    (half): DifferentialCase => ({
      name: `refused: ${half} alone`,
      imposter: https(is({}), { [half]: server[half] }),
      requests: [],
      fix: 'F32',
      oursRefused: [{ code: 'bad data', message: 'https imposter must provide both `cert` and `key`, or neither' }],
    }),
  ),
];
