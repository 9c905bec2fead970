// The examples of docs/imposters.md do what the page says.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readImposter } from './read-imposter.js';
import { readOptions } from './read-options.fixture.js';

interface Block {
  readonly info: string;
  readonly text: string;
}

const page = readFileSync(new URL('../../../../docs/imposters.md', import.meta.url), 'utf8');
const blocks: Block[] = [...page.matchAll(/^```(.*)\n([\s\S]*?)\n```$/gm)].map((match) => ({
  info: match[1]!,
  text: match[2]!,
}));

async function read(post: unknown, allowInjection = true): Promise<{ messages: string[]; stubs: unknown[] }> {
  const result = await readImposter(post, readOptions({ allowInjection }));
  return 'errors' in result
    ? { messages: result.errors.map((error) => error.message), stubs: [] }
    : { messages: [], stubs: result.value.stubs };
}

const http = (stub: unknown) => ({ protocol: 'http', stubs: [stub] });

let number = 0;
for (const [index, { info, text }] of blocks.entries()) {
  if (!info.startsWith('json ')) continue;
  number += 1;
  test(`example ${number} of the page: ${info.slice(5)}`, async () => {
    const json: unknown = JSON.parse(text);
    const next = blocks[index + 1]?.text ?? '';
    switch (info) {
      case 'json imposter':
        return assert.deepEqual((await read(json)).messages, []);
      case 'json stub':
        return assert.deepEqual((await read(http(json))).messages, []);
      case 'json response':
        return assert.deepEqual((await read(http({ responses: [json] }))).messages, []);
      case 'json rewritten':
        return assert.deepEqual((await read(http({ responses: [json] }))).stubs, [{ responses: [JSON.parse(next)] }]);
      case 'json refused':
        return assert.deepEqual((await read(json)).messages, next.split('\n'));
      case 'json refused without injection': {
        assert.deepEqual((await read(json)).messages, []);
        return assert.deepEqual((await read(json, false)).messages, next.split('\n'));
      }
      default:
        return assert.fail(`no rule for a block of "${info}"`);
    }
  });
}

test('the page has its examples', () => {
  assert.ok(number >= 12, `${number} examples`);
});
