import assert from 'node:assert/strict';
import { test } from 'node:test';
import { includes } from './code-units.js';
import { parsePattern, unitsOf } from './regex-syntax.js';

const every = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));

const sources = [
  'a',
  'k',
  '\\u017f',
  '\\u00e4',
  '.',
  '\\d',
  '\\D',
  '\\s',
  '\\S',
  '\\w',
  '\\W',
  '\\n',
  '\\cJ',
  '\\0',
  '[^]',
  '[]',
];
const classes = [
  '[a-c]',
  '[^a-c]',
  '[k\\d]',
  '[^\\W]',
  '[\\W]',
  '[^\\s]',
  '[A-z]',
  '[\\b-]',
  '[^\\u0100-\\uffff]',
  '[\\u0390-\\u03c9]',
];
for (const source of [...sources, ...classes]) {
  for (const flags of ['', 'i']) {
    test(`/${source}/${flags} takes exactly the code units that JavaScript says`, () => {
      const [element] = parsePattern(source)!.alternatives[0].elements;
      const units = unitsOf(element, flags === 'i')!;
      const native = new RegExp(`^(?:${source})$`, flags);
      const wrong = every.filter((text, unit) => native.test(text) !== includes(units, unit));
      assert.deepEqual(
        wrong.map((text) => text.charCodeAt(0).toString(16)),
        [],
      );
    });
  }
}

test('what is invalid, too long or too deep is not read', () => {
  for (const source of ['(', '[', '*', 'a{2,1}', 'a'.repeat(300_000), '('.repeat(50_000) + ')'.repeat(50_000)]) {
    assert.equal(parsePattern(source), undefined, source.slice(0, 10));
  }
});
