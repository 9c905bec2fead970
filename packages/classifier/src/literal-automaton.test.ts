import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foldTable, foldText } from './code-units.js';
import { runs } from './generated.fixture.js';
import { Hits } from './hits.js';
import { LiteralAutomaton } from './literal-automaton.js';
import type { Literal } from './literals.js';

const ops = ['equals', 'startsWith', 'endsWith', 'contains'] as const;

function fits({ op, value }: Pick<Literal, 'op' | 'value'>, text: string): boolean {
  if (op === 'equals') return text === value;
  if (op === 'startsWith') return text.startsWith(value);
  return op === 'endsWith' ? text.endsWith(value) : text.includes(value);
}

function found(automaton: LiteralAutomaton, atoms: number, text: string): number[] {
  const hits = new Hits(atoms);
  hits.clear();
  automaton.scan(text, hits);
  return Array.from({ length: hits.count }, (_, at) => hits.at(at)).sort((a, b) => a - b);
}

const fitting = (literals: readonly Literal[], text: string): number[] =>
  literals.filter((literal) => fits(literal, text)).map(({ atom }) => atom);

const short = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '\u00e4', '\u0436'), minLength: 1, maxLength: 5 });
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '\u00e4', '\u0436', '\u0416', 'x'), maxLength: 20 });

test('one pass finds exactly the literals that fit', () => {
  const wanted = fc.uniqueArray(fc.tuple(fc.constantFrom(...ops), short), {
    maxLength: 30,
    selector: (each) => each.join(),
  });
  fc.assert(
    fc.property(wanted, fc.array(text, { maxLength: 4 }), (each, texts) => {
      const literals = each.map(([op, value], atom) => ({ op, value, atom }));
      const automaton = new LiteralAutomaton(literals);
      for (const given of texts) assert.deepEqual(found(automaton, literals.length, given), fitting(literals, given));
    }),
    runs(1000),
  );
});

test('anchored literals alone are found without reading on', () => {
  const literals = ['a', 'ab', 'b', 'abc'].map((value, atom): Literal => ({ op: 'startsWith', value, atom }));
  const automaton = new LiteralAutomaton(literals);
  assert.deepEqual(found(automaton, 4, 'abab'), [0, 1]);
  assert.deepEqual(found(automaton, 4, 'xabc'), []);
  assert.deepEqual(found(automaton, 4, ''), []);
});

test('a large automaton finds the same as a small one', () => {
  // more states by classes than a table may have
  const literals = Array.from({ length: 40_000 }, (_, atom): Literal => {
    const value = (atom * 7919).toString(36).padStart(6, 'z');
    return { op: ops[atom % 4], value, atom };
  });
  const automaton = new LiteralAutomaton(literals);
  for (const given of [
    '',
    literals[4].value,
    `${literals[5].value}${literals[6].value}`,
    'zz1zz2x',
    `q${literals[7].value}zz`,
  ]) {
    assert.deepEqual(found(automaton, literals.length, given), fitting(literals, given));
  }
});

test('long literals are told apart by a part that is theirs alone', () => {
  const long = (middle: string): string => `${'<order>'.repeat(30)}${middle}${'</order>'.repeat(30)}`;
  const literals = Array.from(
    { length: 200 },
    (_, atom): Literal => ({ op: ops[atom % 4], value: long(`id-${atom};`), atom }),
  );
  const automaton = new LiteralAutomaton(literals);
  for (const atom of [0, 17, 102, 199]) assert.deepEqual(found(automaton, 200, long(`id-${atom};`)), [atom]);
  assert.deepEqual(found(automaton, 200, long('id-200;')), []);
});

test('folded literals are found whatever the case of the text', () => {
  const values = ['k', 'STRASSE', '\u00c4b', '\u0416\u0416'];
  const literals = values.map((value, atom): Literal => ({ op: 'contains', value: foldText(value), atom }));
  const automaton = new LiteralAutomaton(literals, foldTable());
  assert.deepEqual(found(automaton, 4, 'Strasse K'), [0, 1]);
  assert.deepEqual(found(automaton, 4, '\u00e4B\u0436\u0416'), [2, 3]);
  assert.deepEqual(found(automaton, 4, '\u212a stra\u00dfe'), []);
});

test('literals over the whole range of code units keep apart', () => {
  const all = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
  const literals = all.map((value, atom): Literal => ({ op: 'contains', value, atom }));
  const automaton = new LiteralAutomaton(literals);
  assert.deepEqual(found(automaton, literals.length, '\0a\uffff'), [0, 97, 0xffff]);
});
