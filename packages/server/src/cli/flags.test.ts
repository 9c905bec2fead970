// Every flag of the command line, observed from outside a running executable.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { flags, kebab } from './flags.js';
import { answers, appears, exchange, folder, freePorts, occupied, read, run, serve } from './program.test-help.js';

const covered = new Set<string>();

/** A test that shows what a flag does. */
function flag(name: string, effect: string, body: (t: TestContext) => Promise<void>): void {
  covered.add(name);
  test(`--${kebab(name)}: ${effect}`, body);
}

const imposter = (port: number, more: object = {}) => ({
  port,
  protocol: 'http',
  stubs: [{ responses: [{ is: { body: 'hello' } }] }],
  ...more,
});

const scripted = (port: number) => imposter(port, { stubs: [{ responses: [{ inject: '() => ({ body: "ran" })' }] }] });

flag('port', 'the admin API listens there', async (t) => {
  const [port] = await freePorts(1);
  const server = await serve(t, 'rift', ['--port', String(port)]);
  assert.equal(server.port, port);
  assert.equal((await server.call('/imposters')).status, 200);
});

flag('metricsPort', 'metrics are served there, at /metrics', async (t) => {
  const [port] = await freePorts(1);
  await serve(t, 'mb', ['--metrics-port', String(port)]);
  const { status, body } = await exchange({ port }, '/metrics');
  assert.equal(status, 200);
  assert.match(body, /^rift_build_info\{/m);
  const { stdout } = await serve(t, 'rift', ['--metrics-port', '0']);
  const chosen = Number(/Metrics are served on port (\d+)/.exec(stdout())?.[1]);
  assert.equal((await exchange({ port: chosen }, '/')).status, 404);
});

flag('host', 'the admin API listens on that address only, and the start line names it', async (t) => {
  const server = await serve(t, 'rift', ['--host', '127.0.0.1']);
  assert.equal(await answers(server.port), true);
  assert.equal(await answers(server.port, '127.0.0.2'), false);
  assert.match(server.stdout(), /point your browser to http:\/\/127\.0\.0\.1:\d+\/ for help/);
});

flag('compat', 'the profile shows in error objects', async (t) => {
  const bad = { method: 'POST', body: '{' };
  const asMountebank = await (await serve(t, 'rift', ['--compat', 'mountebank'])).call('/imposters', bad);
  const asRift = await (await serve(t, 'mb', ['--compat', 'rift'])).call('/imposters', bad);
  assert.doesNotMatch(asMountebank.body, /"type"/);
  assert.match(asRift.body, /"type"/);
});

test('--compat: another word is a configuration error that names the two', async (t) => {
  const { code, stderr } = await run(t, 'rift', ['--compat', 'wiremock']);
  assert.equal(code, 2);
  assert.match(stderr, /'mountebank' or 'rift'/);
});

flag('debug', 'name rift logs at debug, name mb does not', async (t) => {
  assert.match((await serve(t, 'rift', ['--debug'])).stdout(), /config: \{/);
  const mb = await serve(t, 'mb', ['--debug']);
  assert.doesNotMatch(mb.stdout(), /config: \{/);
  assert.equal(((await mb.call('/config')).json().options as { debug: boolean }).debug, true);
});

flag('mock', 'imposters record requests without asking for it', async (t) => {
  const [port] = await freePorts(1);
  const server = await serve(t, 'mb', ['--mock']);
  await server.call('/imposters', { method: 'POST', body: imposter(port) });
  await exchange({ port }, '/seen');
  const { requests } = (await server.call(`/imposters/${port}`)).json();
  assert.equal((requests as { path: string }[])[0]?.path, '/seen');
});

flag('rcfile', 'its keys are options, weaker than flags', async (t) => {
  const [port, other] = await freePorts(2);
  const cwd = folder(t, { 'my.rc': { port, debug: true, ipWhitelist: '127.0.0.1|10.0.0.1', loglevel: 'warn' } });
  const weaker = await serve(t, 'mb', [`--port=${other}`, '--loglevel=info', '--rcfile', 'my.rc'], { cwd });
  assert.equal(weaker.port, other);
  const { options } = (await weaker.call('/config')).json() as { options: Record<string, unknown> };
  assert.equal(options.debug, true);
  assert.deepEqual(options.ipWhitelist, ['127.0.0.1', '10.0.0.1']);
  await weaker.stop();
  const program = await serve(t, 'rift', ['--rcfile=my.rc', '--loglevel', 'info', '--port', String(port)], { cwd });
  assert.equal(program.port, port);
});

test('--rcfile: a missing or malformed file is reported and the start goes on', async (t) => {
  const cwd = folder(t, { bad: '{"port":' });
  const missing = await serve(t, 'mb', ['--rcfile', 'gone'], { cwd });
  assert.equal(missing.stderr(), 'Cannot find rcfile gone\n');
  await missing.stop();
  const malformed = await serve(t, 'mb', ['--rcfile', 'bad'], { cwd });
  assert.match(malformed.stderr(), /^Cannot parse rcfile bad: SyntaxError: /);
  const rift = await serve(t, 'rift', ['--rcfile', 'gone'], { cwd });
  assert.match(rift.stderr(), /^Warning: failed to load --rcfile gone: /);
});

test('--rcfile: name rift warns of an unknown key, name mb shows it as an option', async (t) => {
  const cwd = folder(t, { rc: { porrt: 1 } });
  assert.match((await serve(t, 'rift', ['--rcfile', 'rc'], { cwd })).stderr(), /porrt/);
  const mb = await serve(t, 'mb', ['--rcfile', 'rc'], { cwd });
  assert.equal(mb.stderr(), '');
  assert.equal(((await mb.call('/config')).json().options as { porrt: number }).porrt, 1);
});

flag('pidfile', 'holds the process id without a newline while the server runs', async (t) => {
  const cwd = folder(t);
  const [port] = await freePorts(1);
  writeFileSync(join(cwd, 'c.json'), JSON.stringify(imposter(port)));
  const server = await serve(t, 'rift', ['--pidfile', 'run.pid', '--configfile', 'c.json'], { cwd });
  await appears(join(cwd, 'run.pid'), server);
  // its existence means that everything is served
  assert.equal((await exchange({ port }, '/')).body, 'hello');
  assert.equal(read(cwd, 'run.pid'), String(server.pid));
  const { code } = await server.stop();
  assert.equal(code, 0);
  assert.equal(existsSync(join(cwd, 'run.pid')), false);
});

flag('configfile', 'loads the imposters of a file, or of every file of a directory', async (t) => {
  const [a, b] = await freePorts(2);
  const cwd = folder(t, { 'many/a.json': imposter(a), 'many/b.yaml': `- port: ${b}\n  protocol: http\n` });
  const one = await serve(t, 'mb', ['--configfile', 'many/a.json'], { cwd });
  await one.says('Open for business...');
  assert.equal((await exchange({ port: a }, '/')).body, 'hello');
  await one.stop();
  await serve(t, 'rift', ['--configfile', 'many'], { cwd });
  assert.deepEqual([await answers(a), await answers(b)], [true, true]);
});

flag('imposters', 'merges several sources', async (t) => {
  const [a, b] = await freePorts(2);
  const cwd = folder(t, { 'a.json': imposter(a), 'b.json': [imposter(b)] });
  await serve(t, 'rift', ['--imposters', `a.json, file:${join(cwd, 'b.json')}`], { cwd });
  assert.deepEqual([await answers(a), await answers(b)], [true, true]);
});

flag('noParse', 'leaves template tags in the file alone', async (t) => {
  const [port] = await freePorts(1);
  const stubs = [{ responses: [{ is: { body: '<%= 1 + 1 %>' } }] }];
  const cwd = folder(t, { 'c.json': imposter(port, { stubs }) });
  await serve(t, 'rift', ['--configfile', 'c.json', '--no-parse'], { cwd });
  assert.equal((await exchange({ port }, '/')).body, '<%= 1 + 1 %>');
});

flag('formatter', 'a module loads the file and gets all options, unknown ones too', async (t) => {
  const [port] = await freePorts(1);
  const cwd = folder(t, {
    'mine.cjs': `module.exports = {
      load: (options) => new Promise((resolve) => setTimeout(resolve, 5, { imposters: [
        { port: ${port}, protocol: 'http', name: options.mine + options.configfile, stubs: [] }] })),
      save: (options, imposters) => require('fs').writeFileSync(options.savefile, 'saved ' + imposters.imposters.length),
    };`,
  });
  const args = ['--formatter', './mine.cjs', '--configfile', 'any.thing', '--mine', 'A'];
  const server = await serve(t, 'mb', args, { cwd });
  await server.says('Open for business...');
  assert.equal((await server.call(`/imposters/${port}`)).json().name, 'Aany.thing');
  const saved = await run(t, 'mb', ['save', '--port', String(server.port), '--formatter', join(cwd, 'mine.cjs')], {
    cwd,
  });
  assert.deepEqual(saved, { code: 0, stdout: '', stderr: '' });
  assert.equal(read(cwd, 'mb.json'), 'saved 1');
});

flag('loglevel', 'lines below it are not written', async (t) => {
  const [port] = await freePorts(1);
  const server = await serve(t, 'mb', ['--loglevel=debug']);
  await server.call('/imposters', { method: 'POST', body: imposter(port) });
  assert.match(server.stdout(), /config: \{"options":/);
  const cwd = folder(t);
  const quiet = await run(t, 'rift', ['--loglevel', 'chatty', '--pidfile', 'x', '--host', 'nowhere.invalid'], { cwd });
  assert.match(quiet.stdout, /warn .*'chatty'/);
});

test('--loglevel: an unknown word ends name mb with usage on stderr', async (t) => {
  const { code, stdout, stderr } = await run(t, 'mb', ['start', '--loglevel', 'chatty']);
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /^Usage: mb /);
  assert.match(
    stderr,
    /\nInvalid values:\n {2}Argument: loglevel, Given: "chatty", Choices: "debug", "info", "warn", "error"\n$/,
  );
});

flag('logfile', 'gets every line as JSON; an older one is set aside', async (t) => {
  const cwd = folder(t, { 'my.log': 'older\n' });
  await (await serve(t, 'rift', ['--logfile', 'my.log'], { cwd })).stop();
  assert.equal(read(cwd, 'my1.log'), 'older\n');
  const lines = read(cwd, 'my.log')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(Object.keys(lines[0]), ['level', 'message', 'timestamp']);
  assert.match(lines.at(-1).message, /^\[mb:\d+\] Adios - see you soon\?$/);
});

flag('nologfile', 'no log file is written, and /logs says so', async (t) => {
  const cwd = folder(t);
  const server = await serve(t, 'mb', ['--nologfile=true'], { cwd });
  assert.deepEqual((await server.call('/logs')).json(), { logs: [{ level: 'error', message: 'No logfile' }] });
  await server.stop();
  assert.equal(existsSync(join(cwd, 'mb.log')), false);
});

flag('log', 'configures level, transports and formats', async (t) => {
  const cwd = folder(t);
  const console = { format: '%timestamp;%level;$%message' };
  const log = JSON.stringify({ level: 'info', transports: { console, file: { path: 'l.txt', format: 'simple' } } });
  const server = await serve(t, 'mb', ['--log', log], { cwd });
  assert.match(server.stdout(), /^\d{4}-\S+Z;info;\[mb:\d+\] mountebank v2\.9\.1 now taking orders/);
  const message = 'This page only works for JSON file logging';
  assert.deepEqual((await server.call('/logs')).json(), { logs: [{ level: 'error', message }] });
  await server.stop();
  assert.match(read(cwd, 'l.txt'), /^info: \[mb:\d+\] mountebank .* \{"timestamp":"\S+Z"\}\n/);
});

test('--log: text that is no JSON is reported and the default logging stays', async (t) => {
  const server = await serve(t, 'mb', ['--log', '{bad']);
  assert.match(server.stderr(), /^Cannot parse --log as JSON: SyntaxError: /);
});

test('--log: any other text is the path of a log file, unless --nologfile', async (t) => {
  const cwd = folder(t);
  await (await serve(t, 'rift', ['--log', 'run.log'], { cwd })).stop();
  assert.match(read(cwd, 'run.log'), /now taking orders/);
  await (await serve(t, 'rift', ['--log', 'none.log', '--nologfile'], { cwd })).stop();
  assert.equal(existsSync(join(cwd, 'none.log')), false);
});

flag('logFormat', 'json makes every line of stdout an object', async (t) => {
  const { stdout } = await (await serve(t, 'rift', ['--log-format', 'json'])).stop();
  for (const line of stdout.trimEnd().split('\n')) {
    assert.deepEqual(Object.keys(JSON.parse(line)).slice(0, 4), ['time', 'level', 'scope', 'msg']);
  }
});

flag('allowInjection', 'scripts are accepted only with it', async (t) => {
  const [port] = await freePorts(1);
  const post = { method: 'POST', body: scripted(port) };
  const without = await (await serve(t, 'mb')).call('/imposters', post);
  assert.equal(without.status, 400);
  assert.match(without.body, /invalid injection/);
  const server = await serve(t, 'mb', ['-i']);
  assert.match(
    server.stdout(),
    /Running with --allowInjection set\. See http:\/\/localhost:\d+\/docs\/security for security info/,
  );
  assert.equal((await server.call('/imposters', post)).status, 201);
});

test('a configuration with scripts and without --allow-injection ends the start before anything is bound', async (t) => {
  const [port, admin] = await freePorts(2);
  const cwd = folder(t, { 'c.json': { imposters: [{ protocol: 'http' }, scripted(port)] } });
  const args = ['--configfile', 'c.json', '--port', String(admin)];
  const rift = await run(t, 'rift', args, { cwd });
  assert.equal(rift.code, 2);
  assert.match(rift.stderr, new RegExp(`c\\.json: imposter\\(s\\) on port\\(s\\) ${port} use inject/decorate/`));
  assert.equal((await run(t, 'mb', args, { cwd })).code, 1);
  await serve(t, 'rift', [...args, '--allowInjection'], { cwd });
  assert.equal((await exchange({ port }, '/')).body, 'ran');
});

/** An address of this machine that is not loopback, if it has one. */
const outer = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

flag('localOnly', 'clients of other machines are not served', async (t) => {
  const server = await serve(t, 'rift', ['--local-only']);
  assert.equal(await answers(server.port, '127.0.0.1'), true);
  assert.equal(await answers(server.port, '127.0.0.2'), false);
  assert.doesNotMatch(server.stdout(), /can be used by other machines/);
});

flag('ipWhitelist', 'other addresses are disconnected', async (t) => {
  const server = await serve(t, 'mb', ['--ipWhitelist', '10.9.8.7|10.9.8.6']);
  const { options } = (await server.call('/config')).json() as { options: Record<string, unknown> };
  assert.deepEqual(options.ipWhitelist, ['10.9.8.7', '10.9.8.6']);
  // loopback is always allowed; its own outer address stands for another machine
  if (outer !== undefined) {
    assert.equal(await answers(server.port, outer), false);
    await server.says('Blocking incoming connection');
  }
});

flag('apikey', 'requests need the key, which nobody gets to see', async (t) => {
  const cwd = folder(t);
  const server = await serve(t, 'rift', ['--api-key', 'topsecret', '--loglevel', 'trace', '--pidfile', 'p'], { cwd });
  assert.equal((await server.call('/imposters')).status, 401);
  const headers = { 'x-api-key': 'topsecret' };
  assert.equal((await server.call('/imposters', { headers })).status, 200);
  assert.match((await server.call('/config', { headers })).body, /"apikey": "\*\*\*"/);
  const target = ['--port', String(server.port), '--apikey', 'topsecret'];
  assert.equal((await run(t, 'rift', ['save', ...target], { cwd })).code, 0);
  assert.equal((await run(t, 'mb', ['replay', ...target], { cwd })).code, 0);
  const { stdout, stderr } = await server.stop();
  assert.doesNotMatch(stdout + stderr, /topsecret/);
});

test('--api-key: a blank one is a configuration error before any port is bound', async (t) => {
  for (const [args, env] of [
    [['--api-key', '  '], {}],
    [[], { MB_APIKEY: '' }],
  ] as const) {
    const { code, stderr } = await run(t, 'rift', args, { env });
    assert.equal(code, 2);
    assert.match(stderr, /the admin API key \(`--api-key` \/ `MB_APIKEY` \/ `apiKey`\) is set to a blank value/);
  }
});

flag('requireAdminAuth', 'the start is refused when others could use the admin port without a key', async (t) => {
  const { code, stderr } = await run(t, 'rift', ['--require-admin-auth', '--port', '0']);
  assert.equal(code, 2);
  assert.match(stderr, /0\.0\.0\.0/);
  await serve(t, 'rift', ['--require-admin-auth', '--host', '127.0.0.1']);
  await serve(t, 'rift', ['--require-admin-auth', '--api-key', 'k']);
});

flag('origin', 'a browser of that origin may call the admin API', async (t) => {
  const server = await serve(t, 'mb', ['--origin', 'http://good.example']);
  const { headers } = await server.call('/imposters', { headers: { Origin: 'http://good.example' } });
  assert.equal(headers['access-control-allow-origin'], 'http://good.example');
});

flag('shutdownTimeout', 'running requests have that long at shutdown', async (t) => {
  const [port] = await freePorts(1);
  const stubs = [{ responses: [{ is: { body: 'late' }, behaviors: [{ wait: 400 }] }] }];
  for (const [seconds, outcome] of [
    ['5', 'late'],
    ['0', 'cut'],
  ] as const) {
    const server = await serve(t, 'rift', ['--shutdown-timeout', seconds, '--loglevel', 'debug']);
    await server.call('/imposters', { method: 'POST', body: imposter(port, { stubs }) });
    const answer = exchange({ port }, '/slow').then(
      ({ body }) => body,
      () => 'cut',
    );
    await server.says('/slow');
    assert.equal((await server.stop()).code, 0);
    assert.equal(await answer, outcome);
  }
});

flag('journalCap', 'the oldest recorded requests go', async (t) => {
  const [port] = await freePorts(1);
  const server = await serve(t, 'rift', ['--journal-cap', '2']);
  await server.call('/imposters', { method: 'POST', body: imposter(port, { recordRequests: true }) });
  for (const path of ['/1', '/2', '/3']) await exchange({ port }, path);
  const { requests } = (await server.call(`/imposters/${port}`)).json();
  assert.deepEqual(
    (requests as { path: string }[]).map(({ path }) => path),
    ['/2', '/3'],
  );
});

flag('maxBody', 'a longer request body on an imposter is refused', async (t) => {
  const [port] = await freePorts(1);
  const server = await serve(t, 'mb', ['--max-body', '4']);
  await server.call('/imposters', { method: 'POST', body: imposter(port) });
  assert.equal((await exchange({ port, method: 'POST', body: '1234' }, '/')).status, 200);
  assert.equal((await exchange({ port, method: 'POST', body: '12345' }, '/')).status, 413);
});

flag('maxAdminBody', 'a longer request body on the admin port is refused', async (t) => {
  const server = await serve(t, 'rift', ['--max-admin-body', '10']);
  const { status, body } = await server.call('/imposters', { method: 'POST', body: imposter(1) });
  assert.equal(status, 413);
  assert.match(body, /exceeds the 10-byte admin API limit/);
});

flag('scriptTimeout', 'a script that runs longer is ended', async (t) => {
  const [port] = await freePorts(1);
  const stubs = [{ responses: [{ inject: '() => { for (;;); }' }] }];
  const server = await serve(t, 'rift', ['--script-timeout', '50', '-i']);
  await server.call('/imposters', { method: 'POST', body: imposter(port, { stubs }) });
  assert.equal((await exchange({ port }, '/')).status, 504);
});

flag('savefile', 'save writes the imposters there', async (t) => {
  const [port] = await freePorts(1);
  const cwd = folder(t);
  const server = await serve(t, 'mb', [], { cwd });
  await server.call('/imposters', { method: 'POST', body: imposter(port) });
  const { code, stdout, stderr } = await run(t, 'mb', ['save', '--port', String(server.port), '--savefile', 's.json'], {
    cwd,
  });
  assert.deepEqual([code, stdout, stderr], [0, '', '']);
  const { body } = await server.call('/imposters?replayable=true');
  assert.equal(read(cwd, 's.json'), body);
});

flag('removeProxies', 'save leaves proxies out', async (t) => {
  const [port] = await freePorts(1);
  const cwd = folder(t);
  const server = await serve(t, 'mb', [], { cwd });
  const stubs = [{ responses: [{ proxy: { to: 'http://127.0.0.1:1' } }] }, { responses: [{ is: { body: 'kept' } }] }];
  await server.call('/imposters', { method: 'POST', body: imposter(port, { stubs }) });
  for (const spelling of ['--removeProxies', '--remove-proxies', '-r']) {
    await run(t, 'rift', ['save', '--port', String(server.port), spelling], { cwd });
    assert.doesNotMatch(read(cwd, 'mb.json'), /"proxy"/);
    assert.match(read(cwd, 'mb.json'), /"kept"/);
  }
});

flag('url', 'healthcheck asks there', async (t) => {
  const server = await serve(t, 'rift');
  const base = `http://127.0.0.1:${server.port}`;
  assert.deepEqual(await run(t, 'rift', ['healthcheck', '--url', `${base}/ready`]), {
    code: 0,
    stdout: '',
    stderr: '',
  });
  const missing = await run(t, 'rift', ['healthcheck', '--url', `${base}/nosuch`]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /HTTP 404\n$/);
});

flag('timeout', 'healthcheck waits no longer', async (t) => {
  const { createServer } = await import('node:net');
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => silent.close());
  const { port } = silent.address() as { port: number };
  const { code, stderr } = await run(t, 'rift', ['healthcheck', '--port', String(port), '--timeout', '1']);
  assert.equal(code, 1);
  assert.match(stderr, /timeout/);
});

flag('runtime', 'a word of no kind is a configuration error', async (t) => {
  const { code, stderr } = await run(t, 'rift', ['--runtime', 'percore']);
  assert.equal(code, 2);
  assert.match(stderr, /invalid --runtime "percore": expected work-stealing, per-core, or per-core=N/);
  assert.match((await run(t, 'rift', ['--runtime', 'per-core=0'])).stderr, /invalid worker count/);
});

flag('frontDoor', 'a value that is no address is a configuration error', async (t) => {
  const { code, stderr } = await run(t, 'rift', ['--front-door', 'nonsense']);
  assert.equal(code, 2);
  assert.match(
    stderr,
    /--front-door 'nonsense' is not a valid bind address; use HOST:PORT \(e\.g\. 0\.0\.0\.0:8080\) or a bare port number/,
  );
});

flag('protofile', 'a broken file ends the start of rift; mb says so and goes on', async (t) => {
  const cwd = folder(t, { 'bad.json': '{', 'empty.json': '{"foo":{}}', 'gone.json': '{"foo":{"module":"./gone.js"}}' });
  for (const [file, message] of [
    ['bad.json', /^rift: bad\.json contains invalid JSON\n$/],
    ['empty.json', /^rift: empty\.json: "foo" needs a "createCommand" or a "module"\n$/],
    ['gone.json', /^rift: gone\.json: the module of "foo" cannot be loaded: .*gone\.js/],
  ] as const) {
    const { code, stderr } = await run(t, 'rift', ['--protofile', file], { cwd });
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
  const mb = await serve(t, 'mb', ['--protofile', 'bad.json'], { cwd });
  assert.match(mb.stdout(), /bad\.json contains invalid JSON -- no custom protocols loaded/);
});

test('--default-tls-cert and --default-tls-key: the pair of https imposters that bring none', async (t) => {
  covered.add('defaultTlsCert').add('defaultTlsKey');
  const https = { method: 'POST', body: JSON.stringify({ protocol: 'https' }) };
  const generated = (await (await serve(t, 'rift')).call('/imposters', https)).json();
  const cwd = folder(t, { 'cert.pem': String(generated.cert), 'key.pem': String(generated.key) });
  const pair = ['--default-tls-cert', 'cert.pem', '--default-tls-key', 'key.pem'];
  const given = await serve(t, 'rift', pair, { cwd });
  assert.equal((await given.call('/imposters', https)).json().cert, generated.cert);
  for (const [args, message] of [
    [pair.slice(0, 2), /^rift: server default TLS must provide both cert and key, or neither\n$/],
    [
      ['--default-tls-cert', 'none.pem', ...pair.slice(2)],
      /^rift: --default-tls-cert: 'none.pem' cannot be read \(ENOENT\)\n$/,
    ],
    [
      ['--default-tls-cert', 'key.pem', ...pair.slice(2)],
      /^rift: --default-tls-cert and .* are no pair in PEM form: error:/,
    ],
  ] as const) {
    const { code, stderr } = await run(t, 'rift', args, { cwd });
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
});

flag('noSelfSignedTls', 'an https imposter must bring its certificate', async (t) => {
  const server = await serve(t, 'rift', ['--no-self-signed-tls']);
  const { status, body } = await server.call('/imposters', {
    method: 'POST',
    body: JSON.stringify({ protocol: 'https' }),
  });
  assert.equal(status, 400);
  assert.match(
    body,
    /TLS configuration error: protocol \\"https\\" requested but no cert\/key provided and self-signed/,
  );
});

flag('datadir', 'imposters are there again after the process was killed', async (t) => {
  const cwd = folder(t);
  const args = ['--datadir', 'kept'];
  const first = await serve(t, 'mb', args, { cwd });
  const stubs = [{ responses: [{ is: { body: 'a' } }, { is: { body: 'b' } }] }];
  const created = await first.call('/imposters', { method: 'POST', body: { protocol: 'http', stubs } });
  const port = Number(created.json().port);
  assert.equal((await exchange({ port }, '/')).body, 'a');
  first.signal('SIGKILL');
  await first.ended;
  const second = await serve(t, 'mb', args, { cwd });
  assert.match(second.stdout(), new RegExp(`Loading http:${port} from datadir[^]*now taking orders`));
  assert.equal((await exchange({ port }, '/')).body, 'b');
});

test('--datadir and a configuration: it replaces the directory in profile mountebank, comes first in profile rift', async (t) => {
  const [a, b] = await freePorts(2);
  for (const profile of ['mountebank', 'rift']) {
    const named = (name: string, port: number | undefined) => ({ protocol: 'http', port, name });
    const cwd = folder(t, { 'config.json': { imposters: [named('new', a)] } });
    const args = ['--datadir', 'kept', '--compat', profile, '--metrics-port', '0'];
    const first = await serve(t, 'rift', args, { cwd });
    for (const body of [named('old', a), named('other', b)]) {
      assert.equal((await first.call('/imposters', { method: 'POST', body })).status, 201);
    }
    await first.stop();
    const second = await serve(t, 'rift', [...args, '--configfile', 'config.json'], { cwd });
    const { imposters } = (await second.call('/imposters')).json() as { imposters: { name: string }[] };
    const names = imposters.map(({ name }) => name).sort();
    assert.deepEqual(names, profile === 'rift' ? ['new', 'other'] : ['new'], profile);
    const kept = profile === 'rift' ? [`${a}.json`, `${b}.json`].sort() : [String(a)];
    assert.deepEqual(readdirSync(join(cwd, 'kept')).sort(), kept);
    await second.stop();
  }
});

flag('impostersRepository', 'a module that is not there is warned of', async (t) => {
  const mb = await serve(t, 'mb', ['--impostersRepository', 'gone.cjs']);
  assert.match(mb.stdout(), /Imposters Respository .*gone\.cjs does not exist\. The default will be used/);
});

flag('scriptsDir', 'script files of the admin API lie in it', async (t) => {
  const cwd = folder(t);
  mkdirSync(join(cwd, 'scripts'));
  writeFileSync(join(cwd, 'scripts', 'a.rhai'), 'http(201)');
  writeFileSync(join(cwd, 'b.rhai'), 'http(202)');
  const rift = await serve(
    t,
    'rift',
    ['--port', '0', '--allowInjection', '--scripts-dir', 'scripts', '--metrics-port', '0'],
    { cwd },
  );
  const create = (file: string) => {
    const stubs = [{ responses: [{ _rift: { script: { file } } }] }];
    return rift.call('/imposters', { method: 'POST', body: { protocol: 'http', stubs } });
  };
  const created = await create('a.rhai');
  assert.equal(created.status, 201, created.body);
  const { stubs } = created.json() as { stubs: { responses: object[] }[] };
  assert.deepEqual(stubs[0]!.responses[0], { _rift: { script: { engine: 'rhai', code: 'http(201)' } } });
  const refused = await create('../b.rhai');
  assert.equal(refused.status, 400);
  assert.match(refused.body, /Script resolution failed: script file path '\.\.\/b\.rhai' escapes the scripts root/);
});

test('a flag whose feature does not exist yet says so: it ends the start or is warned of', async (t) => {
  const refused = [
    ['interceptPort', '0'],
    ['interceptAuth', 'a:b'],
    ['interceptCaCert', 'f'],
    ['interceptCaKey', 'f'],
    ['interceptCaCertPem', 'p'],
    ['interceptCaKeyPem', 'p'],
    ['adminTlsCert', 'f'],
    ['adminTlsKey', 'f'],
  ];
  for (const [name, value] of refused) {
    covered.add(name);
    const { code, stderr } = await run(t, 'rift', [`--${kebab(name)}`, value]);
    assert.deepEqual([code, stderr], [2, `rift: --${kebab(name)} is not available in this version\n`]);
  }
  covered.add('runtimeAffinity');
  const port = await occupied(t);
  const { stdout } = await run(t, 'rift', ['--runtime-affinity', '--port', String(port)]);
  assert.match(stdout, /warn .*--runtime-affinity has no effect in this version/);
});

test('a seed that is no whole number is warned of', async (t) => {
  const port = await occupied(t);
  const { stdout } = await run(t, 'rift', ['--port', String(port)], { env: { RIFT_SEED: 'abc' } });
  assert.match(stdout, /warn .*RIFT_SEED: 'abc' is no whole number; random draws are not repeatable/);
});

test('name rift refuses a flag whose value is missing', async (t) => {
  for (const [args, message] of [
    [['--datadir'], '--datadir needs a value: DIR'],
    [['--configfile', '--localOnly'], '--configfile needs a value: FILE'],
  ] as const) {
    const { code, stderr } = await run(t, 'rift', [...args]);
    assert.deepEqual([code, stderr], [2, `rift: ${message}\n`]);
  }
});

test('every flag has a test here', () => {
  assert.deepEqual(
    flags.map(({ name }) => name).filter((name) => !covered.has(name)),
    [],
  );
});
