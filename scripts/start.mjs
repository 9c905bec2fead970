// npm start [-- options]: installs and builds when something changed, then serves an example, or what the options say.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './workspace.mjs';

ensureInstalled();
ensureBuilt();
const given = process.argv.slice(2);
const example = join(root, 'examples', 'petstore.json');
const child = spawn(
  process.execPath,
  [join(root, 'packages/server/bin/rift.js'), ...(given.length > 0 ? given : ['--configfile', example])],
  { stdio: ['inherit', given.length > 0 ? 'inherit' : 'pipe', 'inherit'], cwd: process.env.INIT_CWD ?? root },
);

if (given.length === 0) {
  let seen = '';
  child.stdout.on('data', (chunk) => {
    process.stdout.write(chunk);
    if (seen === undefined) return;
    seen += chunk;
    if (!seen.includes('now taking orders')) return;
    seen = undefined;
    introduce();
  });
}

function introduce() {
  const { imposters } = JSON.parse(readFileSync(example, 'utf8'));
  const [{ port, name, stubs }] = imposters;
  console.log(`
Serving "${name}" (examples/petstore.json, ${stubs.length} stubs) on http://localhost:${port}
The admin API and its pages are on http://localhost:2525

Try:
  curl http://localhost:${port}/pets
  curl -X POST http://localhost:${port}/pets -H 'Content-Type: application/json' -d '{"name": "Rex", "kind": "dog"}'
  curl http://localhost:2525/imposters/${port}
`);
}

// a terminal signals the whole group, a supervisor only this process: the server counts a second signal as "at once"
let forwarded = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (signal === 'SIGINT' && process.stdin.isTTY && !forwarded) return;
    forwarded = true;
    child.kill(signal);
  });
}
child.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
