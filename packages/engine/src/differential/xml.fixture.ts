// XML that is broken, in every place where XPath reads it: predicates, copy, lookup. Mountebank reads as far as it can.

import type { JsonObject } from '../model/types.js';
import { type DifferentialCase, post, responses, usual } from './case.fixture.js';

const whole =
  '\ufeff<?xml version="1.0"?>\n<!-- top --><r id="x" n=\'Y\' xmlns:p="urn:p" xmlns="urn:d"><a k="1">t&amp;T&#65;<b/>z</a>' +
  '<p:c p:k="2">C</p:c><?pi da ta?><A>Up</A><e f = "3" >q</e ></r>\n<!-- end -->';
const cutOff = Array.from(whole, (_, length) => whole.slice(0, length + 1));
const cutIn = cutOff.map((start) => start.slice(-1) + whole.slice(start.length)).slice(-40);

const broken = [
  // text and nothing else, what is no XML at all
  ...['', ' \n', 'text', '{"a": 1}', '\0\u0001\u0002', '<', '>', '&', '<>', '</>', '< a>', 'a < b && c > d'],
  // elements without an end, with another end, with an end too many
  ...[
    '<r id="x">',
    '<r><a k="1">t</r>',
    '<r><a>t</b></r>',
    '<r><a>1<b>2</a>3</b>4</r>',
    '<r>t</r></r>',
    '</a><a>t</a>',
  ],
  ...[
    '<A>t</a>',
    '<r><A>t</a><b>u</b></r>',
    '<a><a>t</a>',
    '<a>t</a',
    '<a>t</',
    '<a>t</a b>',
    '<a>t</ a>',
    '<a>t</a\n>',
  ],
  ...['<r><p:c>t</p:d></r>', '<r><a>t</a >u<a>v</a></r>', '<r><a>t</A></a></r>'],
  // text outside of the root
  ...[
    't<a>u</a>',
    '<a>t</a>u',
    '\ufeff<a>t</a>',
    '<a>t</a>\0',
    '<a/><?xml version="1.0"?>',
    ' <?xml version="1.0"?><a>t</a>',
  ],
  // attributes
  ...['<a k=1>t</a>', '<a k>t</a>', '<a k="1>t</a>', '<a k="1"l="2">t</a>', '<a k="1" k="2">t</a>', '<a "1">t</a>'],
  ...[
    '<a k = >t</a>',
    '<a k="<">t</a>',
    '<a k="&bad;&lt;&LT;">t</a>',
    '<a k="1" K="2">t</a>',
    '<a 1="1">t</a>',
    '<a/k="1">',
  ],
  // names and prefixes
  ...[
    '<1a/>',
    '<r><1a>t</1a></r>',
    '<p:a k="1">t</p:a>',
    '<a p:k="1">t</a>',
    '<P:a xmlns:p="u">t</P:a>',
    '<a:b:c>t</a:b:c>',
  ],
  // references
  ...['<a>&bad;</a>', '<a>&</a>', '<a>&#x;&#0;&#65&#X41;</a>', '<a>&LT;&lt</a>', '<a>&#99999999;</a>'],
  // comments, instructions and sections
  ...['<a><!-- t</a>', '<a><!-- t -- u --></a>', '<a><!t></a>', '<a><?t</a>', '<a><?t?u?></a>', '<?xml?><a>t</a>'],
  ...[
    '<a>t]]></a>',
    '<a>\u0085\u2028\r\n\r</a>',
    '<a\0k="1">t</a>',
    '<a>\0</a>',
    '<hasOwnProperty k="1">t</hasOwnProperty>',
  ],
];
const sections = ['<a><![CDATA[t', '<a><![CDATA[<b>]]></a>', '<r><a>t</b><![CDATA[<b>]]></r>', '<a><![cdata[t]]></a>'];

const posts = (bodies: readonly string[]) => bodies.map((body) => post(body));
const selectors = ['//*', '//@*', '//text()', '//comment()', '//processing-instruction()', '/node()'];

/** The first values that each selector finds. */
const copies = responses({
  is: { body: selectors.map((_, at) => [0, 1, 2, 3, 4].map((n) => `{$${at}[${n}]}`).join('')).join('\n') },
  behaviors: selectors.map((selector, at) => ({
    copy: { from: 'body', into: `$${at}`, using: { method: 'xpath', selector } },
  })),
});

