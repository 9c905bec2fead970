// The Date header's value, computed once a second for the whole process (IMF-fixdate, RFC 9110 section 5.6.7).

let second = -1;
let text = '';

/** The current second since the epoch; as long as it is the same, `httpDate()` is. */
export function currentSecond(): number {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    text = new Date(now * 1000).toUTCString();
  }
  return second;
}

/** The value of a Date header sent now, e.g. `Sun, 06 Nov 1994 08:49:37 GMT`. */
export function httpDate(): string {
  currentSecond();
  return text;
}
