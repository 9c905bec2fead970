// Kinds of wrong matches that users of mock servers reported, as predicate, request and verdict. The inputs are ours;
// what counts is that the whole kind is right, so each has several.

export interface Report {
  readonly kind: string;
  readonly predicates: readonly object[];
  readonly requests: readonly {
    readonly body?: string;
    readonly headers?: Record<string, string>;
    readonly matches: boolean;
  }[];
}

const json = (value: unknown, matches: boolean) => ({ body: JSON.stringify(value), matches });
const text = (body: string, matches: boolean) => ({ body, matches });
const form = (body: string, matches: boolean, type = 'application/x-www-form-urlencoded') => ({
  body,
  headers: { 'Content-Type': type },
  matches,
});

const SOAP =
  '<?xml version="1.0"?>\n<!-- call --><e:Envelope xmlns:e="http://Soap.example/Env"><e:Body>\n' +
  '<Order xmlns="urn:Shop:Orders"><Id>A-7</Id></Order></e:Body></e:Envelope>';

export const matchingReports: readonly Report[] = [
  {
    kind: 'null in JSON is matched by null alone',
    predicates: [{ equals: { body: { owner: null } } }],
    requests: [
      json({ owner: null, x: 1 }, true),
      json({ owner: 'null' }, false),
      json({ owner: 0 }, false),
      json({ owner: '' }, false),
      json({ x: 1 }, false),
    ],
  },
  {
    kind: 'null inside an array of objects is matched by null alone',
    predicates: [{ equals: { body: { lines: [{ sku: 'b', note: null }] } } }],
    requests: [
      json({ lines: [{ sku: 'a' }, { sku: 'b', note: null }] }, true),
      json({ lines: [{ sku: 'b', note: 'x' }] }, false),
      json({ lines: [{ sku: 'b' }] }, false),
    ],
  },
  {
    kind: 'contains on an array of texts, numbers and null is a verdict, not an error',
    predicates: [{ contains: { body: { tags: 'bc' } } }],
    requests: [
      json({ tags: [null, 12, 'abcd'] }, true),
      json({ tags: [null, 12, 'acbd'] }, false),
      json({ tags: null }, false),
      json({ tags: 5 }, false),
      json({ tags: { a: 'abcd' } }, false),
    ],
  },
  {
    kind: 'startsWith and matches on numbers see their text',
    predicates: [{ startsWith: { body: { n: '4' } } }, { matches: { body: { n: '^4\\d$' } } }],
    requests: [
      json({ n: 42 }, true),
      json({ n: [null, 'x', 47] }, true),
      json({ n: 4 }, false),
      json({ n: false }, false),
    ],
  },
  {
    kind: 'XPath finds an element of a default namespace whatever prefix and case',
    predicates: [
      { equals: { body: 'a-7' }, xpath: { selector: '//o:Id', ns: { o: 'urn:Shop:Orders' } } },
      {
        equals: { body: 'A-7' },
        xpath: {
          selector: '/s:Envelope/s:Body/o:Order/o:Id',
          ns: { s: 'http://Soap.example/Env', o: 'urn:Shop:Orders' },
        },
        caseSensitive: true,
      },
    ],
    requests: [
      text(SOAP, true),
      text(SOAP.replaceAll('e:', 'env:').replace('xmlns:e=', 'xmlns:env='), true),
      text(SOAP.replace('urn:Shop:Orders', 'urn:Shop:Others'), false),
      text(SOAP.replace('A-7', 'A-8'), false),
    ],
  },
  {
    kind: 'the order of inner arrays does not matter to deepEquals behind a selector',
    predicates: [{ deepEquals: { body: { roles: ['x', 'y'], id: 1 } }, jsonpath: { selector: '$.users[0]' } }],
    requests: [
      json({ users: [{ roles: ['x', 'y'], id: 1 }] }, true),
      json({ users: [{ id: 1, roles: ['y', 'x'] }] }, true),
      json({ users: [{ id: 1, roles: ['y', 'x', 'z'] }] }, false),
      json({ users: [{ id: 1, roles: ['x', 'x'] }] }, false),
    ],
  },
  {
    kind: 'one JSON value in another spelling matches',
    predicates: [{ deepEquals: { body: { price: 12.5, name: 'a/b', list: [1] } } }],
    requests: [
      text('{"list":[1.0],\n "name":"a\\/b", "price":1.25e1}', true),
      text('{"price":12.50,"name":"\\u0061/b","list":[ 1 ]}', true),
      text('{"price":12.51,"name":"a/b","list":[1]}', false),
      text('{"price":12.5,"name":"a/b","list":[]}', false),
    ],
  },
  {
    kind: 'an empty array is neither an empty object nor nothing',
    predicates: [{ deepEquals: { body: [] } }],
    requests: [text('[ ]', true), text('{}', false), text('', false), text('[[]]', false)],
  },
  {
    kind: 'JSON that begins with a byte order mark is JSON',
    predicates: [{ equals: { body: { a: 1 } } }],
    requests: [text('\ufeff{"a":1}', true), text('\ufeff{"a":2}', false)],
  },
  {
    kind: 'fields of a form are matched one by one, decoded, in any order',
    predicates: [{ equals: { form: { city: 'São Paulo', zip: '1 2' } } }],
    requests: [
      form('zip=1+2&city=S%C3%A3o%20Paulo', true),
      form('city=S%C3%A3o+Paulo&more=1&zip=1%202', true, 'application/x-www-form-urlencoded;charset=UTF-8'),
      form('zip=9&zip=1+2&city=S%C3%A3o+Paulo', true, 'Application/X-WWW-Form-Urlencoded'),
      form('zip=1+2', false),
      form('zip=1+2&city=S%C3%A3o+Paulo', false, 'text/plain'),
    ],
  },
  {
    kind: 'names like __proto__ in a body are ordinary names',
    predicates: [{ equals: { body: { a: { b: '1' } } } }],
    requests: [text('{"__proto__":{"a":{"b":"1"}}}', false), text('{"__proto__":{},"a":{"b":"1"}}', true)],
  },
];
