// The examples of docs/http.md and docs/profiles.md: an imposter, then requests, each with its answer.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mountebankLimits } from '@rift-ts/http';
import { rawExchange } from '@rift-ts/oracle';
import { Imposters } from '../../imposters.js';
import type { JsonObject, Profile } from '../../model/types.js';
import { httpProtocol } from './protocol.js';

interface Example {
  readonly profile: Profile;
  readonly imposter: JsonObject;
  readonly steps: { readonly request: string; answer?: string }[];
}

function examplesOf(page: string): Example[] {
  const text = readFileSync(new URL(`../../../../../docs/${page}`, import.meta.url), 'utf8');
  const examples: Example[] = [];
  for (const [, info, block] of text.matchAll(/^```(.*)\n([\s\S]*?)\n```$/gm)) {
    if (info === 'json imposter' || info === 'json imposter rift') {
      const profile = info.endsWith('rift') ? 'rift' : 'mountebank';
      examples.push({ profile, imposter: JSON.parse(block!) as JsonObject, steps: [] });
    } else if (info === 'request') examples.at(-1)!.steps.push({ request: block! });
    else if (info === 'answer') examples.at(-1)!.steps.at(-1)!.answer = block!;
    else assert.fail(`${page}: no rule for a block of "${info}"`);
  }
  return examples;
}

/** A request as a page has it: request line without version, header lines, body. */
function wire(text: string): string {
  const [head, body = ''] = text.split(/\n\n(.*)/s);
  const [line, ...headers] = head!.split('\n');
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers, ...length].join('\r\n')}\r\n\r\n${body}`;
}

/** The answer as a page has it: without Date, chunks put together, LF line ends. */
function readable(bytes: Buffer): string {
  const [head, rest = ''] = bytes.toString('utf8').split(/\r\n\r\n(.*)/s);
  const lines = head!.split('\r\n').filter((line) => !line.startsWith('Date: '));
  const body = lines.includes('Transfer-Encoding: chunked')
    ? /^(?:[0-9a-f]+\r\n(.*)\r\n)?0\r\n\r\n$/s.exec(rest)?.[1]
    : rest;
  return body ? `${lines.join('\n')}\n\n${body}` : lines.join('\n');
}

const limits = { ...mountebankLimits, maxHeadBytes: 65_536 };

for (const [page, least] of [
  ['http.md', 9],
  ['profiles.md', 2],
] as const) {
  const examples = examplesOf(page);
  test(`${page} has its examples`, () => {
    assert.ok(examples.length >= least, `${examples.length} examples`);
  });
  examples.forEach(({ profile, imposter, steps }, index) => {
    test(`example ${index + 1} of ${page}`, async (t) => {
      const protocols = new Map([['http', httpProtocol({ limits, graceMs: 0 })]]);
      const imposters = new Imposters({ profile, protocols });
      t.after(() => imposters.deleteAll());
      const { port } = await imposters.createFrom({ protocol: 'http', ...imposter });
      assert.ok(steps.length > 0);
      for (const { request, answer } of steps) {
        const { bytes } = await rawExchange(port, [wire(request)], { quietMs: 100 });
        assert.equal(readable(bytes), answer);
      }
    });
  });
}
