import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { RiftError } from '../../errors.js';
import type { JsonObject } from '../../model/types.js';
import { imposter, request } from './examples.fixture.js';

const GET = request('GET /p');
const decorate = (text: string): JsonObject => ({
  is: { statusCode: 201, body: 'x' },
  behaviors: [{ decorate: text }],
});
const shell = (...commands: string[]): JsonObject => ({
  is: { body: 'x' },
  behaviors: commands.map((shellTransform) => ({ shellTransform })),
});
const throwing = "c => { throw new Error('boom'); }";
const plain = { statusCode: 201, body: 'x' };

async function failure(options: Parameters<typeof imposter>[0], response: JsonObject, to = GET): Promise<RiftError> {
  const served = imposter(options);
  try {
    await served.serve(response, to);
  } catch (error) {
    assert.ok(error instanceof RiftError, String(error));
    return error;
  } finally {
    await served.close();
  }
  throw new Error('the request was answered');
}

async function success(options: Parameters<typeof imposter>[0], response: JsonObject, to = GET) {
  const served = imposter(options);
  try {
    return { ...(await served.serve(response, to)), logged: served.logged };
  } finally {
    await served.close();
  }
}

for (const strict of [false, true]) {
  test(`profile mountebank: a failing decorate is an error with the true reason (strict: ${strict})`, async () => {
    const error = await failure({ strict }, decorate(throwing));
    assert.deepEqual(error.toJSON(), {
      code: 'invalid injection',
      message: 'invalid decorator injection',
      source: `(${throwing})(config, response, logger);`,
      data: 'boom',
    });
    assert.deepEqual(error.answer, { markers: ['decorate-error'] });
  });
}

test('profile rift: a failing decorate leaves the response as it was, with a marker', async () => {
  const { data, markers, logged } = await success({ profile: 'rift' }, decorate(throwing));
  assert.deepEqual(data, plain);
  assert.deepEqual(markers, ['decorate-error']);
  assert.ok(logged.some((line) => line.startsWith('warn') && line.includes('boom')));
});

test('profile rift, strict: a failing decorate is an error', async () => {
  const error = await failure({ profile: 'rift', strict: true }, decorate(throwing));
  assert.deepEqual(error.toJSON(), { code: 'behavior error', message: 'decorate failed (strictBehaviors): boom' });
  assert.deepEqual(error.answer, { status: 500, markers: ['decorate-error'] });
});

test('profile mountebank: a decorate that does not end is answered with 504', async () => {
  const error = await failure({ timeoutMs: 300 }, decorate('c => { while (true); }'));
  assert.deepEqual(error.answer, { status: 504, markers: ['decorate-error', 'script-timeout'] });
});

test('profile rift: a decorate that does not end leaves the response as it was, with both markers', async () => {
  const response = decorate('c => new Promise(() => {})');
  const { data, markers } = await success({ profile: 'rift', timeoutMs: 100 }, response);
  assert.deepEqual(data, plain);
  assert.deepEqual(markers, ['decorate-error', 'script-timeout']);
});

test('profile rift, strict: a decorate that does not end is answered with 504', async () => {
  const response = decorate('c => new Promise(() => {})');
  const error = await failure({ profile: 'rift', strict: true, timeoutMs: 100 }, response);
  assert.equal(error.message, 'decorate failed (strictBehaviors): decorate timed out after 100ms');
  assert.deepEqual(error.answer, { status: 504, markers: ['decorate-error', 'script-timeout'] });
});

test('profile mountebank: output of a shell command that is no JSON is an error in plain text', async () => {
  for (const [command, message] of [
    ['echo plain #', "Shell command returned invalid JSON: 'plain\n'"],
    ['true #', "Shell command returned invalid JSON: ''"],
    ['echo null #', "Shell command returned 'null' instead of a response"],
  ] as const) {
    const error = await failure({}, shell(command));
    assert.equal(error.message, message);
    assert.deepEqual(error.answer, { asText: true, markers: ['shelltransform-error'] });
  }
});

test('profile mountebank: the error of a failing shell command has the command line and what it wrote', async () => {
  const error = await failure({}, shell("echo it\\'s wrong >&2; exit 3 #"));
  const line = `echo it\\'s wrong >&2; exit 3 # '${JSON.stringify(GET)}' '{"body":"x"}'`;
  assert.equal(error.message, `Command failed: ${line}\nit's wrong\n`);
});

test('profile rift: the output of a shell command is the body, each command sees the one before', async () => {
  const { data } = await success(
    { profile: 'rift' },
    shell('printf first', `node -e 'process.stdout.write(JSON.parse(process.env.MB_RESPONSE).body + " second")' #`),
  );
  assert.deepEqual(data, { body: 'first second' });
});

test('profile rift: a failing shell command keeps the body before it, later commands still run', async () => {
  const { data, markers } = await success(
    { profile: 'rift' },
    shell('exit 1 #', `node -e 'process.stdout.write(JSON.parse(process.env.MB_RESPONSE).body + "!")' #`, 'exit 2 #'),
  );
  assert.deepEqual(data, { body: 'x!' });
  assert.deepEqual(markers, ['shelltransform-error']);
});

test('profile rift, strict: a failing shell command is an error', async () => {
  const error = await failure({ profile: 'rift', strict: true }, shell('echo no >&2; exit 1 #'));
  assert.match(error.message, /^shellTransform failed \(strictBehaviors\): Command failed: .*\nno\n$/s);
  assert.deepEqual(error.answer, { status: 500, markers: ['shelltransform-error'] });
});

