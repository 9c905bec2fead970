// The same commands given to name `mb` and to the real Mountebank: what they print, how they end, which files they
// leave. Ports, times and process ids are made alike first.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exchange, folder, freePorts } from './program.test-help.js';

const programs = {
  theirs: createRequire(createRequire(import.meta.url).resolve('@rift-ts/oracle')).resolve('mountebank/bin/mb'),
  ours: fileURLToPath(new URL('../../bin/mb.js', import.meta.url)),
};

interface Case {
  name: string;
  /** PORT and OTHER stand for two free ports. */
  args: string[];
  files?: Record<string, string | object>;
  /** Requests to send to the admin port of a server that is to be ended with SIGTERM afterwards. */
  serve?: [method: string, path: string, body?: object][];
}

interface Seen {
  code: number | null;
  stdout: string;
  stderr: string;
  files: Record<string, string[]>;
}

async function seen(t: TestContext, program: string, { args, files, serve }: Case): Promise<Seen> {
  const cwd = folder(t, files);
  const [port, other] = await freePorts(2);
  const fill = (text: string) => text.replaceAll('PORT', String(port)).replaceAll('OTHER', String(other));
  const child = spawn(process.execPath, [program, ...args.map(fill)], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  t.after(() => child.kill('SIGKILL'));
  if (serve !== undefined) {
    const pidfile = join(cwd, 'mb.pid');
    const isThere = () => existsSync(pidfile) && readFileSync(pidfile, 'utf8') === String(child.pid);
    while (!isThere()) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`ended early: ${stdout}${stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const [method, path, body] of serve) {
      await exchange({ port, method, body: body && fill(JSON.stringify(body)) }, fill(path));
    }
    child.kill('SIGTERM');
  }
  const code = await ended;
  const alike = (text: string) =>
    text
      .replaceAll(String(port), 'PORT')
      .replaceAll(String(other), 'OTHER')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:CLIENT')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME');
  return {
    code,
    stdout: alike(stdout),
    stderr: alike(stderr),
    files: Object.fromEntries(
      readdirSync(cwd)
        .sort()
        .map((name) => [name, inNoOrder(alike(readFileSync(join(cwd, name), 'utf8')))]),
    ),
  };
}

/** Lines of a file: Mountebank writes them in varying order and loses the last ones now and then. */
function inNoOrder(text: string): string[] {
  return text.split('\n').sort();
}

/** The line with all settings apart: the order of its keys is nobody's business. */
function settingsOf(seen: Seen): { settings: unknown; rest: Seen } {
  const line = /config: (\{.*\})\n/;
  const [, text] = line.exec(seen.stdout) ?? [];
  const files = Object.fromEntries(
    Object.entries(seen.files).map(([name, lines]) => [name, lines.filter((entry) => !entry.includes('config: '))]),
  );
  return {
    settings: text && JSON.parse(text.replaceAll('PORT', '1')),
    rest: { ...seen, stdout: seen.stdout.replace(line, ''), files },
  };
}

const imposter = { protocol: 'http', port: 'OTHER', name: 'svc', stubs: [{ responses: [{ is: { body: 'x' } }] }] };
const post: Case['serve'] = [
  ['POST', '/imposters', { ...imposter, port: 'OTHER' }],
  ['GET', '/imposters'],
  ['DELETE', '/imposters/OTHER'],
];

const cases: Case[] = [
  { name: '--version', args: ['--version'] },
  { name: 'stop without a pid file', args: ['stop'] },
  { name: 'stop with the pid file of nobody', args: ['stop'], files: { 'mb.pid': '4194300' } },
  { name: 'save without a server', args: ['save', '--port', 'PORT'] },
  { name: 'a start with the default logging', args: ['--port', 'PORT'], serve: [['GET', '/imposters']] },
  { name: 'a second start in a folder', args: ['--port', 'PORT'], files: { 'mb.log': 'older\n' }, serve: [] },
  { name: 'imposters that come and go', args: ['--port', 'PORT', '--nologfile'], serve: post },
  {
    name: 'a file and no console',
    args: ['--port', 'PORT', '--log', '{"level":"info"}'],
    serve: [['GET', '/imposters']],
  },
  {
    name: 'formats with colours and of the own kind',
    args: [
      '--port',
      'PORT',
      '--log',
      '{"level":"info","transports":{"console":{"colorize":true,"format":"json"},"file":{"path":"own.txt","format":"%timestamp|%level|%message|$x %y %level"}}}',
    ],
    serve: post,
  },
  {
    name: 'the simple format',
    args: [
      '--port',
      'PORT',
      '--log',
      '{"level":"warn","transports":{"console":{"format":"simple"}}}',
      '--allowInjection',
    ],
    serve: [],
  },
  {
    name: 'the settings of a start, told at debug',
    args: [
      '--port',
      'PORT',
      '--loglevel',
      'debug',
      '--nologfile',
      '-i',
      '-l',
      '-d',
      '-w',
      '127.0.0.1|10.0.0.1',
      '-o',
      'http://a',
    ],
    serve: [],
  },
  {
    name: 'settings of an rcfile and unknown flags',
    args: [
      '--port',
      'PORT',
      '--rcfile',
      'rc',
      '--loglevel',
      'debug',
      '--mine',
      'A',
      '--twice',
      '1',
      '--twice',
      '2',
      '--on',
      '--no-off',
      '-z',
      '3',
      '--a.b',
      'c',
    ],
    files: { rc: { debug: true, custom: { x: 1 }, origin: ['http://a', 'http://b'] } },
    serve: [],
  },
  { name: 'a missing rcfile', args: ['--port', 'PORT', '--rcfile', 'gone', '--nologfile'], serve: [] },
  {
    name: 'a rcfile that is no JSON',
    args: ['--port', 'PORT', '--rcfile', 'rc', '--nologfile'],
    files: { rc: '{' },
    serve: [],
  },
  { name: '--log that is no JSON', args: ['--port', 'PORT', '--log', '{bad'], serve: [] },
];

for (const given of cases) {
  test(`as Mountebank: ${given.name}`, async (t) => {
    const [theirs, ours] = await Promise.all([seen(t, programs.theirs, given), seen(t, programs.ours, given)]);
    const [our, their] = [settingsOf(ours), settingsOf(theirs)];
    assert.deepEqual(our.settings, their.settings);
    const { files: ourFiles, ...ourOutput } = our.rest;
    const { files: theirFiles, ...theirOutput } = their.rest;
    assert.deepEqual(ourOutput, theirOutput);
    assert.deepEqual(Object.keys(ourFiles), Object.keys(theirFiles));
    for (const [file, lines] of Object.entries(theirFiles)) {
      for (const line of lines) assert.ok(ourFiles[file].includes(line), `${file}: ${line}`);
    }
  });
}

test('as Mountebank: an unknown command', async (t) => {
  const args = { name: '', args: ['foo'] };
  const [theirs, ours] = await Promise.all([seen(t, programs.theirs, args), seen(t, programs.ours, args)]);
  const head = ({ code, stdout, stderr }: Seen) => [code, stdout, stderr.split('\n').slice(0, 3)];
  assert.deepEqual(head(ours), head(theirs));
});
