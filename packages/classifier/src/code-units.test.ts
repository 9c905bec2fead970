import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complement, foldClosure, foldTable, foldText, includes, sizeOf, unitSet, unitsIn } from './code-units.js';

test('two code units are the same to flag i exactly when they fold alike', () => {
  const fold = foldTable();
  const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
  const alike = new Map<number, string>();
  for (let unit = 0; unit < 0x10000; unit++)
    alike.set(fold[unit], (alike.get(fold[unit]) ?? '') + String.fromCharCode(unit));
  const every = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).join('');
  for (const [folded, units] of alike) {
    if (units.length === 1) continue;
    for (let at = 0; at < units.length; at++) {
      const found = every.match(new RegExp(escaped(units.charCodeAt(at)), 'gi'));
      assert.deepEqual(found?.join(''), units, `fold ${folded.toString(16)}`);
    }
  }
});

test('a unit that folds to itself alone is matched by nothing else', () => {
  const fold = foldTable();
  const counts = new Uint32Array(0x10000);
  for (let unit = 0; unit < 0x10000; unit++) counts[fold[unit]]++;
  let alone = '';
  for (let unit = 0; unit < 0x10000; unit++)
    if (fold[unit] === unit && counts[unit] === 1) alone += String.fromCharCode(unit);
  // none of them is matched by the others' class under flag i
  const others = alone.slice(0, 400).replace(/[\]\\^-]/g, '');
  const rest = new RegExp(`[${others}]`, 'i');
  for (const unit of alone.slice(400)) assert.ok(!rest.test(unit), unit.charCodeAt(0).toString(16));
});

test('a text is folded unit by unit', () => {
  assert.equal(foldText('aB\u00e4\u00df\u017f\u212a'), 'AB\u00c4\u00df\u017f\u212a');
});

test('sets of code units', () => {
  const set = unitSet([
    [5, 9],
    [1, 3],
    [4, 4],
    [20, 30],
    [25, 26],
  ]);
  assert.deepEqual(set, [1, 9, 20, 30]);
  assert.deepEqual(complement(set), [0, 0, 10, 19, 31, 0xffff]);
  assert.deepEqual(complement(complement(set)), set);
  assert.deepEqual(complement([]), [0, 0xffff]);
  assert.equal(sizeOf(set), 20);
  assert.deepEqual(
    [0, 1, 9, 10, 20, 31].map((unit) => includes(set, unit)),
    [false, true, true, false, true, false],
  );
  assert.deepEqual(unitsIn([3, 5, 9, 9]), [3, 4, 5, 9]);
  assert.deepEqual(foldClosure([0x6b, 0x6b]), [0x4b, 0x4b, 0x6b, 0x6b]);
});