test('profile mountebank: a failing wait function is an error', async () => {
  const text = "() => { throw new Error('w'); }";
  const error = await failure({}, { is: { body: 'x' }, behaviors: [{ wait: text }] });
  assert.deepEqual(error.toJSON(), {
    code: 'invalid injection',
    message: 'invalid wait injection',
    source: text,
    data: 'w',
  });
});

test('profile rift: a failing wait function waits a little and is logged', async () => {
  const { data, logged } = await success(
    { profile: 'rift' },
    { is: { body: 'x' }, behaviors: [{ wait: "() => { throw new Error('w'); }" }] },
  );
  assert.deepEqual(data, { body: 'x' });
  assert.ok(logged.some((line) => line.startsWith('warn wait function failed') && line.includes('100 ms')));
});

test('a wait longer than a timer can be goes on until the imposter closes', async () => {
  const served = imposter();
  let settled: unknown;
  const waiting = served.serve({ is: { body: 'x' }, behaviors: [{ wait: 2 ** 31 + 5 }] }, GET).then(
    () => {
      settled = 'answered';
    },
    (error: Error) => {
      settled = error.message;
    },
  );
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(settled, undefined);
  await served.close();
  await waiting;
  assert.equal(settled, 'the imposter was stopped');
});

test('closing the imposter ends a shell command with everything it started', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rift-shell-'));
  const started = join(folder, 'started');
  const served = imposter();
  const running = served.serve(shell(`touch ${started}; sleep 600; echo #`), GET);
  const outcome = assert.rejects(running, RiftError);
  while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 10));
  await served.close();
  await outcome;
});

test('a malformed selector is refused when the response is compiled', async () => {
  const copy = (using: JsonObject): JsonObject => ({
    is: { body: 'x' },
    behaviors: [{ copy: { from: 'body', into: 'x', using } }],
  });
  const regex = await failure({}, copy({ method: 'regex', selector: '(' }));
  assert.deepEqual([regex.code, regex.message], ['bad data', 'Invalid regular expression: /(/: Unterminated group']);
  const xpath = await failure({}, copy({ method: 'xpath', selector: '//[' }));
  assert.deepEqual([xpath.code, xpath.message], ['bad data', 'malformed xpath predicate selector']);
});

test('a regex that would never end ends the request, and blocks no other', async () => {
  const evil = copy('^/(a|a|aa)+$');
  let turns = 0;
  const ticking = setInterval(() => turns++, 10);
  const error = await failure({}, evil, request(`GET /${'a'.repeat(60)}!`));
  clearInterval(ticking);
  assert.match(error.message, /took longer than 1000 ms/);
  assert.ok(turns > 10, `${turns} turns of the event loop`);
  assert.deepEqual((await success({}, evil, request('GET /aaa'))).data, { body: '/aaa|a' });
});

const copy = (selector: string): JsonObject => ({
  is: { body: '${k}|${k}[1]' },
  behaviors: [{ copy: { from: 'path', into: '${k}', using: { method: 'regex', selector } } }],
});

test('profile rift: a bare token is the first group of a regex with groups', async () => {
  const five = request('GET /o/5');
  assert.deepEqual((await success({ profile: 'rift' }, copy('/o/(\\d+)'), five)).data, { body: '5|5' });
  assert.deepEqual((await success({ profile: 'rift' }, copy('\\d'), five)).data, { body: '5|5[1]' });
  assert.deepEqual((await success({}, copy('/o/(\\d+)'), five)).data, { body: '/o/5|5' });
});

test('profile rift: a token without a value is removed', async () => {
  assert.deepEqual((await success({ profile: 'rift' }, copy('nope'))).data, { body: '|' });
});

test('profile rift: the key of a lookup is the first group', async () => {
  const response: JsonObject = {
    is: { body: '${r}[city]' },
    behaviors: [
      {
        lookup: {
          key: { from: 'path', using: { method: 'regex', selector: '/c/(\\w+)' } },
          fromDataSource: { csv: { path: 'c.csv', keyColumn: 'code' } },
          into: '${r}',
        },
      },
    ],
  };
  const files = { 'c.csv': 'code,city\n/c/1,whole\n1,group\n' };
  const to = request('GET /c/1');
  assert.deepEqual((await success({ profile: 'rift', files }, response, to)).data, { body: 'group' });
  assert.deepEqual((await success({ files }, response, to)).data, { body: 'whole' });
});

test('a lookup says why it found nothing', async () => {
  const lookup = (csv: JsonObject): JsonObject => ({
    is: { body: 'x' },
    behaviors: [
      {
        lookup: {
          key: { from: 'path', using: { method: 'regex', selector: '.+' } },
          fromDataSource: { csv },
          into: '${r}',
        },
      },
    ],
  });
  const missing = await success({}, lookup({ path: 'missing.csv', keyColumn: 'code' }));
  assert.match(missing.logged[0]!, /^error Cannot read missing\.csv: ENOENT/);
  const files = { 'c.csv': 'a;b\n1;2\n' };
  const column = await success({ files }, lookup({ path: 'c.csv', keyColumn: 'code' }));
  assert.deepEqual(column.logged, ['error CSV headers "a;b" with delimiter "," does not contain keyColumn:"code"']);
});
