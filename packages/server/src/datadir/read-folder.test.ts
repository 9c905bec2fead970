import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Logger } from '@rift-ts/engine';
import { readFolder } from './read-folder.js';

test('what a stub names outside of its imposter is told and left out, so that it is never removed with the stub', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'rift-folder-'));
  t.after(() => rmSync(root, { recursive: true }));
  const path = join(root, '4545');
  const put = (file: string, content: object) => {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), JSON.stringify(content));
  };
  put('4545/imposter.json', { protocol: 'http', stubs: ['../other', 'stubs/a'].map((dir) => ({ meta: { dir } })) });
  put('other/meta.json', { responseFiles: ['r.json'] });
  put('other/r.json', { is: { body: 'outside' } });
  put('4545/stubs/a/meta.json', { responseFiles: ['../../../other/r.json', 'r.json'] });
  put('4545/stubs/a/r.json', { is: { body: 'inside' } });
  const lines: string[] = [];
  const logger = { error: (line: string) => lines.push(line) } as unknown as Logger;
  const { stubs } = await readFolder(path, logger);
  assert.deepEqual(
    stubs.map(({ json }) => json),
    [{ responses: [{ is: { body: 'inside' } }] }],
  );
  assert.deepEqual(lines.sort(), [
    `Corrupted database: '../../../other/r.json' in ${join(path, 'stubs/a/meta.json')} leads out of ${join(path, 'stubs/a')}`,
    `Corrupted database: '../other' in ${join(path, 'imposter.json')} leads out of ${path}`,
  ]);
});
