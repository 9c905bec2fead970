// The documentation's examples hold for ours; and for the real Mountebank, so that they are read as they are meant.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { rawExchange } from '@rift-ts/oracle';
import type { JsonObject, StubJson } from '../model/types.js';
import type { Documented, Step } from './documented.fixture.js';
import { behaviors } from './documented-behaviors.fixture.js';
import { predicates } from './documented-predicates.fixture.js';
import { proxies } from './documented-proxies.fixture.js';
import { responses } from './documented-responses.fixture.js';
import { mountebankSide, ourSide, type Side } from './sides.fixture.js';

const ours = ourSide();
let theirs: Side;
before(async () => {
  theirs = await mountebankSide();
});
after(async () => {
  await theirs.stop();
  await ours.stop();
});

/** Creates the imposters, the last first: those before it may name its address. */
async function create(side: Side, imposters: Documented['imposters'], folder: string): Promise<Map<string, number>> {
  const ports = new Map<string, number>();
  for (const [name, imposter] of Object.entries(imposters).reverse()) {
    let text = JSON.stringify(imposter).replaceAll('FOLDER', folder);
    for (const [known, port] of ports)
      text = text.replace(new RegExp(`(https?)://${known}\\b`, 'g'), `$1://localhost:${port}`);
    const created = await side.create(JSON.parse(text) as JsonObject);
    assert.ok('port' in created, 'refused' in created ? created.refused : '');
    ports.set(name, created.port);
  }
  return ports;
}

async function check(side: Side, ports: ReadonlyMap<string, number>, step: Step): Promise<void> {
  if (!('request' in step)) {
    const shown = await side.show(ports.get(step.of ?? 'it')!);
    if ('stubs' in step) assert.deepEqual((shown.stubs as unknown as StubJson[]).map(summary), step.stubs);
    else assert.deepEqual((shown.requests as JsonObject[]).map(withoutClient), step.requests);
    return;
  }
  const { bytes } = await rawExchange(ports.get(step.to ?? 'it')!, [step.request], { quietMs: 100 });
  const { status, headers, body } = parsed(bytes.toString('utf8'));
  if (step.status !== undefined) assert.equal(status, step.status);
  for (const [name, value] of Object.entries(step.headers ?? {})) {
    assert.ok(headers.includes(`${name}: ${value}`), `${name}: ${value} is not in ${headers.join(' | ')}`);
  }
  if (typeof step.body === 'string') assert.equal(body, step.body);
  else if (step.body !== undefined) assert.match(body, step.body);
}

/** An answer taken apart; bytes that are no answer are a body. */
function parsed(text: string): { status: number | undefined; headers: string[]; body: string } {
  const [, status, head, rest] = /^HTTP\/1\.1 (\d+) .*?\r\n(.*?)\r\n\r\n(.*)$/s.exec(text) ?? [];
  if (head === undefined || rest === undefined) return { status: undefined, headers: [], body: text };
  const headers = head.split('\r\n');
  const chunk = /^[0-9a-f]+\r\n(.*)\r\n0\r\n\r\n$/s.exec(rest);
  const body = /^transfer-encoding: chunked$/im.test(head.replaceAll('\r', '')) ? (chunk?.[1] ?? '') : rest;
  return { status: Number(status), headers, body };
}

/** A stub's predicates and, of each response, its body or that it is a proxy. */
function summary({ predicates, responses }: StubJson): unknown[] {
  return [
    predicates,
    ...responses.map((response) => {
      if (response.proxy !== undefined) return 'proxy';
      const { body } = response.is as JsonObject;
      const behaviors = response.behaviors as JsonObject[] | undefined;
      return behaviors === undefined ? body : { body, behaviors: behaviors.flatMap(Object.keys) };
    }),
  ];
}

function withoutClient({ requestFrom: _, ip: __, timestamp: ___, ...request }: JsonObject): JsonObject {
  return request;
}

async function play(side: Side, { imposters, files = {}, steps }: Documented): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rift-documented-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const ports = await create(side, imposters, folder);
    for (const step of steps) await check(side, ports, step);
    for (const port of ports.values()) await side.remove(port);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('as the documentation of Mountebank says', { concurrency: 4 }, () => {
  for (const example of [...predicates, ...responses, ...behaviors, ...proxies]) {
    test(example.name, () => play(ours, example));
    test(`${example.name}, in Mountebank`, () => play(theirs, example));
  }
});
