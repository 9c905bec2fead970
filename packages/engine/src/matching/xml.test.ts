import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format } from 'node:util';
import { silentLogger } from '../logger.js';
import { parseXml, warnOfBrokenXml } from './xml.js';
import { xpathSelector } from './xpath.js';

function values(text: string, selector: string, fold = false): readonly unknown[] {
  return xpathSelector(selector, {}).evaluate(parseXml(text, fold));
}

test('broken XML is read as far as it can be', () => {
  const rows: readonly (readonly [text: string, selector: string, values: readonly unknown[]])[] = [
    ['', '//node()', []],
    [' ', '//node()', []],
    ['text', '//text()', ['text']],
    ['<r id="x">', '//@id', ['x']],
    ['<r><a>x</b></r>', '//a', ['undefined']],
    ['<r><a>x</b></r>', '//r/text()', ['x']],
    ['<r><a>x</a>', '//*', ['undefined']],
    ['<a>x</a', '//a', ['x']],
    ['<a k=1 k="2" l>&bad;</a>', '//@*', ['2', 'l']],
    ['<a>1<b>2</a>3</b>4', '//b', ['23']],
    ['t<a>x</a>', '//a', ['x']],
    ['<?p q ?><a/>', '//processing-instruction()', ['q']],
  ];
  for (const [text, selector, expected] of rows) assert.deepEqual(values(text, selector), expected, text);
});

test('several documents in one text, a DTD and CDATA outside of every element leave nothing to read', () => {
  for (const text of [
    '<a>x</a><a>y</a>',
    '<a/> <!--c--> <b><c/></b>',
    '<!DOCTYPE a><a/>',
    '<!doctype a [<!ENTITY e "x">]><a>&e;</a>',
    '<r><![CDATA[x]]>',
  ]) {
    assert.deepEqual(values(text, '//node()'), [], text);
  }
});

test('folding pairs tags that differ in case, and keeps CDATA, entities and attributes that differ in case', () => {
  const rows: readonly (readonly [text: string, selector: string, values: readonly unknown[]])[] = [
    ['<A>X</a>', '//a', ['x']],
    ['<R><a>X</A><B/></r>', '//r/*', ['x', 'undefined']],
    ['<A K="1" k="2"/>', '//@k', ['1', '2']],
    ['<A><![CDATA[<B>]]></A>', '//a', ['<b>']],
    ['<A><![CDATA[<B>]]></a>', '//a', ['<b>']],
    ['<A>&#65;&#X42;&LT;</A>', '//a', ['ab<']],
    ['<R><![CDATA[X]]>', '//node()', ['undefined', '<![cdata[x]]>']],
  ];
  for (const [text, selector, expected] of rows) assert.deepEqual(values(text, selector, true), expected, text);
  const declaredInOtherCase = '<P:a xmlns:p="URN:x">X</P:a>';
  const selector = xpathSelector('//q:a', { q: 'urn:x' });
  assert.deepEqual(selector.evaluate(parseXml(declaredInOtherCase, true)), ['x']);
  assert.deepEqual(selector.evaluate(parseXml(declaredInOtherCase, false)), []);
});

test('nodes are selected in document order, each once', () => {
  const text = '<r k="1"><a l="2" m="3">x<b n="4"/>y</a><c>z</c></r>';
  assert.deepEqual(values(text, '//c/text() | //@* | //a/text() | //b | //r | //@m'), [
    ...['undefined', '1', '2', '3', 'x', 'undefined', '4', 'y', 'z'],
  ]);
  assert.deepEqual(values(text, '//b/ancestor::*/@*'), ['1', '2', '3']);
});

test('depth is no limit', () => {
  const depth = 20_000;
  const text = `${'<A>'.repeat(depth)}X${'</A>'.repeat(depth)}`;
  assert.equal(values(text, '//a/text()', true).length, 1);
  assert.deepEqual(values(text, 'count(//A)'), [depth]);
});

test('reading is ended where a text makes it look for the same things again and again', () => {
  const many = (part: (at: number) => string, count: number) =>
    Array.from({ length: count }, (_, at) => part(at)).join('');
  const message = /^XML took longer than \d+ ms on this request$/;
  for (const text of [
    `<r>${many((at) => `<a${at}>`, 100_000)}</r>`,
    `<r>${many(() => '<!--', 100_000)}</r>`,
    `<r>${many(() => '<?a', 100_000)}</r>`,
  ]) {
    assert.throws(() => parseXml(text, true), { code: 'bad data', message }, text.slice(0, 20));
  }
  // short ones, too, are read under the limit, and large ones that are only large have the time they need
  assert.equal(values(`<r>${many((at) => `<a${at}>`, 200)}</r>`, 'count(//*)')[0], 201);
  assert.equal(values(`<r>${many(() => '<a>x</a>', 15_000)}</r>`, '//a').length, 15_000);
});

test('a text that is no well-formed XML is warned of, shortly and on lines of their own', () => {
  const warned = (text: string) => {
    const lines: string[] = [];
    const logger = {
      ...silentLogger,
      enabled: () => true,
      warn: (...parts: unknown[]) => lines.push(format(...parts)),
    };
    warnOfBrokenXml(parseXml(text, false), text, logger);
    return lines;
  };
  assert.deepEqual(warned('<a>x</a>'), []);
  assert.deepEqual(warned('x'), []);
  assert.deepEqual(warned('<a k="1" k="2">&x;</a>'), [
    '[xmldom fatalError]\tAttribute k redefined (source: "<a k=\\"1\\" k=\\"2\\">&x;</a>")',
    '[xmldom error]\tentity not found:&x; (source: "<a k=\\"1\\" k=\\"2\\">&x;</a>")',
  ]);
  assert.deepEqual(warned('<!DOCTYPE a><a/>'), ['XML with a DTD is not read (source: "<!DOCTYPE a><a/>")']);
  assert.deepEqual(warned('<a><![CDATA[x]]>'), [
    'XML with CDATA outside of every element is not read (source: "<a><![CDATA[x]]>")',
  ]);
  const hostile = warned('<a\nforged line="1\n>'.repeat(1000));
  assert.equal(hostile.length, 5);
  for (const line of hostile) assert.ok(line.length < 1500 && !line.includes('\n'), line);
});
