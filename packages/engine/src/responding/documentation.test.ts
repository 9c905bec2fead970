// The examples of docs/faults.md, docs/templates.md and docs/scripts.md do what the pages say.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { JsonObject } from '../model/types.js';
import { imposters, send } from './proxy/proxy.test-help.js';

interface Block {
  readonly info: string;
  readonly text: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(new URL(`../../../../docs/${page}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^```(.+)\n([\s\S]*?)\n```$/gm)].map(([, info, text]) => ({ info, text }));
}

/** What differs from run to run, by its form. */
function formOf(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00/g, 'MOMENT')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID');
}

async function checkRequest(port: number, request: string, expected: string): Promise<void> {
  const [head, body] = request.split('\n\n');
  const [line, ...headerLines] = head.split('\n');
  const [method, target] = line.split(' ');
  const headers = Object.fromEntries(headerLines.map((header) => header.split(': ', 2) as [string, string]));
  const answer = await send(port, target, { method, headers, body });
  const [expectedHead, expectedBody = ''] = expected.split('\n\n');
  const [status, ...expectedHeaders] = expectedHead.split('\n');
  assert.equal(String(answer.status), status);
  for (const header of expectedHeaders) {
    const [name, value] = header.split(': ', 2);
    assert.equal(formOf(String(answer.headers[name.toLowerCase()])), formOf(value), name);
  }
  assert.equal(formOf(answer.body), formOf(expectedBody));
}

/** How the connection ends that a request for the path was sent on, and what came before. */
function ending(port: number, path: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`));
    socket.on('data', (data) => (received += data.toString('latin1')));
    socket.on('end', () => resolve(`closed ${received}`.trim()));
    socket.on('error', () => resolve('reset'));
  });
}

for (const [page, least] of [
  ['faults.md', 3],
  ['templates.md', 4],
  ['scripts.md', 3],
] as const) {
  const blocks = blocksOf(page);
  const starts = blocks.flatMap(({ info }, at) => (info === 'json imposter' ? [at] : []));

  test(`docs/${page} has its examples`, () => {
    assert.ok(starts.length >= least);
    for (const { info, text } of blocks) if (info.startsWith('json')) JSON.parse(text);
  });

  for (const [number, start] of starts.entries()) {
    test(`example ${number + 1} of docs/${page}`, async (t) => {
      const json = JSON.parse(blocks[start].text) as JsonObject;
      const { port } = await imposters(t, 'rift').createFrom({ protocol: 'http', ...json });
      const steps = blocks.slice(start + 1, starts[number + 1]);
      assert.ok(steps.length > 0);
      for (const [at, { info, text }] of steps.entries()) {
        if (info === 'request') await checkRequest(port, text, steps[at + 1].text);
        if (info !== 'connection') continue;
        for (const line of text.split('\n')) {
          const [, path, expected] = /^(\S+) +(.*)$/.exec(line)!;
          assert.equal(await ending(port, path), expected.replaceAll('\\r', '\r').replaceAll('\\n', '\n').trim(), path);
        }
      }
    });
  }
}
