// The examples of docs/proxies.md do what the page says.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { Imposter } from '../../imposter.js';
import type { JsonObject } from '../../model/types.js';
import { imposter, imposters, origin, send, stubsOf } from './proxy.test-help.js';

const page = readFileSync(new URL('../../../../../docs/proxies.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(.+)\n([\s\S]*?)\n```$/gm)].map(([, info, text]) => ({ info, text }));
/** Position of each example's first block. */
const starts = blocks.flatMap(({ info }, at) => (info === 'json imposter' ? [at] : []));

for (const [number, start] of starts.entries()) {
  test(`example ${number + 1} of docs/proxies.md`, async (t) => {
    const { url } = await origin(t);
    const json = JSON.parse(blocks[start].text.replaceAll('http://orders.example', url)) as JsonObject;
    // a free port instead of the one of the page
    delete json.port;
    const recording = await imposters(t).createFrom(json);
    for (const { info, text } of blocks.slice(start + 1, starts[number + 1])) {
      if (info === 'requests') await runRequests(recording, text);
      if (info === 'json stubs') {
        assert.deepEqual(
          withoutTimes(stubsOf(recording)),
          withoutTimes(JSON.parse(text.replaceAll('http://orders.example', url))),
        );
      }
      if (info === 'recorded') assert.deepEqual(recordedLines(recording), text.split('\n'));
    }
  });
}

async function runRequests(of: Imposter, text: string): Promise<void> {
  for (const line of text.split('\n')) {
    const [, method, target, body] = /^(\S+) (\S+) +(.*)$/.exec(line)!;
    assert.equal((await send(of.port, target, { method })).body, body, line);
  }
}

/** Predicates and bodies of the stubs behind the first one. */
function recordedLines(of: Imposter): string[] {
  return stubsOf(of)
    .slice(1)
    .map(({ predicates, responses }) => {
      const bodies = (responses as unknown as { is: { body: string } }[]).map(({ is }) => is.body);
      return `${JSON.stringify(predicates)}    ${bodies.join(' ')}`;
    });
}

function withoutTimes(value: unknown): unknown {
  const varying = new Set(['_proxyResponseTime', 'Date', 'Connection', 'Keep-Alive']);
  return JSON.parse(JSON.stringify(value, (key, member) => (varying.has(key) ? undefined : member)));
}

const [, requestText] = /^```request\n([\s\S]*?)\n```$/m.exec(page)!;
const [head, body] = requestText.split('\n\n');
const [requestLine, ...headerLines] = head.split('\n');

/** The predicates that a generator records for the page's request. */
async function generated(t: TestContext, generator: unknown): Promise<unknown> {
  const { url } = await origin(t);
  const recording = await imposter(t, [{ responses: [{ proxy: { to: url, predicateGenerators: [generator] } }] }]);
  const [method, target] = requestLine.split(' ');
  const headers = Object.fromEntries(headerLines.map((line) => line.split(': ')));
  assert.equal((await send(recording.port, target, { method, headers, body })).body, 'n1');
  assert.equal((await send(recording.port, target, { method, headers, body })).body, 'n1', 'the recording matches');
  return stubsOf(recording)[0].predicates;
}

const table = [...page.matchAll(/^\| `(\{"(?:matches|inject)".*\})` +\| `(\[.*\])` +\|$/gm)];

test('docs/proxies.md has a table of generators', () => assert.ok(table.length >= 10));

for (const [, generator, predicates] of table) {
  test(`the generator ${generator} of docs/proxies.md`, async (t) => {
    assert.equal(JSON.stringify(await generated(t, JSON.parse(generator))), predicates);
  });
}
