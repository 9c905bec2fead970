// Ports for servers that tests start. Not the system's choice: what the system gives to a listener for a moment it may
// give to anybody's outgoing connection the next. These lie below the range of outgoing connections, and every test
// process looks in a window of its own, so that two tests at once do not find the same.

import { createServer } from 'node:net';

const FIRST = 10_240;
const WINDOW = 64;
const WINDOWS = Math.floor((32_768 - FIRST) / WINDOW);

let taken = 0;

/** A port that is free on all interfaces. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (process.pid % WINDOWS) * WINDOW + (taken++ % WINDOW);
    const free = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once('error', () => resolve(false));
      probe.listen(port, () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}
