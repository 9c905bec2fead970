// The sample protocol in Python, under us and under Mountebank, and the in-process one of docs/protocols.md: the same test.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startMountebank } from '@rift-ts/oracle';
import { folder, freePorts, serve } from '../cli/program.test-help.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout?.trim();
const pythonFile = {
  lines: {
    createCommand: `${python} ${join(root, 'examples/protocols/lines.py')}`,
    testRequest: { line: 'test' },
    testProxyResponse: { line: '' },
  },
};

/** Members of the answers that these tests look at; which of them there are depends on what was asked. */
interface Shown {
  readonly port: number;
  readonly numberOfRequests: number;
  readonly requests: { readonly ip: string; readonly timestamp: string; readonly requestFrom: string }[];
  readonly stubs: readonly object[];
  readonly errors: readonly { readonly message: string }[];
}

type Admin = (method: string, path: string, body?: unknown) => Promise<{ status: number; json: Shown }>;

/** One client of the protocol. */
async function client(t: TestContext, port: number) {
  const socket = connect({ host: '127.0.0.1', port });
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  const received: string[] = [];
  let changed = (): void => {};
  createInterface({ input: socket }).on('line', (line) => {
    received.push(line);
    changed();
  });
  let ended = false;
  socket.on('close', () => {
    ended = true;
    changed();
  });
  await once(socket, 'connect');
  /** The next line; undefined when the connection ends instead. */
  const line = async (): Promise<string | undefined> => {
    while (received.length === 0 && !ended) {
      await new Promise<void>((resolve) => {
        changed = resolve;
      });
    }
    return received.shift();
  };
  return {
    line,
    ask(text: string): Promise<string | undefined> {
      socket.write(`${text}\n`);
      return line();
    },
  };
}

const withoutTimes = (requests: Shown['requests']) =>
  requests.map(({ timestamp, requestFrom, ...rest }) => {
    assert.match(timestamp, /^\d{4}-.*Z$/);
    assert.match(requestFrom, /:\d+$/);
    return rest;
  });

/** What every implementation of the sample protocol has to do, whoever runs it. */
async function lines(t: TestContext, admin: Admin): Promise<void> {
  const [port] = await freePorts(1);
  const created = await admin('POST', '/imposters', {
    protocol: 'lines',
    port,
    name: 'sample',
    recordRequests: true,
    greeting: 'hello',
    defaultResponse: { line: 'what?' },
    stubs: [
      { predicates: [{ equals: { line: 'a' } }], responses: [{ is: { line: '1' } }, { is: { line: '2' } }] },
      {
        predicates: [{ startsWith: { line: 'copy' } }],
        responses: [
          {
            is: { line: 'got ${x}' },
            behaviors: [{ copy: { from: 'line', into: '${x}', using: { method: 'regex', selector: '\\d+' } } }],
          },
        ],
      },
      { predicates: [{ equals: { line: 'empty' } }], responses: [{ is: {} }] },
    ],
  });
  assert.equal(created.status, 201);
  const keys = Object.keys(created.json).filter((key) => key !== 'enabled');
  assert.equal(keys.slice(0, 7).join(), 'protocol,port,name,defaultResponse,numberOfRequests,recordRequests,greeting');
  assert.equal(created.json.port, port);

  const first = await client(t, port);
  assert.equal(await first.line(), 'hello');
  for (const [asked, answered] of [
    ['a', '1'],
    ['A', '2'],
    ['a', '1'],
    ['copy 42', 'got 42'],
    ['empty', 'what?'],
    ['größe', 'what?'],
  ]) {
    assert.equal(await first.ask(asked), answered);
  }
  const { json: seen } = await admin('GET', `/imposters/${port}`);
  assert.equal(seen.numberOfRequests, 6);
  const { ip } = seen.requests[0];
  assert.match(ip, /127\.0\.0\.1$/);
  assert.deepEqual(
    withoutTimes(seen.requests),
    ['a', 'A', 'a', 'copy 42', 'empty', 'größe'].map((line) => ({ ip, line })),
  );

  // a second imposter that records what the first one answers
  const [proxyPort] = await freePorts(1);
  const proxy = { to: `lines://127.0.0.1:${port}`, predicateGenerators: [{ matches: { line: true } }] };
  const proxied = await admin('POST', '/imposters', {
    protocol: 'lines',
    port: proxyPort,
    greeting: 'hello',
    stubs: [{ responses: [{ proxy }] }],
  });
  assert.equal(proxied.status, 201);
  const second = await client(t, proxyPort);
  assert.equal(await second.line(), 'hello');
  for (const [asked, answered] of [
    ['a', '2'],
    ['a', '2'],
    ['copy 7', 'got 7'],
  ]) {
    assert.equal(await second.ask(asked), answered);
  }
  const { json: recorded } = await admin('GET', `/imposters/${proxyPort}?replayable=true`);
  // profile rift names the upstream of a recording
  const recordings = recorded.stubs.map((stub) => ({ ...stub, recordedFrom: undefined }));
  assert.deepEqual(JSON.parse(JSON.stringify(recordings)), [
    { predicates: [{ deepEquals: { line: 'a' } }], responses: [{ is: { line: '2' } }] },
    { predicates: [{ deepEquals: { line: 'copy 7' } }], responses: [{ is: { line: 'got 7' } }] },
    { responses: [{ proxy }] },
  ]);

  const refused = await admin('POST', '/imposters', {
    protocol: 'lines',
    port,
    stubs: [{ responses: [{ proxy: {} }] }],
  });
  assert.deepEqual([refused.status, refused.json.errors[0].message], [400, 'Missing to']);

  assert.equal((await admin('DELETE', `/imposters/${port}`)).status, 200);
  assert.equal(await first.line(), undefined);
  assert.equal((await admin('DELETE', `/imposters/${proxyPort}`)).status, 200);
  const again = createServer();
  again.listen(port, '127.0.0.1');
  await once(again, 'listening');
  again.close();
}

