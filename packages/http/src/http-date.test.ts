import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentSecond, httpDate } from './http-date.js';

test('the date is that of the second, though the clock is not asked each time', (t) => {
  const begin = 1_800_000_000_250;
  let asked = 0;
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: begin });
  const { now } = Date;
  t.mock.method(Date, 'now', () => {
    asked++;
    return now();
  });
  const dateAt = (ms: number) => new Date(Math.floor(ms / 1000) * 1000).toUTCString();
  for (let passed = 0; passed < 5000; passed += 50) {
    assert.equal(httpDate(), dateAt(begin + passed), `after ${passed} ms`);
    assert.equal(currentSecond(), Math.floor((begin + passed) / 1000));
    t.mock.timers.tick(50);
  }
  assert.equal(asked, 6);
  // nobody asks for an hour
  t.mock.timers.tick(3_600_000);
  assert.equal(httpDate(), dateAt(begin + 3_605_000));
  assert.equal(asked, 7);
});
