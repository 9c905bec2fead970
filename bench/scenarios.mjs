// One scenario is one request, always the same bytes, and the text that its answer must contain (`marker`; '' means an
// empty body). `stub` is the position that answers, undefined where none does.
import { stubsOf } from './fixture.mjs';

const json = (body) => ({ method: 'POST', headers: { 'Content-Type': 'application/json' }, body });

const scenario = (name, imposter, request, marker, stub) => ({
  name,
  imposter,
  request: { method: 'GET', headers: {}, body: '', ...request },
  marker,
  answer: stub === undefined ? { statusCode: 200, body: '' } : stubsOf[imposter][stub].responses[0].is,
});

/** The thirteen of every published table; their order is part of it. */
export const comparison = [
  scenario('simple_health', 'Simple', { target: '/health' }, 'OK', 0),
  scenario('api_first', 'API', { target: '/api/v1/resource1' }, '"total": 2', 0),
  scenario('api_middle', 'API', { target: '/api/v1/resource5/5' }, '"name": "resource5_5"', 137),
  scenario('api_last', 'API', { target: '/api/v1/resource10/10' }, '"name": "resource10_10"', 307),
  scenario('no_match', 'API', { target: '/nonexistent' }, ''),
  scenario('regex_last', 'Regex', { target: '/regex/pattern100/test' }, 'regex 100', 99),
  scenario(
    'complex_predicate',
    'Complex',
    { target: '/complex/25/test', ...json('{"name":"test"}') },
    '"complex": 25',
    24,
  ),
  scenario(
    'json_body_equals',
    'JSONBody',
    { target: '/json/equals/25', ...json('{"id":25,"type":"request"}') },
    '"matched": "equals"',
    24,
  ),
  scenario(
    'jsonpath',
    'JSONPath',
    { target: '/jsonpath/25', ...json('{"user":{"id":25,"name":"x"}}') },
    '"jsonpath_matched": true',
    24,
  ),
  scenario(
    'xpath',
    'XPath',
    {
      target: '/xpath/25',
      method: 'POST',
      headers: { 'Content-Type': 'application/xml' },
      body: '<root><item id="25">x</item></root>',
    },
    '<id>25</id>',
    24,
  ),
  scenario('template', 'Template', { target: '/template/25?foo=bar&baz=qux' }, '"template": 25', 24),
  scenario(
    'header_last',
    'Header',
    { target: '/headers/route', headers: { 'X-Route-Id': 'route-100' } },
    '"routed_to": 100',
    99,
  ),
  scenario('query_last', 'Query', { target: '/query/search?page=100&size=10' }, '"page": 100', 99),
];

/** One for each further dimension of an index; in no published table. */
export const dimensions = [
  scenario(
    'deepequals_body',
    'DeepEquals',
    {
      target: '/deep/equals/25',
      ...json('{"order":{"id":25,"items":[{"sku":"sku-25","qty":25}]},"meta":{"source":"bench"}}'),
    },
    '"matched": "deepEquals"',
    24,
  ),
  scenario('literal_prefix', 'Literal', { target: '/literal/prefix100/deep/path' }, '"kind": "prefix"', 198),
  scenario('literal_contains', 'Literal', { target: '/x/needle100/y' }, '"kind": "contains"', 199),
  scenario('method_mix', 'MethodMix', { target: '/method/25', method: 'DELETE' }, '"method_matched": "DELETE"', 97),
  scenario(
    'body_field_scale',
    'BodyField',
    { target: '/orders/submit', ...json('{"orderId":"ord-100","channel":"web"}') },
    '"body_field_matched": true',
    99,
  ),
];

export const recordingOn = {
  ...comparison.find(({ name }) => name === 'api_middle'),
  name: 'recording_on',
  imposter: 'Recording',
};
