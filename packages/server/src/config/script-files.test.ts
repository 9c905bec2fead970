import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { confinedScripts, inlineScripts } from './script-files.js';

/** `top/secret.rhai`, `top/scripts/a.rhai`, `top/scripts/out` (a link to `top`). */
function folders(t: TestContext): string {
  const top = mkdtempSync(join(tmpdir(), 'rift-scripts-'));
  t.after(() => rmSync(top, { recursive: true, force: true }));
  mkdirSync(join(top, 'scripts'));
  writeFileSync(join(top, 'secret.rhai'), 'pass()');
  writeFileSync(join(top, 'scripts', 'a.rhai'), 'http(201)');
  symlinkSync(top, join(top, 'scripts', 'out'));
  return top;
}

test('files inside the root are read, paths that lead out of it are refused', (t) => {
  const top = folders(t);
  const read = confinedScripts(join(top, 'scripts'));
  assert.deepEqual(read('a.rhai'), { code: 'http(201)' });
  assert.deepEqual(read('./x/../a.rhai'), { code: 'http(201)' });
  for (const path of ['../secret.rhai', join(top, 'secret.rhai'), 'out/secret.rhai', '../none', '..']) {
    assert.deepEqual(read(path), { problem: `script file path '${path}' escapes the scripts root` });
  }
  assert.match((read('none.rhai') as { problem: string }).problem, /^failed to read script file 'none.rhai': ENOENT/);
});

test('a configuration gets the texts of its script files', (t) => {
  const top = folders(t);
  const scripts = [
    { file: 'a.rhai' },
    { file: '../secret.rhai' },
    { engine: 'js', file: 'a.rhai' },
    { code: 'x' },
    { ref: 'n' },
  ];
  const imposter = {
    _rift: { scripts: { n: { file: 'a.rhai' } } },
    stubs: [{ responses: scripts.map((script) => ({ _rift: { script } })) }],
  };
  inlineScripts([imposter, null, 5], join(top, 'scripts'), 'c.json');
  assert.deepEqual(imposter._rift.scripts.n, { engine: 'rhai', code: 'http(201)' });
  assert.deepEqual(scripts, [
    { engine: 'rhai', code: 'http(201)' },
    { engine: 'rhai', code: 'pass()' },
    { engine: 'js', code: 'http(201)' },
    { code: 'x' },
    { ref: 'n' },
  ]);
});

test('a script file that cannot be read, or is named by a document from the network', () => {
  const imposters = () => [{ stubs: [{ responses: [{ _rift: { script: { file: 'none.js' } } }] }] }];
  assert.throws(
    () => inlineScripts(imposters(), tmpdir(), 'c.json'),
    /^.*c\.json: Script resolution failed: failed to read/,
  );
  assert.throws(() => inlineScripts(imposters(), undefined, 'http://h/c'), /fetched over the network/);
});
