// Arrows between packages point one way only (docs/architecture.md): server -> engine -> { http, classifier }.
// Also: no import may reach into another package's files, only its public face.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, root } from './workspace.mjs';

const allowed = {
  classifier: [],
  http: [],
  oracle: [],
  engine: ['@rift-ts/classifier', '@rift-ts/http'],
  server: ['@rift-ts/engine', '@rift-ts/http'],
};

/** Help for tests: no file of the product may import it. */
const testOnly = ['@rift-ts/oracle'];
const isTestFile = (path) => /\.(test|test-help|fixture)\.ts$/.test(path) || path.includes('/testing/');

const problems = [];
for (const path of filesBelow('packages', (file) => /\/src\/.*\.ts$/.test(file))) {
  const owner = path.split('/')[1];
  const text = readFileSync(join(root, path), 'utf8');
  for (const [, specifier] of text.matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
    if (specifier.startsWith('.')) {
      const target = join(path, '..', specifier);
      if (!target.startsWith(join('packages', owner, 'src'))) problems.push(`${path}: ${specifier} leaves its package`);
    } else if (specifier.startsWith('@rift-ts/') || specifier === 'rift-ts' || specifier.startsWith('rift-ts/')) {
      const permitted = allowed[owner]?.includes(specifier) || (testOnly.includes(specifier) && isTestFile(path));
      if (!permitted) problems.push(`${path}: ${owner} must not import ${specifier}`);
    }
  }
}
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? 'imports: all arrows point the right way' : `imports: ${problems.length} wrong`);
process.exit(problems.length === 0 ? 0 : 1);
