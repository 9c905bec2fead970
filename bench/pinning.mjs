// Which processors the engine gets and which the load generator. Siblings of one core (SMT) share its units, so a split goes
// along cores; on a machine with one or two processors that have none, it is one for each.
import { readdirSync, readFileSync } from 'node:fs';

/** `0,2-4` as numbers: the form of taskset and of /sys. */
export function processorsOf(list) {
  return list.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/** Cores of this machine, each the list of its processors. */
export function coresHere() {
  const directory = '/sys/devices/system/cpu';
  const cores = new Set();
  for (const name of readdirSync(directory)) {
    if (!/^cpu\d+$/.test(name)) continue;
    try {
      cores.add(readFileSync(`${directory}/${name}/topology/thread_siblings_list`, 'utf8').trim());
    } catch {
      // offline
    }
  }
  return [...cores].map(processorsOf).sort(([a], [b]) => a - b);
}

/** Numbers of processors that an engine can have: whole cores, and at least one core is left for the generator. */
export function budgets(cores) {
  let count = 0;
  return cores.slice(0, -1).map((core) => {
    count += core.length;
    return count;
  });
}

/**
 * The first `budget` processors for the engine, the others for the generator.
 * @param {number[][]} cores
 * @returns {{server: string, load: string}} lists for taskset
 */
export function split(cores, budget) {
  const valid = budgets(cores);
  const at = valid.indexOf(budget);
  if (at < 0) {
    const those = valid.length > 0 ? `valid here: ${valid.join(', ')}` : 'none is valid here';
    throw new Error(`${budget} processors for the engine would cut a core or leave none to the generator; ${those}`);
  }
  return {
    server: cores
      .slice(0, at + 1)
      .flat()
      .join(','),
    load: cores
      .slice(at + 1)
      .flat()
      .join(','),
  };
}

/** One processor for each, on different cores where there are two. */
export function onePerSide(cores) {
  const server = cores[0][0];
  return { server: `${server}`, load: `${cores[1]?.[0] ?? cores[0][1] ?? server}` };
}
