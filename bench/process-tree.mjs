// Processes that the harness starts, pinned to processors, and what they and their descendants use. Linux: /proc, taskset.
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const pageBytes = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));
const STOP_MS = 5000;

/** Fields of /proc/PID/stat after the name: state is field 0 here, field 3 in proc(5). */
function stat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** The process and everything that descends from it. */
function tree(root) {
  const children = new Map();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = Number(stat(entry)?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const pids = [root];
  for (const pid of pids) pids.push(...(children.get(pid) ?? []));
  return pids;
}

/** Seconds of CPU that a process tree has used, ended and reaped children included. */
export function cpuSeconds(root) {
  let ticks = 0;
  for (const pid of tree(root)) {
    const fields = stat(pid);
    if (fields) for (let field = 11; field <= 14; field++) ticks += Number(fields[field]);
  }
  return ticks / ticksPerSecond;
}

/** Resident set of a process tree in MiB. */
export function rssMiB(root) {
  let pages = 0;
  for (const pid of tree(root)) pages += Number(stat(pid)?.[21] ?? 0);
  return (pages * pageBytes) / 1048576;
}

/** Seconds of work of some processors so far, whoever did it. */
export function busySeconds(cpus) {
  let ticks = 0;
  for (const line of readFileSync('/proc/stat', 'utf8').split('\n')) {
    const [name, ...fields] = line.split(/\s+/);
    if (!cpus.includes(name.slice(3)) || !/^cpu\d/.test(name)) continue;
    const [user, nice, system, , , irq, softirq, steal] = fields.map(Number);
    ticks += user + nice + system + irq + softirq + steal;
  }
  return ticks / ticksPerSecond;
}

/** Waits until a process tree uses no more than a tick in 200 ms; 10 s at most. */
export async function idle(root) {
  let before = cpuSeconds(root);
  for (const end = performance.now() + 10_000; performance.now() < end; ) {
    await sleep(200);
    const now = cpuSeconds(root);
    if (now - before <= 1.5 / ticksPerSecond) return;
    before = now;
  }
}

/** A process in a group of its own; `stop` ends the group and waits until it is gone. */
export function start(command, args, { cpus, cwd, env = {}, stdin = 'ignore' } = {}) {
  const argv = cpus ? ['-c', cpus, command, ...args] : args;
  const child = spawn(cpus ? 'taskset' : command, argv, {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: [stdin, 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk) => {
    output = (output + chunk).slice(-4000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const exited = new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', (error) => {
      keep(String(error));
      resolve();
    });
  });
  const signal = (name) => {
    try {
      process.kill(-child.pid, name);
    } catch {}
  };
  const killAtExit = () => signal('SIGKILL');
  process.once('exit', killAtExit);
  return {
    pid: child.pid,
    exited,
    output: () => output,
    async stop() {
      signal('SIGTERM');
      if ((await Promise.race([exited.then(() => 'gone'), sleep(STOP_MS)])) !== 'gone') signal('SIGKILL');
      await exited;
      process.off('exit', killAtExit);
    },
  };
}

/** As many ports as asked for, free on loopback right now. */
export async function freePorts(count) {
  const probes = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve, reject) => {
          const probe = createServer().once('error', reject);
          probe.listen(0, '127.0.0.1', () => resolve(probe));
        }),
    ),
  );
  const ports = probes.map((probe) => probe.address().port);
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
  return ports;
}
