// The commands and the life of a serving process, seen from outside.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  answers,
  appears,
  exchange,
  folder,
  freePorts,
  launch,
  occupied,
  read,
  run,
  serve,
} from './program.test-help.js';

const imposter = (port: number, body = 'hello') => ({
  port,
  protocol: 'http',
  stubs: [{ responses: [{ is: { body } }] }],
});

test('--version prints the version of the name', async (t) => {
  assert.deepEqual(await run(t, 'mb', ['--version']), { code: 0, stdout: '2.9.1\n', stderr: '' });
  const rift = await run(t, 'rift', ['-V']);
  assert.equal(rift.code, 0);
  assert.match(rift.stdout, /^rift \d+\.\d+\.\d+\n$/);
});

test('an unknown command is named on stderr, with the usage', async (t) => {
  const { code, stdout, stderr } = await run(t, 'mb', ['foo']);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^Invalid command 'foo'\.\n\nUsage: mb /);
  assert.equal((await run(t, 'rift', ['foo'])).code, 2);
});

test('help lists every command on stdout', async (t) => {
  for (const args of [['help'], ['--help'], ['-h']]) {
    const { code, stdout, stderr } = await run(t, 'mb', args);
    assert.deepEqual([code, stderr], [0, '']);
    for (const command of ['start', 'stop', 'restart', 'save', 'replay'])
      assert.match(stdout, new RegExp(`  ${command} `));
  }
});

test('an unknown flag is a usage error of name rift with the nearest flag; name mb keeps it as an option', async (t) => {
  const { code, stdout, stderr } = await run(t, 'rift', ['--prot', '1']);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /unknown flag '--prot', did you mean '--port'\?/);
  const mb = await serve(t, 'mb', ['--mine', 'A']);
  assert.equal(((await mb.call('/config')).json().options as { mine: string }).mine, 'A');
});

test('environment variables set what no flag sets', async (t) => {
  const [port, other] = await freePorts(2);
  const env = { MB_PORT: String(port), MB_LOGLEVEL: 'debug', RIFT_COMPAT: 'mountebank' };
  const server = await serve(t, 'rift', [], { env });
  assert.equal(server.port, port);
  assert.match(server.stdout(), /config: \{/);
  assert.doesNotMatch((await server.call('/imposters', { method: 'POST', body: '{' })).body, /"type"/);
  assert.equal((await serve(t, 'rift', ['--port', String(other)], { env })).port, other);
  const bad = await run(t, 'rift', [], { env: { MB_PORT: 'x' } });
  assert.equal(bad.code, 2);
  assert.match(bad.stderr, /MB_PORT: 'x' is not valid/);
});

test('the start line of name mb, colours included, is what wrappers wait for', async (t) => {
  const server = await serve(t, 'mb');
  assert.equal(
    server.stdout().split('\n')[0],
    `\u001b[32minfo\u001b[39m: [mb:${server.port}] mountebank v2.9.1 now taking orders - point your browser to http://localhost:${server.port}/ for help`,
  );
});

test('name rift announces itself before the line that wrappers wait for', async (t) => {
  const server = await serve(t, 'rift', ['--nologfile']);
  assert.match(
    server.stdout(),
    new RegExp(`info \\[mb:${server.port}\\] Starting Rift on port ${server.port}\n.*now taking orders`),
  );
});

test('name mb writes mb.log and mb.pid unasked, name rift writes nothing', async (t) => {
  const mb = folder(t);
  const server = await serve(t, 'mb', [], { cwd: mb });
  await appears(join(mb, 'mb.pid'), server);
  assert.equal(existsSync(join(mb, 'mb.log')), true);
  await server.stop();
  assert.equal(existsSync(join(mb, 'mb.pid')), false);
  const rift = folder(t);
  await (await serve(t, 'rift', [], { cwd: rift })).stop();
  assert.deepEqual([existsSync(join(rift, 'rift.pid')), existsSync(join(rift, 'mb.log'))], [false, false]);
});

test('SIGINT and SIGTERM end the server in order: farewell, exit code 0', async (t) => {
  for (const name of ['mb', 'rift'] as const) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const server = await serve(t, name);
      server.signal(signal);
      const { code, stdout, stderr } = await server.ended;
      assert.deepEqual([code, stderr], [0, ''], `${name} ${signal}`);
      assert.match(stdout, new RegExp(`\\[mb:${server.port}\\] Adios - see you soon\\?\n$`));
    }
  }
});

