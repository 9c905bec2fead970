// Worker threads start a few at a time. A start costs tens of milliseconds of processor time; fifty at once, when every
// imposter meets its first script, would take them from the requests that are being served.

const most = 4;
let starting = 0;
const queue: (() => void)[] = [];

/** Runs `start` as soon as fewer than four threads are starting; `leaveStartGate` must follow when it has started. */
export function enterStartGate(start: () => void): void {
  if (starting >= most) {
    queue.push(start);
    return;
  }
  starting++;
  start();
}

export function leaveStartGate(): void {
  const next = queue.shift();
  if (next === undefined) starting--;
  else next();
}
