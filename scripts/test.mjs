// npm test [-- part-of-a-path ...]: installs, builds and runs all tests, or those whose path contains one of the parts.
import { spawnSync } from 'node:child_process';
import { ensureBuilt, ensureInstalled, filesBelow, root } from './workspace.mjs';

ensureInstalled();
ensureBuilt();
const parts = process.argv.slice(2);
const files = filesBelow('packages', (path) => path.endsWith('.test.ts') && path.includes('/src/'))
  .map((path) => path.replace('/src/', '/dist/').replace(/\.ts$/, '.js'))
  .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)));
if (files.length === 0) {
  console.error(`No test file matches ${parts.join(', ')}`);
  process.exit(1);
}
const result = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...files], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(result.status ?? 1);
