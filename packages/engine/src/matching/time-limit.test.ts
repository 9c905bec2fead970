import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../logger.js';
import { compilePredicate } from './compile.js';
import { plainView } from './plain-view.js';
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

test('what a JSONPath finds in a document of many levels is put in order within the limit', () => {
  const predicate = { equals: { body: 'x' }, jsonpath: { selector: '$..a' } };
  const { test: holds } = compilePredicate(predicate, { encoding: 'utf8', scripts: undefined, logger: silentLogger });
  const nested = (levels: number, inEach: string) =>
    plainView({ body: `${`{"b":[${inEach}1],"a":`.repeat(levels)}1${'}'.repeat(levels)}` });
  assert.equal(holds(nested(100, '')), false);
  // each of the thousand objects holds all below it: together they are as long as half a billion numbers
  assert.throws(() => holds(nested(1000, '1,'.repeat(1000))), {
    code: 'bad data',
    message: 'JSONPath $..a took longer than 1000 ms on this request',
  });
});
