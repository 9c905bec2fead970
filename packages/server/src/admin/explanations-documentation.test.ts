// The examples of the pages about what this product adds to imposters give what the pages say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withAdmin } from './admin.test-help.js';
import { runConsoleExamples } from './console-examples.test-help.js';

for (const [page, least] of [
  ['warnings.md', 2],
  ['debugging.md', 4],
  ['state.md', 4],
  ['scenarios.md', 7],
  ['spaces.md', 6],
  ['verification.md', 10],
] as const) {
  test(`the curl lines of docs/${page} give what it says`, () =>
    withAdmin('rift', { host: undefined }, async ({ server }) => {
      const commands = await runConsoleExamples(page, server.port);
      assert.ok(commands >= least, `${commands} commands`);
    }));
}