/** A stub for each list of predicates, and what to answer when none of them holds. */
const withStubs = (...predicates: readonly (readonly JsonObject[])[]): JsonObject => ({
  stubs: [
    ...predicates.map((list, at) => ({ predicates: list, responses: [{ is: { body: String(at) } }] })),
    { responses: [{ is: { body: 'none' } }] },
  ] as JsonObject[],
});
const on = (operator: string, body: unknown, selector: string, more: object = {}) =>
  ({ [operator]: { body }, xpath: { selector }, ...more }) as JsonObject;

const predicateSets: readonly (readonly [string, JsonObject])[] = [
  [
    'names and attributes',
    withStubs(
      [on('equals', 't', '//a')],
      [on('equals', '1', '//a/@k')],
      [on('exists', true, '//@id')],
      [on('exists', true, '//a')],
      [on('exists', true, '//*')],
      [on('exists', true, '//node()')],
    ),
  ],
  [
    'each operator',
    withStubs(
      [on('deepEquals', ['t', 'u'], '//*')],
      [on('deepEquals', 't', '//a')],
      [on('contains', 't', '//r/text()')],
      [on('startsWith', 'u', '//text()')],
      [on('endsWith', 't', '//text()')],
      [on('matches', '^\\d$', '//@*')],
      [{ not: on('exists', true, '//a') }, on('exists', false, '//@k')],
    ),
  ],
  [
    'with case, except, and together',
    withStubs(
      [on('equals', 'T', '//A', { caseSensitive: true })],
      [on('equals', 'T', '//a', { caseSensitive: false })],
      [on('equals', '', '//a', { except: 't' })],
      [{ or: [on('exists', true, '//b'), on('exists', true, '//comment()', { keyCaseSensitive: true })] }],
      [{ and: [on('exists', true, '//a'), on('equals', true, 'boolean(//@k)')] }],
      [on('equals', 0, 'count(//*)')],
    ),
  ],
  [
    'namespaces',
    withStubs(
      [{ ...on('exists', true, '//q:c'), xpath: { selector: '//q:c', ns: { q: 'urn:p' } } }],
      [{ ...on('exists', true, '//d:a'), xpath: { selector: '//d:a', ns: { d: 'urn:d' } } }],
      [{ ...on('exists', true, '//p:a'), xpath: { selector: '//p:a', ns: { p: 'u' } } }],
      [on('exists', true, "//*[local-name()='a']")],
      [on('exists', true, "//*[name()='p:a']")],
    ),
  ],
];

const missing = selectors.map((_, at) => [0, 1, 2, 3, 4].map((n) => `{$${at}[${n}]}`).join('')).join('\n');

export const xml: readonly DifferentialCase[] = [
  { name: 'copy from XML that is cut off behind every letter', imposter: copies, requests: posts(cutOff) },
  { name: 'copy from XML that starts in the middle', imposter: copies, requests: posts(cutIn) },
  { name: 'copy from broken XML', imposter: copies, requests: posts([...broken, ...sections]) },
  ...predicateSets.flatMap(([name, imposter]): DifferentialCase[] => [
    { name: `predicates on XML that is cut off behind every letter: ${name}`, imposter, requests: posts(cutOff) },
    { name: `predicates on broken XML: ${name}`, imposter, requests: posts(broken) },
  ]),
  {
    name: 'a prefix of XPath that is not bound, on broken XML',
    imposter: withStubs([on('exists', true, '//q:a')]),
    requests: posts(broken),
  },
  {
    name: 'of several documents in one text the first one is read',
    imposter: copies,
    requests: posts(['<a>t</a><a>u</a>']),
    fix: 'xml-roots',
    ours: [usual('200 OK', [], missing)],
  },
  {
    name: 'documents with a DTD are read',
    imposter: copies,
    requests: posts(['<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>']),
    fix: 'xml-dtd',
    ours: [usual('200 OK', [], missing)],
  },
  {
    name: 'CDATA outside of every element',
    imposter: copies,
    requests: posts(['<r id="x"><![CDATA[t]]>']),
    fix: 'xml-cdata',
    ours: [usual('200 OK', [], missing)],
  },
];
