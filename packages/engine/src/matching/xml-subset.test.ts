import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairsOfRun, Random, seedOfRun } from './testing/random.fixture.js';
import { parseXml } from './xml.js';
import { plainSelector, readPlainXml } from './xml-subset.js';
import { xpathSelector } from './xpath.js';

const names = ['a', 'b', 'B', 'item', 'Item'];

/** Before the root element; most texts have none. */
const declarations = [
  ...['', '', '', '', '<?xml version="1.0"?>', '<?xml version="1.0" encoding="utf-8" standalone="no" ?>\n '],
  ...[
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    "<?xml version='1.0' encoding='x'?>",
    '<?xml?>',
    ' <?xml version="1.0"?>',
  ],
];

function element(random: Random, depth: number): string {
  const name = random.pick(names);
  let attributes = '';
  for (const attribute of ['id', 'ID', 'k']) {
    if (random.chance(0.3))
      attributes += ` ${attribute}${random.pick(['=', ' = '])}${random.pick(["'1'", '"X"', '"x y"', "''"])}`;
  }
  if (random.chance(0.15)) return `<${name}${attributes}${random.pick(['', ' '])}/>`;
  let content = '';
  for (let count = random.below(4); count > 0; count--) {
    content +=
      depth > 0 && random.chance(0.6) ? element(random, depth - 1) : random.pick(['x', 'É', ' ', '1', 'a>b', '\n']);
  }
  return `<${name}${attributes}>${content}</${name}${random.chance(0.02) ? ' ' : ''}>`;
}

/** One character changed, added or taken away: most of these are no longer plain, many no longer XML. */
function damage(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const added = random.pick([
    '<',
    '>',
    '&',
    '/',
    '"',
    "'",
    '=',
    ' ',
    'x',
    '<!--c-->',
    '<![CDATA[y]]>',
    '&amp;',
    '\r',
    ':',
    '<b/>',
    ']]>',
    '<?p q?>',
    '\u2028',
    '\0',
    '\ud800',
  ]);
  return text.slice(0, at) + added + text.slice(at + random.below(2));
}

const selectors = [
  '//a',
  '//item/@id',
  "//item[@id='1']",
  "//Item[@ID='X']/b",
  '//a//b',
  '/a/b',
  '/item',
  '//@k',
  "//a[@k='']",
  '//a/b//item',
  '//b//@id',
  '//b[@id=\'1\']//item[@k="X"]',
];

test('plain XML and plain selectors give what xmldom and xpath give', () => {
  const seed = seedOfRun();
  const random = new Random(seed);
  let plain = 0;
  const wanted = pairsOfRun(6000);
  for (let pair = 0; pair < wanted; pair++) {
    let text = random.pick(declarations) + element(random, 3);
    if (random.chance(0.5)) text = damage(random, text);
    const fold = random.chance(0.5);
    const selector = fold ? random.pick(selectors).toLowerCase() : random.pick(selectors);
    const root = readPlainXml(text, fold);
    if (root === undefined) continue;
    plain++;
    const selected = plainSelector(selector)?.(root);
    const expected = xpathSelector(selector, {}).evaluate(parseXml(text, fold));
    assert.deepEqual(selected, expected, `RIFT_SEED=${seed} ${selector} on ${JSON.stringify(text)}`);
  }
  assert.ok(plain > wanted / 4, String(plain));
});

test('what is not plain is left to the library', () => {
  for (const text of [
    '',
    'x',
    '<a',
    '<a>&amp;</a>',
    '<!DOCTYPE a><a/>',
    '<a xmlns="u"/>',
    '<p:a/>',
    '<a><!--c--></a>',
    '<a/>x',
    '<a/><a/>',
    '<a></b>',
    '<a></a >',
    '<a hasOwnProperty="1"/>',
    '<a k="1" k="2"/>',
    '<a>\r</a>',
    '<?xml version="1.1"?><a/>',
    '<?xml version="1.0"?>',
    '<a hasOwnProperty=""/>',
    '<a\u00a0b="c"/>',
    '<a/>\u00a0',
  ]) {
    assert.equal(readPlainXml(text, false), undefined, text);
  }
  for (const selector of ['a', '//a[1]', '//p:a', '//a | //b', 'count(//a)', '//a[b=1]', '//*', '//a/..', '/', '//']) {
    assert.equal(plainSelector(selector), undefined, selector);
  }
});

test('plain XML may be nested as deeply as it likes', () => {
  const depth = 20_000;
  const text = `${'<a>'.repeat(depth)}x${'</a>'.repeat(depth)}`;
  const root = readPlainXml(text, false);
  assert.ok(root !== undefined);
  const selected = plainSelector('//a')?.(root);
  assert.equal(selected?.length, depth);
  assert.deepEqual(selected, xpathSelector('//a', {}).evaluate(parseXml(text, false)));
});
