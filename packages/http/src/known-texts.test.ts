import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownTexts } from './known-texts.js';

test('a text that comes a second time is kept, and found from the third time on', () => {
  const texts = new KnownTexts();
  const bytes = Buffer.from('xx/path?a=\xff', 'latin1');
  const first = texts.of(bytes, 2, bytes.length);
  const second = texts.of(bytes, 2, bytes.length);
  second.data = 'derived';
  const third = texts.of(Buffer.from(bytes), 2, bytes.length);
  assert.equal(first.text, '/path?a=\xff');
  assert.notEqual(first, second);
  assert.equal(third, second);
  assert.equal(third.data, 'derived');
});

test('every text is the one of its bytes, whatever came before', () => {
  const texts = new KnownTexts();
  // as many as there are places, several times over, so that all of them are fought for
  for (let round = 0; round < 4; round++) {
    for (let number = 0; number < 5000; number++) {
      const text = `/items/${(number * 7919) % 5000}${'x'.repeat(number % 100)}`;
      assert.equal(texts.of(Buffer.from(text, 'latin1'), 0, text.length).text, text);
      assert.equal(texts.of(Buffer.from(` ${text}`, 'latin1'), 1, text.length).text, text.slice(0, -1));
    }
  }
});

test('an empty text and a long one are texts like any other', () => {
  const texts = new KnownTexts();
  const long = Buffer.from('/'.repeat(10_000));
  for (let time = 0; time < 3; time++) {
    assert.equal(texts.of(long, 5, 5).text, '');
    assert.equal(texts.of(long, 0, long.length).text.length, 10_000);
  }
});
