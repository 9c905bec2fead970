// Every row is played against a real Mountebank 2.9.1 and against ours, raw bytes in, raw bytes out: both give the same,
// or the row names the mended defect that it touches and says what we give.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { bodiesAndHeaders, defaults } from './answers.fixture.js';
import { behaviors } from './behaviors.fixture.js';
import type { DifferentialCase } from './case.fixture.js';
import { connections, cors, halfClosed } from './connections.fixture.js';
import { httpsCases } from './https.fixture.js';
import { parsing } from './parsing.fixture.js';
import { requestObject } from './request-object.fixture.js';
import { scripted, serving } from './serving.fixture.js';
import { mountebankSide, ourSide, playBoth, type Side } from './sides.fixture.js';
import { xml } from './xml.fixture.js';

const subjects: { readonly [subject: string]: readonly DifferentialCase[] } = {
  parsing,
  'the request object': requestObject,
  defaults,
  'bodies and headers': bodiesAndHeaders,
  connections,
  'half-closed connections': halfClosed,
  CORS: cors,
  'stubs and responses': serving,
  scripts: scripted,
  behaviors,
  'broken XML': xml,
  https: httpsCases,
};

const AT_A_TIME = 6;

const ours = ourSide();
let theirs: Side;
before(async () => {
  theirs = await mountebankSide();
});
after(async () => {
  await theirs.stop();
  await ours.stop();
});

for (const [subject, rows] of Object.entries(subjects)) {
  describe(`as Mountebank: ${subject}`, { concurrency: AT_A_TIME }, () => {
    for (const row of rows) {
      test(row.fix === undefined ? row.name : `${row.name} (${row.fix})`, async () => {
        const { own, their, expected } = await playBoth(ours, theirs, row);
        assert.deepEqual(own, expected);
        const differs = row.ours !== undefined || row.oursRefused !== undefined;
        assert.equal(differs, row.fix !== undefined, 'an answer of our own needs the name of the difference');
        if (differs) assert.notDeepEqual(their, expected, 'Mountebank does the same: no difference to state');
      });
    }
  });
}

test('every intended difference is documented', async () => {
  const page = await readFile(new URL('../../../../docs/differences.md', import.meta.url), 'utf8');
  const named = new Set(Object.values(subjects).flatMap((rows) => rows.flatMap(({ fix }) => fix ?? [])));
  for (const name of named) assert.ok(page.includes(`\`${name}\``), name);
});

test('there are at least 400 rows', () => {
  assert.ok(Object.values(subjects).reduce((sum, rows) => sum + rows.length, 0) >= 400);
});
