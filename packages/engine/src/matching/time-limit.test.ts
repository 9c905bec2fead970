import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinLimit } from './time-limit.js';
import { parseXml } from './xml.js';
import { xpathSelector } from './xpath.js';

test('what a limited job gives or throws passes through', () => {
  assert.equal(
    withinLimit('job', () => 7),
    7,
  );
  const failure = new Error('no');
  assert.throws(
    () =>
      withinLimit('job', () => {
        throw failure;
      }),
    failure,
  );
});

test('an XPath expression that takes too long is ended and named', () => {
  const selector = '//*[//*[//*[count(//*)=0]]]';
  const document = parseXml(`<r>${'<a/>'.repeat(500)}</r>`, false);
  assert.throws(() => xpathSelector(selector, {}).evaluate(document), {
    code: 'bad data',
    message: `XPath ${selector} took longer than 1000 ms on this request`,
  });
  // and has less time when it is sent again
  for (const limit of [500, 250, 125, 63, 32, 30, 30]) {
    assert.throws(() => xpathSelector(selector, {}).evaluate(document), {
      message: `XPath ${selector} took longer than ${limit} ms on this request`,
    });
  }
});

test('a job has the time that it needs in any case, whatever was ended before', () => {
  const forever = () => {
    for (;;);
  };
  assert.throws(() => withinLimit('slow', forever), { message: 'slow took longer than 1000 ms on this request' });
  assert.throws(() => withinLimit('slow', forever, 600), { message: 'slow took longer than 600 ms on this request' });
  assert.throws(() => withinLimit('slow', forever), { message: 'slow took longer than 300 ms on this request' });
});
