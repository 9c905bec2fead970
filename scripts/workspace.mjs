// What every command of this checkout shares: install once, build once, find the sources.
// Plain Node without dependencies, because it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Runs a command in the checkout's root and ends this process when it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) {
    console.error(`${command}: ${result.error.message}`);
    process.exit(1);
  }
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Installs the locked dependencies unless this lock file is what is installed already. */
export function ensureInstalled() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, 'node_modules', '.rift-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error('Installing dependencies (once per lock file)...');
  // stdout belongs to the command that was asked for
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', process.stderr, 'inherit'],
    shell: process.platform === 'win32',
  });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, lock);
}

/** All files below a folder of the checkout for which `keep` holds, as paths relative to the root, sorted. */
export function filesBelow(folder, keep) {
  const found = [];
  const walk = (relative) => {
    for (const entry of readdirSync(join(root, relative), { withFileTypes: true })) {
      if (entry.name === 'node_modules' || entry.name === 'dist') continue;
      const path = `${relative}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else if (keep(path)) found.push(path);
    }
  };
  walk(folder);
  return found.sort();
}

export function packageFolders() {
  return readdirSync(join(root, 'packages')).filter((name) =>
    existsSync(join(root, 'packages', name, 'tsconfig.json')),
  );
}

/** Compiles all packages unless nothing that goes into the build has changed since the last one. */
export function ensureBuilt({ force = false } = {}) {
  const stamp = join(root, 'node_modules', '.rift-build');
  const inputs = [
    ...filesBelow('packages', (path) => /\.(ts|json)$/.test(path)),
    'tsconfig.json',
    'tsconfig.base.json',
    'package-lock.json',
  ];
  const hash = createHash('sha256');
  for (const path of inputs) {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path}:${size}:${mtimeMs}\n`);
  }
  const key = hash.digest('hex');
  const built = packageFolders().every((name) => existsSync(join(root, 'packages', name, 'dist', '.tsbuildinfo')));
  if (!force && built && existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return;
  console.error('Building...');
  run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b'], {
    stdio: ['ignore', process.stderr, 'inherit'],
  });
  writeFileSync(stamp, key);
}
