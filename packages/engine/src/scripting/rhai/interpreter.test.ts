import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RhaiError, RhaiInterrupted, RhaiSyntaxError } from './errors.js';
import { Interpreter } from './interpreter.js';
import { parseRhai } from './parser.js';
import { failures, syntaxErrors, values } from './programs.fixture.js';
import { debugText, fromJson, jsonOf } from './values.js';

function run(text: string): string {
  return debugText(new Interpreter(parseRhai(text), {}).run());
}

for (const [program, expected] of values) {
  test(`${program} gives ${expected}`, () => assert.equal(run(program), expected));
}

for (const [program, expected] of failures) {
  test(`${program} fails: ${expected}`, () => {
    assert.throws(
      () => run(program),
      (error) => error instanceof RhaiError && assert.equal(error.describe(), expected) === undefined,
    );
  });
}

for (const [program, expected] of syntaxErrors) {
  test(`${program.slice(0, 60)} is refused: ${expected}`, () => {
    assert.throws(
      () => parseRhai(program),
      (error) =>
        error instanceof RhaiSyntaxError && assert.equal(error.message, `Syntax error: ${expected}`) === undefined,
    );
  });
}

for (const program of [
  'loop { }',
  'while true { }',
  'loop { try { throw 1; } catch { } }',
  'loop { try { loop { } } catch { } }',
  'for x in 0..9223372036854775807 { }',
  'fn f() { loop { } } f()',
  'let a = [1, 2, 3]; loop { let b = a; }',
  'loop { [1, 2].map(|x| x); }',
]) {
  test(`${program} can be ended`, () => {
    let ticks = 0;
    const tick = () => {
      if (++ticks === 5) throw new RhaiInterrupted();
    };
    const interpreter = new Interpreter(parseRhai(program), {}, { tick });
    assert.throws(() => interpreter.run(), RhaiInterrupted);
    assert.equal(ticks, 5);
  });
}

test('print and debug go to the log', () => {
  const lines: string[] = [];
  const program = parseRhai('print("a"); print(1); debug("a"); "b".print();');
  new Interpreter(program, {}, { log: (text) => lines.push(text) }).run();
  assert.deepEqual(lines, ['a', '1', '"a"', 'b']);
});

test('functions are called by name and see no variables of the program', () => {
  const interpreter = new Interpreter(parseRhai('let n = 1; fn f(a) { a + 1 } fn g() { n }'), {});
  interpreter.run();
  assert.equal(interpreter.callFunction('f', [4n]), 5n);
  assert.throws(() => interpreter.callFunction('g', []), /Variable not found: n/);
  assert.throws(() => interpreter.callFunction('f', []), /Function not found: f \(\)/);
});

for (const [json, expected] of [
  ['{"b":1,"a":[2.0,1e2,-0.5,12345678901234567890]}', '{"a":[2.0,100.0,-0.5,12345678901234567000.0],"b":1}'],
  ['9007199254740993', '9007199254740993'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['"1.5 \\" 2.5"', '"1.5 \\" 2.5"'],
  ['{"1.5":"x","n":1.0}', '{"1.5":"x","n":1.0}'],
  ['{"__proto__":1.5}', '{"__proto__":1.5}'],
  ['[null,true]', '[null,true]'],
]) {
  test(`JSON ${json} comes back as ${expected}`, () => assert.equal(jsonOf(fromJson(json!)), expected));
}

test('JSON of values that JSON does not have', () => {
  const value = new Interpreter(parseRhai("[(), 'c', 0.0 / 0.0, 1..2]"), {}).run();
  assert.equal(jsonOf(value), '[null,"c",null,"1..2"]');
});
