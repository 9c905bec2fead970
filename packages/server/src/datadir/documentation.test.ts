// The examples of docs/persistence.md, one after the other, as they are written there.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '@rift-ts/oracle';
import { get, newPath, type Opened, open } from './datadir.test-help.js';

const page = readFileSync(new URL('../../../../docs/persistence.md', import.meta.url), 'utf8');
const stamps = /\d{13}-\d+-\d+/g;

test('documented: an imposter in a data directory, its turn of responses and its files', async (t) => {
  const path = newPath(t);
  const port = await freePort();
  let server: Opened | undefined;
  let compared = 0;
  for (const [, info, text] of page.matchAll(/```([^\n]*)\n([\s\S]*?)```/g)) {
    if (info === 'sh start' || info === 'sh restart') {
      await server?.stop();
      server = await open(t, 'mountebank', path);
    } else if (info === 'json imposter') {
      await server!.imposters.createFrom(JSON.parse(text!.replaceAll('4545', String(port))));
    } else if (info === 'requests') {
      for (const line of text!.trim().split('\n')) {
        const [, target, body] = line.split(/\s+/);
        assert.equal(await get(port, target), body, line);
        compared++;
      }
    } else if (info?.startsWith('json file ')) {
      const names = info.slice('json file '.length).replace('4545', String(port)).split('/');
      let file = path;
      for (const name of names) {
        const found = readdirSync(file).filter((entry) => entry.replace(stamps, 'STAMP') === name);
        assert.equal(found.length, 1, `one ${name} in ${file}`);
        file = join(file, found[0]!);
      }
      const content = readFileSync(file, 'utf8').replace(stamps, 'STAMP').replaceAll(String(port), '4545');
      assert.equal(content, JSON.stringify(JSON.parse(text!), null, 2));
      compared++;
    }
  }
  assert.equal(compared, 6);
});
