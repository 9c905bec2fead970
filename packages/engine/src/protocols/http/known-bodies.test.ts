import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readingOfBody } from './known-bodies.js';

test('a body that comes a second time is read, and its reading is there from the third time on', () => {
  const body = '{"once":"upon","a":"time"}';
  const [first, second, third] = [0, 1, 2].map(() => readingOfBody(Buffer.from(body)));
  assert.equal(first?.text, body);
  assert.notEqual(first, second);
  assert.equal(third, second);
});

test('what is kept has bytes of its own', () => {
  const body = Buffer.from('the bytes of a body');
  const kept = [0, 1, 2].map(() => readingOfBody(body))[2];
  body[0] = 0x54;
  assert.equal(readingOfBody(body)?.text, 'The bytes of a body');
  assert.equal(readingOfBody(Buffer.from('the bytes of a body')), kept);
});

test('every body has the reading of its own text, whatever came before', () => {
  for (let round = 0; round < 4; round++) {
    for (let number = 0; number < 3000; number++) {
      const text = JSON.stringify({ id: (number * 7919) % 3000, text: 'é'.repeat(number % 50) });
      assert.equal(readingOfBody(Buffer.from(text))?.text, text);
    }
  }
});

test('bytes that are no UTF-8 have no reading as text, however often they come', () => {
  for (let time = 0; time < 3; time++) assert.equal(readingOfBody(Buffer.of(0x7b, 0xff, 0x7d)), undefined);
});

test('a reading of which very much was made is not used again', () => {
  const body = Buffer.from('<asked by="many"/>');
  const [, , reading] = [0, 1, 2].map(() => readingOfBody(body));
  for (let number = 0; number < 65; number++) reading?.keep(`purpose ${number}`, number);
  assert.notEqual(readingOfBody(body), reading);
});

test('empty and long bodies are read anew each time', () => {
  for (const body of [Buffer.alloc(0), Buffer.alloc(5000, 'x')]) {
    const [, second, third] = [0, 1, 2].map(() => readingOfBody(body));
    assert.equal(third?.text, body.toString());
    assert.notEqual(third, second);
  }
});
