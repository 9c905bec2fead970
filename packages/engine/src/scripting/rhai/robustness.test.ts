// Whatever text arrives as a program: it is refused with a place, or it runs and ends, with a value or an error of the
// language. Programs are made of pieces of those in the table, so that they get far into parser and interpreter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RhaiError, RhaiInterrupted, RhaiSyntaxError } from './errors.js';
import { Interpreter } from './interpreter.js';
import { parseRhai } from './parser.js';
import { failures, syntaxErrors, values } from './programs.fixture.js';
import { fromJson, jsonOf, textOf } from './values.js';

const programs = [...values, ...failures, ...syntaxErrors].map(([program]) => program);
const words = programs.flatMap((program) => program.match(/[A-Za-z_]+|\d+|"[^"]*"|\S/g) ?? []);

const spliced = fc
  .tuple(fc.constantFrom(...programs), fc.constantFrom(...programs), fc.nat(100), fc.nat(100))
  .map(([left, right, from, to]) => left.slice(0, from % (left.length + 1)) + right.slice(to % (right.length + 1)));
const shuffled = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((list) => list.join(' '));

function ends(program: string): void {
  let ticks = 0;
  const tick = () => {
    if (++ticks > 20) throw new RhaiInterrupted();
  };
  try {
    const value = new Interpreter(parseRhai(program), {}, { tick }).run();
    textOf(value);
    assert.doesNotThrow(() => fromJson(jsonOf(value)));
  } catch (error) {
    const expected = [RhaiSyntaxError, RhaiError, RhaiInterrupted].some((kind) => error instanceof kind);
    assert.ok(expected, `${program}\n${error instanceof Error ? error.stack : error}`);
  }
}

test('pieces of programs', () => fc.assert(fc.property(spliced, ends), { numRuns: 3000 }));

test('words in any order', () => fc.assert(fc.property(shuffled, ends), { numRuns: 3000 }));

test('nesting without an end', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['(', ')'],
    ['{', '}'],
    ['#{ a: ', '}'],
    ['-', ''],
    ['if true {', '}'],
    ['|x| ', ''],
    ['`${', '}`'],
    ['1 ** ', '1'],
    ['f(', ')'],
    ['x[', ']'],
    ['if true {} else ', '{}'],
  ]) {
    ends(`${open!.repeat(50_000)}1${close!.repeat(50_000)}`);
    ends(`${open!.repeat(40)}1${close!.repeat(40)}`);
  }
  ends(`let x = [1]; ${'x[0] + '.repeat(20_000)}1`);
  ends(`let x = #{}; x${'.a'.repeat(20_000)}`);
  ends('let a = []; loop { a = [a]; }');
  ends('let a = []; for i in 0..4000 { a = [a]; } to_string(a)');
});