/** A client in the middle of an answer that takes a minute. */
async function waitingClient(t: TestContext, admin: number, port: number): Promise<void> {
  const stubs = [{ responses: [{ is: { body: 'late' }, behaviors: [{ wait: 60_000 }] }] }];
  const body = { port, protocol: 'http', recordRequests: true, stubs };
  await exchange({ port: admin, method: 'POST', body }, '/imposters');
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const seen = async () => (await exchange({ port: admin }, `/imposters/${port}`)).body.includes('"requestFrom"');
  while (!(await seen())) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('a second signal ends a draining server at once with 128 + its number', async (t) => {
  const [port] = await freePorts(1);
  const server = await serve(t, 'rift', ['--shutdown-timeout', '60']);
  await waitingClient(t, server.port, port);
  server.signal('SIGTERM');
  while (await answers(server.port)) await new Promise((resolve) => setTimeout(resolve, 5));
  server.signal('SIGTERM');
  assert.equal((await server.ended).code, 143);
});

test('name mb cuts running requests at shutdown', async (t) => {
  const [port] = await freePorts(1);
  const server = await serve(t, 'mb');
  await waitingClient(t, server.port, port);
  const { code, stdout } = await server.stop();
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /Ciao for now/);
});

test('a taken admin port is one clear line; the other process is unharmed', async (t) => {
  const port = await occupied(t);
  const rift = await run(t, 'rift', ['--port', String(port)]);
  assert.equal(rift.code, 3);
  assert.match(rift.stderr, new RegExp(`^rift: Port ${port} is already in use: [^\n]*\n$`));
  const mb = await run(t, 'mb', ['--port', String(port), '--host', '0.0.0.0']);
  assert.equal(mb.code, 1);
  assert.match(mb.stderr, new RegExp(`^Port ${port} of 0\\.0\\.0\\.0 is already in use: [^\n]*\n$`));
});

test('a host that does not resolve is one clear line', async (t) => {
  const { code, stderr } = await run(t, 'mb', ['--host', 'nowhere.invalid', '--port', '0']);
  assert.equal(code, 1);
  assert.match(stderr, /^--host 'nowhere\.invalid' cannot be resolved to an address\n$/);
});

test('mb: a configuration with a busy port ends the start, names the port, leaves nothing listening', async (t) => {
  const [a, b, admin] = await freePorts(3);
  const busy = await occupied(t, '::');
  const cwd = folder(t, { 'c.json': { imposters: [imposter(a), imposter(busy), imposter(b)] } });
  const { code, stderr } = await run(t, 'mb', ['--port', String(admin), '--configfile', 'c.json'], { cwd });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`[Pp]ort \\D*${busy}`));
  assert.equal(existsSync(join(cwd, 'mb.pid')), false);
  assert.deepEqual(await Promise.all([a, b, admin].map((port) => answers(port))), [false, false, false]);
});

test('rift: a configuration with a busy port serves the rest and /ready names the port', async (t) => {
  const [port] = await freePorts(1);
  const busy = await occupied(t, '::');
  const cwd = folder(t, { 'c.json': { imposters: [imposter(port), imposter(busy)] } });
  const server = await serve(t, 'rift', ['--configfile', 'c.json'], { cwd });
  assert.deepEqual((await server.call('/ready')).json(), { status: 'ready', bindFailures: [busy] });
  assert.match(server.stdout(), new RegExp(`error .*port ${busy} cannot start: `));
  assert.equal((await exchange({ port }, '/')).body, 'hello');
});

