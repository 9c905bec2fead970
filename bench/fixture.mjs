// The workload that engines are compared on: 14 imposters with 1,512 stubs, and one more that records. Every name, path,
// value and blank is fixed (fixture.test.mjs has digests), so that results stay comparable with those published before.

const JSON_TYPE = { 'Content-Type': 'application/json' };
const VERBS = ['PUT', 'DELETE', 'PATCH', 'OPTIONS'];

const upTo = (n, make) => Array.from({ length: n }, (_, index) => make(index + 1));
const stub = (predicates, is) => ({ predicates, responses: [{ is }] });
const ok = (body, headers) => (headers ? { statusCode: 200, headers, body } : { statusCode: 200, body });

const simple = () => [
  stub([{ equals: { path: '/health' } }], ok('OK')),
  stub([{ equals: { path: '/ping' } }], ok('pong')),
];

const api = () =>
  upTo(10, (r) => {
    const resource = `/api/v1/resource${r}`;
    const list = { equals: { method: 'GET', path: resource } };
    return [
      stub([list], ok('{"items": [{"id": 1}, {"id": 2}], "total": 2}', JSON_TYPE)),
      ...upTo(10, (j) => {
        const item = (method) => [{ equals: { method, path: `${resource}/${j}` } }];
        return [
          stub(item('GET'), ok(`{"id": ${j}, "name": "resource${r}_${j}"}`, JSON_TYPE)),
          stub(item('PUT'), ok(`{"id": ${j}, "updated": true}`)),
          stub(item('DELETE'), { statusCode: 204 }),
        ];
      }).flat(),
    ];
  }).flat();

const regex = () =>
  upTo(100, (i) => stub([{ matches: { path: `/regex/pattern${i}/[a-zA-Z0-9]+` } }], ok(`regex ${i}`)));

const complex = () =>
  upTo(50, (i) =>
    stub(
      [
        {
          and: [
            { equals: { method: 'POST' } },
            { startsWith: { path: `/complex/${i}/` } },
            {
              or: [
                { contains: { headers: { 'X-Request-Type': 'json' } } },
                { contains: { headers: { 'Content-Type': 'application/json' } } },
              ],
            },
          ],
        },
      ],
      ok(`{"complex": ${i}, "matched": true}`, JSON_TYPE),
    ),
  );

/** `n` stubs told apart by path and fields of a JSON body. */
export const jsonBody = (n = 50) =>
  upTo(n, (i) =>
    stub(
      [{ equals: { method: 'POST', path: `/json/equals/${i}`, body: { id: i, type: 'request' } } }],
      ok(`{"matched": "equals", "id": ${i}}`),
    ),
  );

// two predicates, because a selector applies to every field of its predicate
const jsonPath = () =>
  upTo(50, (i) =>
    stub(
      [
        { equals: { method: 'POST', path: `/jsonpath/${i}` } },
        { equals: { body: String(i) }, jsonpath: { selector: '$.user.id' } },
      ],
      ok(`{"jsonpath_matched": true, "user_id": ${i}}`),
    ),
  );

const xpath = () =>
  upTo(50, (i) =>
    stub(
      [
        { equals: { method: 'POST', path: `/xpath/${i}` } },
        { exists: { body: true }, xpath: { selector: `//item[@id='${i}']` } },
      ],
      ok(`<response><id>${i}</id></response>`, { 'Content-Type': 'application/xml' }),
    ),
  );

const template = () =>
  upTo(50, (i) =>
    stub(
      [{ equals: { path: `/template/${i}` } }],
      ok(`{"template": ${i}, "path": "\${request.path}", "query": "\${request.query}"}`, {
        'Content-Type': 'application/json',
        'X-Request-Path': '${request.path}',
      }),
    ),
  );

const header = () =>
  upTo(100, (i) =>
    stub([{ equals: { path: '/headers/route', headers: { 'X-Route-Id': `route-${i}` } } }], ok(`{"routed_to": ${i}}`)),
  );

const query = () =>
  upTo(100, (i) =>
    stub([{ equals: { path: '/query/search', query: { page: String(i), size: '10' } } }], ok(`{"page": ${i}}`)),
  );

const deepEquals = () =>
  upTo(50, (i) =>
    stub(
      [
        {
          deepEquals: {
            method: 'POST',
            path: `/deep/equals/${i}`,
            body: { order: { id: i, items: [{ sku: `sku-${i}`, qty: i }] }, meta: { source: 'bench' } },
          },
        },
      ],
      ok(`{"matched": "deepEquals", "order": ${i}}`),
    ),
  );

const literal = () =>
  upTo(100, (i) => [
    stub([{ startsWith: { path: `/literal/prefix${i}/` } }], ok(`{"literal": ${i}, "kind": "prefix"}`)),
    stub([{ contains: { path: `/needle${i}/` } }], ok(`{"literal": ${i}, "kind": "contains"}`)),
  ]).flat();

const methodMix = () =>
  upTo(50, (i) =>
    VERBS.map((method) =>
      stub([{ equals: { method, path: `/method/${i}` } }], ok(`{"method_matched": "${method}", "id": ${i}}`)),
    ),
  ).flat();

/** `n` stubs that share method and path: only a field of the body tells them apart. */
export const bodyField = (n = 200) =>
  upTo(n, (i) =>
    stub(
      [{ equals: { method: 'POST', path: '/orders/submit', body: { orderId: `ord-${i}`, channel: 'web' } } }],
      ok(`{"body_field_matched": true, "order": ${i}}`),
    ),
  );

/** Name to stubs, in the order of creation. */
export const stubsOf = {
  Simple: simple(),
  API: api(),
  Regex: regex(),
  Complex: complex(),
  JSONBody: jsonBody(),
  JSONPath: jsonPath(),
  XPath: xpath(),
  Template: template(),
  Header: header(),
  Query: query(),
  DeepEquals: deepEquals(),
  Literal: literal(),
  MethodMix: methodMix(),
  BodyField: bodyField(),
};

export const imposters = Object.entries(stubsOf).map(([name, stubs]) => ({ protocol: 'http', name, stubs }));
export const recordingImposter = { protocol: 'http', name: 'Recording', recordRequests: true, stubs: stubsOf.API };
