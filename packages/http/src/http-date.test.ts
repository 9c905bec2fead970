import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { currentSecond, httpDate } from './http-date.js';

test('the date is that of the second, though the clock is asked once a second at most', async (t) => {
  const { now } = Date;
  let asked = 0;
  Date.now = () => {
    asked++;
    return now();
  };
  t.after(() => {
    Date.now = now;
  });
  const first = currentSecond();
  const begun = now();
  let seconds = 1;
  for (let last = first; seconds < 3; await sleep(10)) {
    const before = Math.floor(now() / 1000);
    const second = currentSecond();
    const date = httpDate();
    assert.equal(Date.parse(date), second * 1000);
    assert.ok(second >= last, 'it never goes back');
    // the end of a second may come in the middle of a turn
    assert.ok(second >= before - 1 && second <= Math.floor(now() / 1000), `${second} at ${now()}`);
    if (second !== last) seconds++;
    last = second;
  }
  // a timer may come a moment before the clock's second ends, and then once more
  assert.ok(asked <= 3 * (2 + (now() - begun) / 1000), `asked ${asked} times`);
});