test('a configuration that is refused ends the start with its errors', async (t) => {
  const cwd = folder(t, {
    'c.json': { protocol: 'foo' },
    'd.json': '{"protocol":',
    'e.json': { protocol: 'http', routes: {} },
  });
  const mb = await run(t, 'mb', ['--port', '0', '--configfile', 'c.json'], { cwd });
  assert.equal(mb.code, 1);
  assert.match(mb.stderr, /^Error: 400\n[\s\S]*the foo protocol is not yet supported/);
  assert.equal(existsSync(join(cwd, 'mb.pid')), false);
  const rift = await run(t, 'rift', ['--port', '0', '--configfile', 'c.json'], { cwd });
  assert.equal(rift.code, 2);
  assert.match(rift.stderr, /c\.json:\n {2}bad data: /);
  const broken = await run(t, 'mb', ['--configfile', 'd.json'], { cwd });
  assert.match(
    broken.stderr,
    /^Unable to parse configfile as JSON\. Full contents after EJS rendering below:\n\{"protocol":\n/,
  );
  const missing = await run(t, 'mb', ['--configfile', 'gone.json'], { cwd });
  assert.match(missing.stderr, /^No such file: gone\.json\n/);
  assert.match(
    (await run(t, 'rift', ['--configfile', 'e.json'], { cwd })).stderr,
    /"routes" stands in a document without "imposters"/,
  );
  const both = await run(t, 'rift', ['--imposters', 'c.json', '--configfile', 'c.json'], { cwd });
  assert.equal(both.code, 2);
  assert.match(both.stderr, /pass only one/);
});

test('stop: without a pid file name mb is silent and name rift says which file it looked for', async (t) => {
  assert.deepEqual(await run(t, 'mb', ['stop']), { code: 0, stdout: '', stderr: '' });
  const rift = await run(t, 'rift', ['stop', '--pidfile', 'gone.pid']);
  assert.deepEqual(rift, { code: 1, stdout: '', stderr: 'rift: PID file not found: gone.pid\n' });
});

test('stop: the file of a process that is gone is removed', async (t) => {
  const dead = launch(t, 'mb', ['--version']);
  await dead.ended;
  const cwd = folder(t, { 'mb.pid': String(dead.pid) });
  assert.deepEqual(await run(t, 'mb', ['stop'], { cwd }), { code: 0, stdout: '', stderr: '' });
  assert.equal(existsSync(join(cwd, 'mb.pid')), false);
});

test('stop: a file that holds no process id is an error, kept, and nobody is signalled', async (t) => {
  for (const content of ['-1', '0', 'abc', '', '1 2']) {
    const cwd = folder(t, { 'x.pid': content });
    const { code, stderr } = await run(t, 'rift', ['stop', '--pidfile', 'x.pid'], { cwd });
    assert.equal(code, 1, content);
    assert.match(stderr, /does not hold a process id/);
    assert.equal(read(cwd, 'x.pid'), content);
  }
});

test('stop: a running server ends, with the flag before or after the command', async (t) => {
  for (const args of [
    ['stop', '--pidfile', 'x'],
    ['--pidfile', 'x', 'stop'],
  ]) {
    const cwd = folder(t);
    const server = await serve(t, 'rift', ['--pidfile', 'x'], { cwd });
    await appears(join(cwd, 'x'), server);
    assert.equal((await run(t, 'rift', args, { cwd })).code, 0);
    assert.equal((await server.ended).code, 0);
    assert.equal(existsSync(join(cwd, 'x')), false);
  }
});

test('restart: the old process ends in order, the new one has the pid file', async (t) => {
  const cwd = folder(t);
  const [port] = await freePorts(1);
  const old = await serve(t, 'mb', [], { cwd });
  await appears(join(cwd, 'mb.pid'), old);
  const next = await serve(t, 'mb', ['restart', '--port', String(port)], { cwd });
  assert.equal((await old.ended).code, 0);
  assert.equal(await answers(old.port), false);
  await appears(join(cwd, 'mb.pid'), next);
  assert.equal(read(cwd, 'mb.pid'), String(next.pid));
  assert.match(read(cwd, 'mb1.log'), /Adios/);
});

test('restart without a running server starts one, under both names', async (t) => {
  for (const name of ['mb', 'rift'] as const) await serve(t, name, ['restart']);
});

test('save and replay without a server say so in one line', async (t) => {
  const [port] = await freePorts(1);
  for (const command of ['save', 'replay']) {
    const { code, stdout, stderr } = await run(t, 'mb', [command, '--port', String(port)]);
    assert.deepEqual([code, stdout, stderr], [1, '', `No mb process running on http://localhost:${port}\n`]);
  }
});

test('save: a failing server leaves an existing file as it is', async (t) => {
  const failing = createServer((_, response) => response.writeHead(500).end('broken'));
  await new Promise<void>((resolve) => failing.listen(0, resolve));
  t.after(() => failing.close());
  const { port } = failing.address() as { port: number };
  const cwd = folder(t, { 'mb.json': 'older' });
  const { code, stderr } = await run(t, 'rift', ['save', '--port', String(port)], { cwd });
  assert.deepEqual([code, stderr], [1, 'rift: Error: 500\nbroken\n']);
  assert.equal(read(cwd, 'mb.json'), 'older');
});

test('save: an answer that is no JSON is a clean message', async (t) => {
  const odd = createServer((_, response) => response.end('<html>'));
  await new Promise<void>((resolve) => odd.listen(0, resolve));
  t.after(() => odd.close());
  const { port } = odd.address() as { port: number };
  const { code, stderr } = await run(t, 'mb', ['save', '--port', String(port)]);
  assert.deepEqual([code, stderr], [1, `the answer of http://localhost:${port} is not JSON\n`]);
});

test('save, load and save again give identical files', async (t) => {
  const [port] = await freePorts(1);
  const cwd = folder(t, {
    'c.json': { imposters: [{ ...imposter(port), name: 'kept', allowCORS: true }] },
  });
  const saved = async (configfile: string, savefile: string) => {
    const server = await serve(t, 'mb', ['--configfile', configfile], { cwd });
    await server.says('Open for business...');
    await run(t, 'mb', ['save', '--port', String(server.port), '--savefile', savefile], { cwd });
    await server.stop();
    return read(cwd, savefile);
  };
  const first = await saved('c.json', 'one.json');
  assert.match(first, /"kept"/);
  assert.equal(await saved('one.json', 'two.json'), first);
});

test('replay removes the proxies of the running server', async (t) => {
  const [port] = await freePorts(1);
  const server = await serve(t, 'mb');
  const stubs = [{ responses: [{ proxy: { to: 'http://127.0.0.1:1' } }] }, { responses: [{ is: { body: 'kept' } }] }];
  await server.call('/imposters', { method: 'POST', body: { port, protocol: 'http', stubs } });
  const replayed = await run(t, 'mb', ['replay', '--port', String(server.port)]);
  assert.deepEqual(replayed, { code: 0, stdout: '', stderr: '' });
  assert.equal((await exchange({ port }, '/')).body, 'kept');
});

test('replay with --configfile starts a server from it', async (t) => {
  const [port] = await freePorts(1);
  const cwd = folder(t, { 'c.json': imposter(port) });
  await serve(t, 'rift', ['replay', '--configfile', 'c.json'], { cwd });
  assert.equal((await exchange({ port }, '/')).body, 'hello');
});

test('healthcheck: 0 while a server is there, 1 with one line after it', async (t) => {
  const server = await serve(t, 'rift', ['--api-key', 'k']);
  const args = ['healthcheck', '--host', '0.0.0.0', '--port', String(server.port)];
  assert.deepEqual(await run(t, 'rift', args), { code: 0, stdout: '', stderr: '' });
  await server.stop();
  const { code, stdout, stderr } = await run(t, 'rift', args);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^rift: http:\/\/127\.0\.0\.1:\d+\/health: .+\n$/);
});

