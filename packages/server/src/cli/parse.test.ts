import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExitError } from './errors.js';
import { parseCommandLine } from './parse.js';

const given = (...argv: string[]) => Object.fromEntries(parseCommandLine(argv).given);

test('the first word is the command, flags stand before or after it, further words are ignored', () => {
  for (const argv of [
    ['stop', '--pidfile', 'x'],
    ['--pidfile', 'x', 'stop', 'more'],
    ['--pidfile=x', 'stop'],
  ]) {
    const line = parseCommandLine(argv);
    assert.equal(line.command, 'stop');
    assert.deepEqual(Object.fromEntries(line.given), { pidfile: 'x' });
  }
  assert.equal(parseCommandLine([]).command, 'start');
});

test('a value stands behind its flag, behind an equals sign, or behind a one-letter alias', () => {
  for (const argv of [['--port', '3000'], ['--port=3000'], ['-p', '3000'], ['-p3000']]) {
    assert.deepEqual(given(...argv), { port: 3000 });
  }
  assert.deepEqual(given('--loglevel=debug', '--nologfile=true'), { loglevel: 'debug', nologfile: true });
});

test('every flag is known in camelCase and in kebab-case', () => {
  const camel = given('--allowInjection', '--localOnly', '--noParse', '--apikey', 'k', '--ipWhitelist', 'a|b');
  const dashed = given('--allow-injection', '--local-only', '--no-parse', '--api-key', 'k', '--ip-whitelist', 'a|b');
  assert.deepEqual(camel, dashed);
  assert.deepEqual(camel, { allowInjection: true, localOnly: true, noParse: true, apikey: 'k', ipWhitelist: 'a|b' });
});

test('one-letter switches may be joined', () => {
  assert.deepEqual(given('-ild'), { allowInjection: true, localOnly: true, debug: true });
});

test('-h with a value is the host, alone it is help', () => {
  assert.deepEqual(given('-h', '127.0.0.1'), { host: '127.0.0.1' });
  assert.equal(parseCommandLine(['-h']).help, true);
  assert.equal(parseCommandLine(['-h', '--port', '1']).help, true);
});

test('a repeated flag takes its last value, a list takes all', () => {
  assert.deepEqual(given('--port', '1', '--port', '2', '--origin', 'a', '-o', 'b'), { port: 2, origin: ['a', 'b'] });
});

test('unknown flags are kept with the value yargs gives them', () => {
  const { unknown } = parseCommandLine(['--mine', 'A', '--on', '--count', '3']);
  assert.deepEqual(unknown, { mine: 'A', on: true, count: 3 });
});

test('a port that is none is refused with the flag and the value in the message', () => {
  for (const port of ['70000', 'abc', '-1', '1.5', '']) {
    assert.throws(
      () => parseCommandLine([`--port=${port}`]),
      (error: ExitError) => error.kind === 'configuration' && /--port: '.*' is not valid/.test(error.message),
      port,
    );
  }
});

test('the first unknown flag is told as it was written', () => {
  for (const [argv, spelling] of [
    [['--nosuch=1', '--other'], '--nosuch'],
    [['--no-such'], '--no-such'],
    [['-x', '1'], '-x'],
    [['--camelCase'], '--camelCase'],
    [['--port', '1', '--no-debug', '-i', '--help'], undefined],
  ] as const) {
    assert.equal(parseCommandLine(argv).firstUnknown, spelling, argv.join(' '));
  }
});

test('a switch is turned off by no- before it or false behind it', () => {
  assert.deepEqual(given('--no-debug'), { debug: false });
  assert.deepEqual(given('--debug=false'), { debug: false });
});
