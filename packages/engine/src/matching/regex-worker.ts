// The worker for regular expressions that could take too long: one job after another, as the host sends them.

import { parentPort } from 'node:worker_threads';
import type { RegexJob } from './regex-worker-host.js';

parentPort?.on('message', ({ source, flags, text, replaces, groups }: RegexJob) => {
  const regex = new RegExp(source, flags);
  if (groups) {
    const match = regex.exec(text);
    parentPort?.postMessage(match && [...match]);
    return;
  }
  parentPort?.postMessage(replaces ? text.replace(regex, '') : regex.test(text));
});

parentPort?.postMessage('started');