test('save and healthcheck find the server by RIFT_ADMIN_URL unless a flag says where', async (t) => {
  const server = await serve(t, 'rift');
  const env = { RIFT_ADMIN_URL: `http://127.0.0.1:${server.port}` };
  const cwd = folder(t);
  assert.equal((await run(t, 'rift', ['save'], { env, cwd })).code, 0);
  assert.equal(existsSync(join(cwd, 'mb.json')), true);
  assert.equal((await run(t, 'rift', ['healthcheck'], { env })).code, 0);
  const [port] = await freePorts(1);
  assert.equal((await run(t, 'rift', ['healthcheck', '--port', String(port)], { env })).code, 1);
  assert.equal((await run(t, 'rift', ['save'], { env: { RIFT_ADMIN_URL: 'nonsense' } })).code, 2);
});

test('SIGHUP reopens the log file', async (t) => {
  const cwd = folder(t);
  const server = await serve(t, 'rift', ['--logfile', 'a.log'], { cwd });
  const { renameSync } = await import('node:fs');
  renameSync(join(cwd, 'a.log'), join(cwd, 'moved.log'));
  server.signal('SIGHUP');
  await server.call('/imposters');
  await appears(join(cwd, 'a.log'), server);
  assert.equal((await server.stop()).code, 0);
  assert.match(read(cwd, 'a.log'), /Adios/);
});

test('a log file that cannot be written ends the start with a clear line', async (t) => {
  const cwd = folder(t);
  writeFileSync(join(cwd, 'plain'), '');
  const { code, stderr } = await run(t, 'mb', ['--logfile', 'plain/x.log'], { cwd });
  assert.equal(code, 1);
  assert.match(stderr, /^the log file cannot be opened: /);
});

test('NO_COLOR removes the colours of name mb', async (t) => {
  const server = await serve(t, 'mb', [], { env: { NO_COLOR: '' } });
  assert.match(server.stdout(), /^info: \[mb:/);
});
