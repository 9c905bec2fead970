// The programs in docs/scripts.md have the values that stand beside them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Interpreter } from './interpreter.js';
import { parseRhai } from './parser.js';
import { debugText } from './values.js';

const page = readFileSync(new URL('../../../../../docs/scripts.md', import.meta.url), 'utf8');
const lines = [...page.matchAll(/^```rhai\n([\s\S]*?)\n```$/gm)].flatMap(([, text]) => text!.split('\n'));

test('docs/scripts.md has its programs', () => assert.ok(lines.length >= 20));

for (const line of lines) {
  const [, program, value] = /^(.*?) +\/\/ (.*)$/.exec(line)!;
  test(`${program} is ${value}`, () => {
    assert.equal(debugText(new Interpreter(parseRhai(program!), {}).run()), value);
  });
}
