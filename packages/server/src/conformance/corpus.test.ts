// The corpus in packages/server/conformance, replayed on the real server: every file loads, and what its `_verify`
// transcripts say holds, for each annotated stub on a fresh copy of the whole imposter.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePorts, type Served, serve } from '../cli/program.test-help.js';

const home = new URL('../../conformance/', import.meta.url);
const cwd = fileURLToPath(new URL('corpus/', home));

interface Fixture {
  readonly file: string;
  readonly requires: readonly string[];
  readonly hasVerify: boolean;
}

interface Step {
  readonly request: { method?: string; path: string; body?: string; headers?: Record<string, string> };
  readonly expect?: { status?: number; bodyContains?: string; bodyEquals?: string };
}

interface AnnotatedStub {
  readonly responses?: readonly { readonly proxy?: { to: string } }[];
  readonly _verify?: { readonly sequence: readonly Step[] };
}

interface ImposterFile {
  port: number;
  readonly stubs: readonly AnnotatedStub[];
}

const { fixtures } = JSON.parse(readFileSync(new URL('manifest.json', home), 'utf8')) as { fixtures: Fixture[] };

const numberOf = ({ file }: Fixture) => /\/(\d+)-/.exec(file)![1]!;
const read = ({ file }: Fixture) => JSON.parse(readFileSync(new URL(file, home), 'utf8')) as ImposterFile;

/** What a step got that it should not, undefined when it got what it expects. */
async function replay(server: Served, port: number, { request, expect = {} }: Step): Promise<string | undefined> {
  const { method = 'GET', path, body, headers } = request;
  const answer = await server.call(path, { port, method, body, headers });
  const got = `${method} ${path}: ${answer.status} ${answer.body}`;
  if (expect.status !== undefined && answer.status !== expect.status) return got;
  if (expect.bodyContains !== undefined && !answer.body.includes(expect.bodyContains)) return got;
  return expect.bodyEquals !== undefined && answer.body !== expect.bodyEquals ? got : undefined;
}

/** Replays the transcripts of a file; the steps that failed, each as `<stub>.<step> <what came>`. */
async function replayAll(server: Served, imposter: ImposterFile, upstream: number): Promise<string[]> {
  const failed: string[] = [];
  for (const [index, { _verify: verify }] of imposter.stubs.entries()) {
    if (verify === undefined) continue;
    const [port] = await freePorts(1);
    const text = JSON.stringify({ ...imposter, port }).replaceAll(
      'http://localhost:4501',
      `http://127.0.0.1:${upstream}`,
    );
    const created = await server.call('/imposters', { method: 'POST', body: JSON.parse(text) });
    assert.equal(created.status, 201, created.body);
    for (const [number, step] of verify.sequence.entries()) {
      const problem = await replay(server, port!, step);
      if (problem !== undefined) failed.push(`${index}.${number} ${problem}`);
    }
    await server.call(`/imposters/${port}`, { method: 'DELETE' });
  }
  return failed;
}

async function withUpstream(server: Served): Promise<number> {
  const [port] = await freePorts(1);
  const basic = fixtures.find((fixture) => numberOf(fixture) === '01')!;
  await server.call('/imposters', { method: 'POST', body: { ...read(basic), port } });
  return port!;
}

/**
 * Steps that fail in profile `mountebank`, as `<stub>.<step>`: Mountebank prints bodies that are objects over several
 * lines, and `copy` and `lookup` take the whole match of a pattern where the corpus expects its first group.
 */
const differences: { readonly [number: string]: readonly string[] } = {
  '02': ['0.0', '3.0', '6.0', '8.0', '8.1', '9.0', '11.0'],
  '03': ['2.2', '4.0', '6.0'],
  '05': ['3.0'],
  '07': ['0.0', '0.1'],
  '10': ['0.0', '1.0'],
  '14': ['1.0'],
  '16': ['0.0', '2.0'],
};

for (const profile of ['rift', 'mountebank'] as const) {
  test(`profile ${profile}: the corpus holds`, async (t) => {
    const server = await serve(
      t,
      'rift',
      ['--port', '0', '--allowInjection', '--compat', profile, '--metrics-port', '0'],
      { cwd },
    );
    const upstream = await withUpstream(server);
    for (const fixture of fixtures) {
      const number = numberOf(fixture);
      await t.test(fixture.file, async () => {
        const imposter = read(fixture);
        assert.equal(
          imposter.stubs.some((stub) => stub._verify !== undefined),
          fixture.hasVerify,
        );
        const [port] = await freePorts(1);
        const created = await server.call('/imposters', { method: 'POST', body: { ...imposter, port } });
        assert.equal(created.status, 201, created.body);
        await server.call(`/imposters/${port}`, { method: 'DELETE' });
        const failed = await replayAll(server, imposter, upstream);
        const expected = profile === 'rift' ? [] : (differences[number] ?? []);
        assert.deepEqual(
          failed.map((each) => each.split(' ', 1)[0]),
          expected,
          failed.join('\n'),
        );
      });
    }
  });
}

test('without injection exactly the files are refused that say they need it', async (t) => {
  const server = await serve(t, 'rift', ['--port', '0', '--metrics-port', '0'], { cwd });
  const refused: string[] = [];
  for (const fixture of fixtures) {
    const [port] = await freePorts(1);
    const created = await server.call('/imposters', { method: 'POST', body: { ...read(fixture), port } });
    if (created.status === 201) continue;
    assert.equal((created.json().errors as { type: string }[])[0]!.type, 'invalid injection', fixture.file);
    refused.push(numberOf(fixture));
  }
  assert.deepEqual(refused, ['03', '05', '06', '13', '16', '20']);
  assert.deepEqual(refused, fixtures.filter(({ requires }) => requires.includes('injection')).map(numberOf));
});