/** Starts us with a protofile; the function calls our admin API. */
async function ours(t: TestContext, name: 'mb' | 'rift', protofile: object, ...args: string[]) {
  const cwd = folder(t, { 'protocols.json': protofile });
  const program = await serve(t, name, ['--allowInjection', ...args], { cwd });
  const admin: Admin = async (method, path, body) => {
    const { status, json } = await program.call(path, { method, body });
    return { status, json: json() as unknown as Shown };
  };
  return { program, admin };
}

// register only what can run: CI makes sure that there is a python3
const pythonTest: typeof test | (() => void) = python ? test : () => {};

for (const name of ['mb', 'rift'] as const) {
  pythonTest(`the sample in Python, name ${name}`, async (t) => {
    const { program, admin } = await ours(t, name, pythonFile);
    await lines(t, admin);
    assert.match(program.stdout(), /Loaded custom protocol lines/);
  });
}

pythonTest('the sample in Python, under Mountebank', async (t) => {
  const cwd = folder(t, { 'protocols.json': pythonFile });
  const mountebank = await startMountebank('--allowInjection', '--protofile', join(cwd, 'protocols.json'));
  t.after(() => mountebank.stop());
  await lines(t, async (method, path, body) => {
    const { status, text } = await mountebank.admin(method, path, body);
    return { status, json: JSON.parse(text) };
  });
});

test('the in-process sample of docs/protocols.md', async (t) => {
  const page = readFileSync(join(root, 'docs/protocols.md'), 'utf8');
  const [, source] = /^```ts\n([\s\S]*?)\n```$/m.exec(page)!;
  assert.ok(source.split('\n').length <= 80, 'at most 80 lines');
  const cwd = folder(t, { 'lines.ts': source, 'package.json': { type: 'module' } });
  symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'));
  mkdirSync(join(cwd, 'out'));
  const flags = '--strict --module nodenext --target es2022 --skipLibCheck --types node --outDir out lines.ts';
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...flags.split(' ')], {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const { admin } = await ours(t, 'rift', { lines: { module: join(cwd, 'out/lines.js') } });
  await lines(t, admin);
});

pythonTest('a callback carries the API key that the server asks for', async (t) => {
  const cwd = folder(t, { 'protocols.json': pythonFile });
  const { call } = await serve(t, 'mb', ['--apikey', 'secret'], { cwd });
  const headers = { 'X-Api-Key': 'secret' };
  const body = { protocol: 'lines', stubs: [{ responses: [{ is: { line: 'in' } }] }] };
  const created = await call('/imposters', { method: 'POST', body, headers });
  assert.equal(created.status, 201);
  const { ask } = await client(t, created.json().port as number);
  assert.equal(await ask('x'), 'in');
});

pythonTest('a client whose address is not allowed is cut off', async (t) => {
  const { program, admin } = await ours(t, 'rift', pythonFile);
  const [port] = await freePorts(1);
  await admin('POST', '/imposters', { protocol: 'lines', port });
  const body = { request: { ip: '10.0.0.1', line: 'x' } };
  const path = `/imposters/${port}/_requests`;
  assert.deepEqual(await admin('POST', path, body), { status: 200, json: { response: {} } });
  await program.stop();
  const closed = await ours(t, 'rift', pythonFile, '--localOnly');
  await closed.admin('POST', '/imposters', { protocol: 'lines', port });
  assert.deepEqual(await closed.admin('POST', path, body), {
    status: 200,
    json: { blocked: true, code: 'unauthorized ip address' },
  });
});

pythonTest('an imposter that is switched off cuts its clients off', async (t) => {
  const { admin } = await ours(t, 'rift', pythonFile);
  const { json } = await admin('POST', '/imposters', { protocol: 'lines', defaultResponse: { line: 'on' } });
  const { ask } = await client(t, json.port);
  assert.equal(await ask('x'), 'on');
  await admin('POST', `/imposters/${json.port}/disable`);
  assert.equal(await ask('x'), undefined);
});

pythonTest('a failing script reaches the client in the words of the protocol', async (t) => {
  const { admin } = await ours(t, 'mb', pythonFile);
  const stubs = [{ responses: [{ inject: "() => { throw new Error('boom'); }" }] }];
  const { json } = await admin('POST', '/imposters', { protocol: 'lines', stubs });
  const { ask } = await client(t, json.port);
  assert.equal(await ask('x'), 'ERROR invalid response injection');
});
