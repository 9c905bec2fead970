// Processes that the harness starts, pinned to processors, and what they and their descendants use. Linux: /proc, taskset.
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { processorsOf } from './pinning.mjs';

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

/**
 * What a process tree has used of CPU so far, to be compared by `cpuBetween`. The scheduler counts a thread's nanoseconds
 * (/proc/PID/task/TID/schedstat) but forgets threads that have ended; /proc/PID/stat remembers them, in ticks of mostly 10 ms.
 */
export function cpuReading(root) {
  const processes = new Map();
  for (const pid of tree(root)) {
    const fields = stat(pid);
    if (!fields) continue;
    const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number);
    processes.set(pid, { threads: threadsOf(pid), ticks: user + system, reaped: childUser + childSystem });
  }
  return processes;
}

/** Thread to the nanoseconds it has run. */
function threadsOf(pid) {
  const threads = new Map();
  try {
    for (const tid of readdirSync(`/proc/${pid}/task`)) {
      const [ran] = readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ');
      threads.set(tid, Number(ran));
    }
  } catch {
    // a thread ended meanwhile, or this kernel counts no nanoseconds: ticks it is
    threads.clear();
  }
  return threads;
}

/** Seconds of CPU between two readings of one tree: in nanoseconds where no thread ended meanwhile, else in ticks. */
export function cpuBetween(before, after) {
  let seconds = 0;
  for (const [pid, now] of after) {
    const then = before.get(pid) ?? { threads: new Map(), ticks: 0, reaped: 0 };
    seconds += (now.reaped - then.reaped) / ticksPerSecond;
    if (now.threads.size > 0 && [...then.threads.keys()].every((tid) => now.threads.has(tid))) {
      for (const [tid, ran] of now.threads) seconds += (ran - (then.threads.get(tid) ?? 0)) / 1e9;
    } else {
      seconds += (now.ticks - then.ticks) / ticksPerSecond;
    }
  }
  return seconds;
}

/** Seconds of CPU of the ended children of this process: a load generator's use is known when it is reaped. */
export function childrenSeconds() {
  const [user, system] = stat('self').slice(13, 15).map(Number);
  return (user + system) / ticksPerSecond;
}

/** Resident set of a process tree in MiB. */
export function rssMiB(root) {
  let pages = 0;
  for (const pid of tree(root)) pages += Number(stat(pid)?.[21] ?? 0);
  return (pages * pageBytes) / 1048576;
}

/** The highest resident set that one process has had, in MiB. */
export function peakMiB(pid) {
  const [, kibibytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [0, 0];
  return Number(kibibytes) / 1024;
}

/** Seconds of work of some processors (`0`, `0,2`, `0-3`) so far, whoever did it. */
export function busySeconds(cpus) {
  let ticks = 0;
  const wanted = processorsOf(cpus);
  for (const line of readFileSync('/proc/stat', 'utf8').split('\n')) {
    const [name, ...fields] = line.split(/\s+/);
    if (!/^cpu\d/.test(name) || !wanted.includes(Number(name.slice(3)))) continue;
    const [user, nice, system, , , irq, softirq, steal] = fields.map(Number);
    ticks += user + nice + system + irq + softirq + steal;
  }
  return ticks / ticksPerSecond;
}

/** Waits until a process tree uses no more than a tick of 10 ms in 200 ms, or as little of a shorter `pause`; 10 s at most. */
export async function idle(root, pause = 200) {
  let before = cpuReading(root);
  for (const end = performance.now() + 10_000; performance.now() < end; ) {
    await sleep(pause);
    const now = cpuReading(root);
    // half a tick more, where ticks are all there is
    if (cpuBetween(before, now) <= Math.max(0.015 * (pause / 200), 0.5 / ticksPerSecond)) return;
    before = now;
  }
}

/** Throws if anybody listens on a port that should be free. */
export async function expectFree(port, whose) {
  const probe = connect(port, '127.0.0.1');
  const taken = await new Promise((resolve) => {
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  probe.destroy();
  if (taken) throw new Error(`${whose} has ended, but somebody still listens on port ${port}`);
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
