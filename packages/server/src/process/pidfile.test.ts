import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ExitError } from '../cli/errors.js';
import { writePidfile } from './pidfile.js';

test('a process id file that cannot be written is named by the path that was given', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'rift-pid-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'absent', 'mb.pid');
  assert.throws(
    () => writePidfile(path),
    (error: Error) => error instanceof ExitError && error.message.startsWith(`PID file ${path} cannot be written: `),
  );
});
