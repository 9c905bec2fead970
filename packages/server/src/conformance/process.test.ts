// What depends on how the process was started: profiles, variables, limits, and what one imposter does to another.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange, folder, freePorts, run, type Served, serve } from '../cli/program.test-help.js';

/** An imposter with one stub per response set; gives its port. */
async function imposter(server: Served, stubs: readonly object[], more: object = {}): Promise<number> {
  const [port] = await freePorts(1);
  const body = { protocol: 'http', port, stubs, ...more };
  const created = await server.call('/imposters', { method: 'POST', body });
  assert.equal(created.status, 201, created.body);
  return port!;
}

const plain = [{ responses: [{ is: { body: 'x' } }] }];

/** Only profile `rift` marks its answers. */
async function profileOf(server: Served): Promise<string> {
  const port = await imposter(server, plain);
  const { headers } = await exchange({ port }, '/');
  return headers['x-rift-imposter'] === 'true' ? 'rift' : 'mountebank';
}

const rows: {
  name: 'mb' | 'rift';
  args?: string[];
  env?: Record<string, string>;
  profile: string;
}[] = [
  { name: 'mb', profile: 'mountebank' },
  { name: 'rift', profile: 'rift' },
  { name: 'mb', env: { RIFT_COMPAT: 'rift' }, profile: 'rift' },
  { name: 'mb', args: ['--compat', 'mountebank'], env: { RIFT_COMPAT: 'rift' }, profile: 'mountebank' },
];

for (const { name, args = [], env, profile } of rows) {
  const how = [name, ...args, ...Object.entries(env ?? {}).map(([key, value]) => `${key}=${value}`)].join(' ');
  test(`${how} starts in profile ${profile}`, async (t) => {
    const metrics = name === 'rift' ? ['--metrics-port', '0'] : [];
    const server = await serve(t, name, [...args, ...metrics], { env });
    assert.equal(await profileOf(server), profile);
  });
}

test('a profile that does not exist ends the start and names those that do', async (t) => {
  const { code, stdout, stderr } = await run(t, 'rift', ['--port', '0'], { env: { RIFT_COMPAT: 'other' } });
  assert.notEqual(code, 0);
  assert.match(stdout + stderr, /mountebank/);
  assert.match(stdout + stderr, /rift/);
});

test('two processes with one seed draw alike', async (t) => {
  const statuses = async () => {
    const server = await serve(t, 'rift', ['--metrics-port', '0'], { env: { RIFT_SEED: '7' } });
    const response = { is: {}, _rift: { fault: { error: { probability: 0.5, status: 503 } } } };
    const port = await imposter(server, [{ responses: [response] }]);
    const found: number[] = [];
    for (let turn = 0; turn < 20; turn += 1) found.push((await exchange({ port }, '/')).status);
    await server.stop();
    return found;
  };
  const first = await statuses();
  assert.deepEqual(new Set(first), new Set([200, 503]));
  assert.deepEqual(await statuses(), first);
});

test('eleven MiB are too much for profile rift, and for mb with a limit', async (t) => {
  const body = 'x'.repeat(11 * 1024 * 1024);
  const status = async (name: 'mb' | 'rift', args: string[]) => {
    const server = await serve(t, name, args);
    const port = await imposter(server, plain);
    const answer = await exchange({ port, method: 'POST', body }, '/').catch((error: NodeJS.ErrnoException) => error);
    await server.stop();
    // a server that refuses while the client still sends may end the connection under it
    return answer instanceof Error ? answer.code : answer.status;
  };
  assert.equal(await status('mb', []), 200);
  const refused = [413, 'EPIPE', 'ECONNRESET'];
  assert.ok(refused.includes((await status('rift', ['--metrics-port', '0']))!));
  assert.ok(refused.includes((await status('mb', ['--max-body', '10485760']))!));
});

test('a script without an end on one imposter leaves the others alone', async (t) => {
  const server = await serve(t, 'rift', ['--allowInjection', '--script-timeout', '1500', '--metrics-port', '0']);
  const hanging = await imposter(server, [{ responses: [{ inject: '() => { while (true); }' }] }]);
  const port = await imposter(server, plain);
  let ended = false;
  const stuck = exchange({ port: hanging }, '/').then((answer) => {
    ended = true;
    return answer;
  });
  for (let turn = 0; turn < 20; turn += 1) assert.equal((await exchange({ port }, '/')).status, 200);
  assert.equal(ended, false, 'all were answered while the script ran');
  assert.equal((await stuck).status, 504);
});

test('a reset below TLS', async (t) => {
  const server = await serve(t, 'rift', ['--metrics-port', '0']);
  const port = await imposter(server, [{ responses: [{ fault: 'CONNECTION_RESET_BY_PEER' }] }], { protocol: 'https' });
  const { connect } = await import('node:tls');
  const code = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.on('end', () => resolve('end'));
  });
  assert.equal(code, 'ECONNRESET');
});

test('a YAML file that is a list of imposters', async (t) => {
  const [port] = await freePorts(1);
  const text = `- {port: ${port}, protocol: http, stubs: [{responses: [{is: {body: y}}]}]}\n`;
  const cwd = folder(t, { 'imposters.yaml': text });
  await serve(t, 'rift', ['--configfile', 'imposters.yaml', '--metrics-port', '0'], { cwd });
  assert.equal((await exchange({ port }, '/')).body, 'y');
});
