// The examples of docs/behaviors.md and docs/scripting.md do what the pages say: a response or predicate, then requests, each
// with its result.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { JsonObject, RequestJson } from '../../model/types.js';
import { imposter, request } from './examples.fixture.js';

interface Example {
  readonly kind: 'response' | 'predicate';
  readonly json: JsonObject;
  readonly steps: { readonly request: RequestJson; result?: unknown }[];
}

function parseRequest(text: string): RequestJson {
  const [head, ...body] = text.split('\n\n');
  const [line, ...headers] = head!.split('\n');
  return request(
    line!,
    Object.fromEntries(headers.map((header) => header.split(/:\s*/, 2) as [string, string])),
    body.join('\n\n'),
  );
}

function readPage(name: string): { examples: Example[]; files: { [name: string]: string } } {
  const page = readFileSync(new URL(`../../../../../docs/${name}`, import.meta.url), 'utf8');
  const examples: Example[] = [];
  const files: { [name: string]: string } = {};
  for (const [, info, text] of page.matchAll(/^```(.*)\n([\s\S]*?)\n```$/gm)) {
    const example = examples.at(-1);
    if (info === 'json response' || info === 'json predicate') {
      examples.push({ kind: info.slice(5) as Example['kind'], json: JSON.parse(text!) as JsonObject, steps: [] });
    } else if (info === 'request') {
      example!.steps.push({ request: parseRequest(text!) });
    } else if (info === 'json result') {
      example!.steps.at(-1)!.result = JSON.parse(text!);
    } else if (info!.startsWith('csv ')) {
      files[info!.slice(4)] = `${text}\n`;
    } else {
      assert.fail(`${name}: no rule for a block of "${info}"`);
    }
  }
  return { examples, files };
}

for (const [page, least] of [
  ['behaviors.md', 7],
  ['scripting.md', 4],
] as const) {
  const { examples, files } = readPage(page);
  test(`${page} has its examples`, () => {
    assert.ok(examples.length >= least, `${examples.length} examples`);
  });
  examples.forEach(({ kind, json, steps }, index) => {
    test(`example ${index + 1} of ${page}`, async () => {
      const served = imposter({ files });
      try {
        assert.ok(steps.length > 0);
        for (const step of steps) {
          const result =
            kind === 'response'
              ? (await served.serve(json, step.request)).data
              : await served.scripts.predicate(String(json.inject), step.request);
          assert.deepEqual(result, step.result);
        }
      } finally {
        await served.close();
      }
    });
  });
}
