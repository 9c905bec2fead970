// Shows that the server runs on Node 20, Node 24 and Bun: each serves the example, answers what `npm start` tells to try,
// and ends cleanly. Node 24 and Bun come as npm packages into a folder of their own; they are no dependency of the product.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDataThreads } from './per-core-exchange.mjs';
import { ensureBuilt, ensureInstalled, root, run } from './workspace.mjs';

const folder = join(root, 'node_modules', '.runtimes');
const START_MS = 20_000;

/** Path of an executable that one of the npm packages brought, or undefined. */
function installedRuntime(name) {
  const path = join(folder, 'node_modules', '.bin', name);
  return spawnSync(path, ['--version']).status === 0 ? path : undefined;
}

function installRuntimes() {
  if (installedRuntime('node') && installedRuntime('bun')) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', 'node@24', 'bun@1'], {
    cwd: folder,
    shell: process.platform === 'win32',
  });
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** An answer without what differs from run to run: ports and times. */
function withoutAccidents(text, port, admin) {
  return text
    .replaceAll(String(port), 'PORT')
    .replaceAll(String(admin), 'ADMIN')
    .replace(/"requestFrom": "[^"]*"/g, '"requestFrom"')
    .replace(/"timestamp": "[^"]*"/g, '"timestamp"');
}

/** The first line in which two answers differ. */
function difference(expected, got) {
  const lines = got.split('\n');
  const at = expected.split('\n').findIndex((line, index) => line !== lines[index]);
  return `line ${at + 1}: expected ${expected.split('\n')[at]}, got ${lines[at]}`;
}

async function answersOf(runtime, work, ...options) {
  const [admin, port, metrics] = [await freePort(), await freePort(), await freePort()];
  const document = JSON.parse(readFileSync(join(root, 'examples', 'petstore.json'), 'utf8'));
  document.imposters[0].port = port;
  const file = join(work, 'imposters.json');
  writeFileSync(file, JSON.stringify(document));
  const server = spawn(
    runtime,
    [
      join(root, 'packages/server/bin/rift.js'),
      '--port',
      `${admin}`,
      '--metrics-port',
      `${metrics}`,
      '--configfile',
      file,
      ...options,
    ],
    { cwd: work, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exit = new Promise((resolve) => server.once('exit', (code, signal) => resolve(code ?? signal)));
  try {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`not started after ${START_MS} ms`)), START_MS);
      let seen = '';
      server.stdout.on('data', (chunk) => {
        seen += chunk;
        if (!seen.includes('now taking orders')) return;
        clearTimeout(timer);
        resolve();
      });
    });
    const answers = [];
    const post = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name": "Rex", "kind": "dog"}',
    };
    for (const [url, init] of [
      [`http://localhost:${port}/pets`],
      [`http://localhost:${port}/pets`, post],
      [`http://localhost:${admin}/imposters/${port}`],
    ]) {
      const response = await fetch(url, init);
      answers.push(`${response.status} ${withoutAccidents(await response.text(), port, admin)}`);
    }
    return { answers, server, exit, admin, port, metrics };
  } catch (error) {
    server.kill('SIGKILL');
    throw error;
  }
}

/** The wire has code of its own for each runtime: its tests, which the main test run does on this Node only. */
function testWire(runtime) {
  const folder = join(root, 'packages/http/dist');
  const files = readdirSync(folder).filter((file) => file.endsWith('.test.js'));
  const argv = runtime.endsWith('bun') ? ['test', folder] : ['--test', ...files.map((file) => join(folder, file))];
  const { status, stdout, stderr } = spawnSync(runtime, argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tests of the wire:\n${stdout}${stderr}`);
}

ensureInstalled();
ensureBuilt();
installRuntimes();
let expected;
let failed = false;
for (const runtime of [process.execPath, installedRuntime('node'), installedRuntime('bun')]) {
  const version = spawnSync(runtime, ['--version']).stdout.toString().trim();
  const name = runtime.endsWith('bun') ? `bun ${version}` : `node ${version}`;
  const work = mkdtempSync(join(tmpdir(), 'rift-runtime-'));
  try {
    const { answers, server, exit } = await answersOf(runtime, work);
    server.kill('SIGTERM');
    const code = await exit;
    expected ??= answers;
    const wrong = answers.findIndex((answer, index) => answer !== expected[index]);
    if (!answers[0].startsWith('200 ') || !answers[1].startsWith('201 '))
      throw new Error(`answers: ${answers.map((answer) => answer.slice(0, 80)).join('\n')}`);
    if (wrong !== -1) throw new Error(difference(expected[wrong], answers[wrong]));
    if (code !== 0) throw new Error(`ended with ${code} after SIGTERM`);
    console.log(`${name}: ${answers.length} answers as expected, ended cleanly`);
    if (name === `node ${process.version}`) continue;
    testWire(runtime);
    console.log(`${name}: the tests of the wire pass`);
    const threaded = await answersOf(runtime, work, '--runtime', 'per-core=2', '--allow-injection');
    try {
      await checkDataThreads(threaded.admin, await freePort(), threaded.metrics);
    } finally {
      threaded.server.kill('SIGTERM');
    }
    if ((await threaded.exit) !== 0) throw new Error('two data threads: not ended cleanly');
    console.log(`${name}: two data threads serve as one`);
  } catch (error) {
    failed = true;
    console.error(`${name}: ${error.message}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
process.exit(failed ? 1 : 0);
