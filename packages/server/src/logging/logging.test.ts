import assert from 'node:assert/strict';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folder, read } from '../cli/program.test-help.js';
import type { LogConfiguration } from './configuration.js';
import { linesFormat, mountebankFormat, objectsFormat } from './format.js';
import { createLogging } from './logging.js';
import { FileSink } from './sink.js';

const entry = {
  level: 'info',
  scope: '[http:4545 svc]',
  message: 'Open for business...',
  timestamp: '2026-01-02T03:04:05.678Z',
} as const;

test('the formats of a line', () => {
  const message = '[http:4545 svc] Open for business...';
  const formats: [string, string][] = [
    [mountebankFormat('json', false)(entry), JSON.stringify({ level: 'info', message, timestamp: entry.timestamp })],
    [mountebankFormat('simple', false)(entry), `info: ${message} {"timestamp":"${entry.timestamp}"}`],
    [mountebankFormat('%timestamp;%level;%message', false)(entry), `${entry.timestamp};info;${message}`],
    [mountebankFormat('%level %level $%x', false)(entry), 'info info %x'],
    [mountebankFormat('%level: %message', true)(entry), `\u001b[32minfo\u001b[39m: ${message}`],
    [mountebankFormat('%level', true)({ ...entry, level: 'debug' }), '\u001b[34mdebug\u001b[39m'],
    [mountebankFormat('%level', true)({ ...entry, level: 'warn' }), '\u001b[33mwarn\u001b[39m'],
    [mountebankFormat('%level', true)({ ...entry, level: 'error' }), '\u001b[31merror\u001b[39m'],
    [linesFormat(false)(entry), `${entry.timestamp} info ${message}`],
    [
      objectsFormat(entry),
      '{"time":"2026-01-02T03:04:05.678Z","level":"info","scope":"http:4545 svc","msg":"Open for business..."}',
    ],
  ];
  for (const [actual, expected] of formats) assert.equal(actual, expected);
});

test('a message that looks like a template or a format stays as it is', () => {
  const odd = { ...entry, message: '%level %s $& %timestamp' };
  assert.equal(mountebankFormat('%message', false)(odd), '[http:4545 svc] %level %s $& %timestamp');
});

function configuration(more: Partial<LogConfiguration>): LogConfiguration {
  return { level: 'info', console: undefined, file: undefined, ring: false, shown: {}, ...more };
}

test('a level that is off costs nothing: neither its text nor its scope is made', async () => {
  const logging = await createLogging(configuration({ ring: true }));
  let asked = 0;
  const logger = logging.logger(() => `scope ${++asked}`);
  logger.debug('%s', { toString: () => assert.fail('formatted') });
  assert.equal(asked, 0);
  assert.equal(logger.enabled('debug'), false);
  assert.equal(logger.enabled('info'), true);
  logger.info('a %s b %j', 'x', { y: 1 });
  logger.warn('100%');
  const entries = await logging.entries();
  assert.deepEqual(
    entries.map(({ level, message }) => [level, message]),
    [
      ['info', '[scope 1] a x b {"y":1}'],
      ['warn', '[scope 2] 100%'],
    ],
  );
});

test('memory keeps the last 1000 entries', async () => {
  const logging = await createLogging(configuration({ ring: true }));
  const logger = logging.logger('x');
  for (let index = 0; index < 1005; index++) logger.info(String(index));
  const entries = await logging.entries();
  assert.deepEqual([entries.length, entries[0].message, entries.at(-1)?.message], [1000, '[x] 5', '[x] 1004']);
});

test('without any destination no level is on', async () => {
  const logging = await createLogging(configuration({}));
  assert.equal(logging.logger('x').enabled('error'), false);
  assert.deepEqual(await logging.entries(), [{ level: 'error', message: 'No logfile' }]);
});

test('the file holds this run only, is private, and is what entries() shows', async (t) => {
  const dir = folder(t, { 'mb.log': 'older\n', 'mb1.log': 'oldest\n' });
  const logging = await createLogging(configuration({ file: { path: join(dir, 'mb.log'), format: 'json' } }));
  logging.logger('mb:1').info('first');
  logging.logger('mb:1').error('second\nline');
  const entries = await logging.entries();
  assert.deepEqual(
    entries.map(({ message }) => message),
    ['[mb:1] first', '[mb:1] second\nline'],
  );
  assert.deepEqual(Object.keys(entries[0]), ['level', 'message', 'timestamp']);
  await logging.close();
  assert.equal(read(dir, 'mb1.log'), 'older\n');
  assert.equal(statSync(join(dir, 'mb.log')).mode & 0o777, 0o600);
});

test('a log file deleted or replaced while running is made again', async (t) => {
  const dir = folder(t);
  const path = join(dir, 'mb.log');
  const logging = await createLogging(configuration({ file: { path, format: '%message' } }));
  const logger = logging.logger('x');
  logger.info('one');
  await logging.flush();
  rmSync(path);
  logger.info('two');
  await logging.flush();
  assert.equal(read(path), '[x] two\n');
  rmSync(path);
  writeFileSync(path, 'theirs\n');
  logger.info('three');
  await logging.close();
  assert.equal(read(path), 'theirs\n[x] three\n');
});

test('a full file is rotated; the newest lines are under the plain name, five files are kept', async (t) => {
  const dir = folder(t);
  const sink = new FileSink(join(dir, 'a.log'), 10, 5);
  await sink.open();
  for (let index = 1; index <= 7; index++) {
    sink.write(`line ${index}`);
    await sink.flush();
  }
  await sink.close();
  const names = ['a.log', 'a1.log', 'a2.log', 'a3.log', 'a4.log'];
  assert.deepEqual(
    names.map((name) => read(dir, name)),
    [7, 6, 5, 4, 3].map((index) => `line ${index}\n`),
  );
  assert.equal(existsSync(join(dir, 'a5.log')), false);
});

test('lines are written in order and in batches, and all of them by the time of flush', async (t) => {
  const dir = folder(t);
  const sink = new FileSink(join(dir, 'a.log'));
  await sink.open();
  const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`);
  for (const [index, line] of lines.entries()) {
    sink.write(line);
    if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await sink.flush();
  assert.equal(read(dir, 'a.log'), `${lines.join('\n')}\n`);
});

test('flushNow writes what is left before it returns', async (t) => {
  const dir = folder(t);
  const sink = new FileSink(join(dir, 'a.log'));
  await sink.open();
  sink.write('last words');
  sink.flushNow();
  assert.equal(read(dir, 'a.log'), 'last words\n');
  await sink.close();
  assert.equal(read(dir, 'a.log'), 'last words\n');
});

test('when the output does not keep up lines are dropped and counted instead of kept without end', async (t) => {
  const dir = folder(t);
  const sink = new FileSink(join(dir, 'a.log'));
  await sink.open();
  const long = 'x'.repeat(1024 * 1024);
  for (let index = 0; index < 20; index++) sink.write(long);
  await sink.flush();
  sink.write('after');
  await sink.close();
  const lines = read(dir, 'a.log').trimEnd().split('\n');
  assert.equal(lines.filter((line) => line === long).length, 17);
  assert.deepEqual(lines.slice(-2), ['3 log lines dropped: the output does not keep up', 'after']);
});
