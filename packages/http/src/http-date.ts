// The Date header's value, computed once a second for the whole process (IMF-fixdate, RFC 9110 section 5.6.7). The clock is
// not asked for each answer: a timer tells when the second is over, and is only there while answers are sent.

let second = -1;
let text = '';
let isCurrent = false;

/** The current second since the epoch; as long as it is the same, `httpDate()` is. */
export function currentSecond(): number {
  if (!isCurrent) askClock();
  return second;
}

function askClock(): void {
  const now = Date.now();
  const current = Math.floor(now / 1000);
  if (current !== second) {
    second = current;
    text = new Date(current * 1000).toUTCString();
  }
  isCurrent = true;
  setTimeout(endSecond, (current + 1) * 1000 - now).unref();
}

function endSecond(): void {
  isCurrent = false;
}

/** The value of a Date header sent now, e.g. `Sun, 06 Nov 1994 08:49:37 GMT`. */
export function httpDate(): string {
  currentSecond();
  return text;
}
