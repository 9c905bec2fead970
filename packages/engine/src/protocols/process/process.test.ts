// Processes of custom protocols, played by small scripts: how they start, what they say, how they end.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { RiftError } from '../../errors.js';
import { Imposters } from '../../imposters.js';
import type { Logger } from '../../logger.js';
import { plainView } from '../../matching/plain-view.js';
import type { Profile } from '../../model/types.js';
import { type ProcessProtocolOptions, processProtocol } from './protocol.js';

const folder = mkdtempSync(join(tmpdir(), 'rift-process-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let scripts = 0;

const PORT = 21_999;
const STAY = 'setInterval(() => {}, 1000);';
const OPTIONS: ProcessProtocolOptions = {
  adminUrl: () => 'http://localhost:2525',
  loglevel: 'info',
  allowInjection: false,
};

/** Imposters with one protocol `foo`, spoken by a program of the text given, and the lines they log. */
function withProgram(
  t: TestContext,
  source: string,
  options: Partial<ProcessProtocolOptions> = {},
  profile: Profile = 'mountebank',
) {
  const file = join(folder, `${++scripts}.mjs`);
  writeFileSync(file, source);
  return withCommand(t, `${process.execPath} ${file}`, options, profile);
}

function withCommand(
  t: TestContext,
  createCommand: string,
  options: Partial<ProcessProtocolOptions> = {},
  profile: Profile = 'mountebank',
) {
  const logged: string[] = [];
  let heard = (): void => {};
  const log =
    (level: string) =>
    (text: string, ...rest: unknown[]): void => {
      logged.push(`${level} ${text === '%s' ? rest[0] : text}`);
      heard();
    };
  const logger: Logger = {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    enabled: () => true,
  };
  const foo = processProtocol('foo', { createCommand }, { ...OPTIONS, ...options });
  const imposters = new Imposters({
    profile,
    protocols: new Map([['foo', foo]]),
    loggerFor: () => logger,
  });
  t.after(() => imposters.deleteAll());
  return {
    imposters,
    logged,
    /** Resolves when that line is in the log. */
    async logs(line: string): Promise<void> {
      while (!logged.includes(line)) {
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
    },
  };
}

test('the process gets everything it has to know as its last argument', async (t) => {
  const out = join(folder, 'arguments');
  const source = `import { writeFileSync } from 'node:fs';
    writeFileSync(${JSON.stringify(out)}, JSON.stringify(process.argv.slice(2)));
    console.log('ready'); ${STAY}`;
  const { imposters } = withProgram(t, source, { apikey: 'k', host: '127.0.0.1' });
  await imposters.createFrom({
    protocol: 'foo',
    port: PORT,
    name: 'n',
    recordRequests: true,
    list: [1, { a: [] }],
    defaultResponse: { d: 1 },
    text: 'x',
    stubs: [],
  });
  const [argument, ...others] = JSON.parse(readFileSync(out, 'utf8'));
  assert.deepEqual(others, []);
  assert.equal(
    argument,
    '{"port":21999,"callbackURLTemplate":"http://localhost:2525/imposters/:port/_requests","loglevel":"info",' +
      '"allowInjection":false,"apikey":"k","list":[1,{"a":[]}],"text":"x","host":"127.0.0.1","defaultResponse":{"d":1}}',
  );
});

test('a first line of JSON gives the port, and its other members are shown', async (t) => {
  const { imposters } = withProgram(t, `console.log('{"port":5000,"mode2":"z","encoding":"utf8"}'); ${STAY}`);
  const imposter = await imposters.createFrom({ protocol: 'foo', own: [1] });
  assert.equal(imposter.port, 5000);
  assert.deepEqual(Object.keys(imposter.toJson('full')), [
    'protocol',
    'port',
    'numberOfRequests',
    'recordRequests',
    'mode2',
    'requests',
    'stubs',
    '_links',
  ]);
  assert.deepEqual(imposter.toJson('replayable'), {
    protocol: 'foo',
    port: 5000,
    recordRequests: false,
    mode2: 'z',
    own: [1],
    stubs: [],
  });
});

test('a first line that is no JSON object says only that the process listens', async (t) => {
  for (const line of ['ready', '5', '[1]', 'info starting']) {
    const { imposters } = withProgram(t, `console.log(${JSON.stringify(line)}); ${STAY}`);
    const imposter = await imposters.createFrom({ protocol: 'foo', port: PORT });
    assert.deepEqual([imposter.port, imposter.metadata], [PORT, {}]);
    await imposters.deleteAll();
  }
});

test('a first line counts without its end, and in pieces', async (t) => {
  const whole = withProgram(t, `process.stdout.write('ready'); ${STAY}`);
  assert.equal((await whole.imposters.createFrom({ protocol: 'foo', port: PORT })).port, PORT);
  await whole.imposters.deleteAll();
  const pieces = withProgram(
    t,
    `process.stdout.write('{"port":5001,'); setTimeout(() => process.stdout.write('"x":1}'), 50); ${STAY}`,
  );
  assert.deepEqual((await pieces.imposters.createFrom({ protocol: 'foo' })).metadata, { x: 1 });
});

test('encoding base64 makes predicates compare bytes', async (t) => {
  const { imposters } = withProgram(t, `console.log('{"encoding":"base64"}'); ${STAY}`);
  const imposter = await imposters.createFrom({
    protocol: 'foo',
    port: PORT,
    stubs: [{ predicates: [{ contains: { data: 'Av8=' } }], responses: [{ is: { found: true } }] }],
  });
  const outcome = await imposter.handle(plainView({ data: 'AQL/' }));
  assert.deepEqual(outcome.kind === 'response' && outcome.data, { found: true });
});

test('lines that begin with a level are logged, stderr at error, others not', async (t) => {
  const { imposters, logged, logs } = withProgram(
    t,
    `console.log('info first'); console.log('warn  low %s'); console.log('other'); console.log('warning no');
     console.error('oops'); console.log('debug last'); ${STAY}`,
  );
  await imposters.createFrom({ protocol: 'foo', port: PORT });
  await logs('debug last');
  await logs('error oops');
  assert.deepEqual(logged.filter((line) => !/Open for business/.test(line)).sort(), [
    'debug last',
    'error oops',
    'info first',
    'warn low %s',
  ]);
});

test('a command that cannot be run refuses the imposter', async (t) => {
  const { imposters } = withCommand(t, 'no-such-program-anywhere x');
  const error = await imposters.createFrom({ protocol: 'foo', port: PORT }).then(
    () => assert.fail('it started'),
    (thrown: RiftError) => thrown,
  );
  const { code, message, extras } = error;
  assert.deepEqual(
    [code, message, extras.source],
    [
      'cannot start server',
      'Invalid configuration for protocol "foo": cannot run "no-such-program-anywhere x"',
      'no-such-program-anywhere x',
    ],
  );
  const details = extras.details as { spawnargs: string[] };
  assert.deepEqual(Object.keys(details), ['errno', 'code', 'syscall', 'path', 'spawnargs']);
  assert.equal(details.spawnargs[0], 'x');
});

test('a process that ends before it is ready refuses the imposter, whatever its exit code', async (t) => {
  for (const code of [3, 0]) {
    const { imposters } = withProgram(t, `process.exit(${code})`);
    await assert.rejects(imposters.createFrom({ protocol: 'foo', port: PORT }), (error) => {
      assert.ok(error instanceof RiftError);
      assert.deepEqual(
        [error.code, error.message],
        ['cannot start server', `"foo" start command failed (exit code ${code})`],
      );
      return true;
    });
  }
});

test('a process chooses the port that nobody asked for, in profile rift, too', async (t) => {
  const source = `console.log(JSON.stringify({ port: 5003, asked: 'port' in JSON.parse(process.argv[2]) })); ${STAY}`;
  const { imposters } = withProgram(t, source, {}, 'rift');
  const { port, metadata } = await imposters.createFrom({ protocol: 'foo' });
  assert.deepEqual([port, metadata], [5003, { asked: false }]);
});

test('a process that says no port where none was asked for is ended', async (t) => {
  const { imposters } = withProgram(t, `console.log('ready'); ${STAY}`);
  await assert.rejects(imposters.createFrom({ protocol: 'foo' }), { message: /did not say where it listens/ });
});

test('without a known admin port the imposter is refused', async (t) => {
  const { imposters } = withProgram(t, `console.log('ready'); ${STAY}`, { adminUrl: () => undefined });
  await assert.rejects(imposters.createFrom({ protocol: 'foo', port: PORT }), {
    message: /needs the port of the admin/,
  });
});

test('a process that ends later is reported, and its imposter can be deleted', async (t) => {
  const { imposters, logs } = withProgram(t, `console.log('ready'); setTimeout(() => process.exit(2), 50);`);
  await imposters.createFrom({ protocol: 'foo', port: PORT });
  await logs("error Uh oh! I've crashed! Expect subsequent requests to fail.");
  assert.equal(imposters.all().length, 1);
  await imposters.delete(String(PORT));
});

test('deleting an imposter sends SIGTERM and waits for the end', async (t) => {
  const mark = join(folder, 'ended');
  const { imposters, logged } = withProgram(
    t,
    `import { writeFileSync } from 'node:fs';
     process.on('SIGTERM', () => setTimeout(() => { writeFileSync(${JSON.stringify(mark)}, ''); process.exit(1); }, 50));
     console.log('ready'); ${STAY}`,
  );
  await imposters.createFrom({ protocol: 'foo', port: PORT });
  await imposters.delete(String(PORT));
  assert.ok(existsSync(mark));
  assert.deepEqual(logged, ['info Open for business...', 'info Ciao for now']);
});

test('stdin stays open as long as the server lives', async (t) => {
  const { imposters, logs, logged } = withProgram(
    t,
    `process.stdin.on('end', () => console.log('error stdin ended')).resume();
     console.log('ready'); setTimeout(() => console.log('info still here'), 50); ${STAY}`,
  );
  await imposters.createFrom({ protocol: 'foo', port: PORT });
  await logs('info still here');
  assert.ok(!logged.includes('error stdin ended'));
});

test('a process that listens where another imposter does is ended', async (t) => {
  const { imposters } = withProgram(t, `console.log('{"port":5002}'); ${STAY}`);
  await imposters.createFrom({ protocol: 'foo' });
  await assert.rejects(imposters.createFrom({ protocol: 'foo' }), { code: 'resource conflict' });
  assert.equal(imposters.all().length, 1);
});

test('proxies are tried at creation only when the protocol says what an upstream answers', async (t) => {
  const { imposters } = withProgram(t, `console.log('ready'); ${STAY}`);
  const json = { protocol: 'foo', port: PORT, stubs: [{ responses: [{ proxy: {} }] }] };
  assert.equal((await imposters.createFrom(json)).port, PORT);
});
