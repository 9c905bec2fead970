// What every suite gets: the options, and a way to have engines started, used and stopped.

const told = new Set();

/**
 * @param {object} given `options.engines`: the engines to take instead of a suite's own choice
 */
export function makeBench({ engines, options, out }) {
  /** The engines that were asked for, or a suite's own choice and the given binary. */
  const engineNames = (names) => options.engines ?? [...names, ...(options.riftBin ? ['rift'] : [])];

  /**
   * Starts those of the named engines that are there, runs, and stops them whatever happens. `only`: the one engine of this
   * step, left out when others were chosen.
   */
  async function withEngines(names, use, { only, needsImposters, ...startOptions } = {}) {
    const chosen = only ? (options.engines ?? only) : engineNames(names);
    const wanted = only ? only.filter((name) => chosen.includes(name)) : chosen;
    const runnings = [];
    try {
      for (const name of wanted) {
        const engine = engines[name];
        if (!engine) throw new Error(`no engine ${name}; there are ${Object.keys(engines).join(', ')}`);
        if (needsImposters && !engine.imposters) continue;
        const missing = engine.missing();
        if (missing) {
          if (!told.has(name)) console.error(missing);
          told.add(name);
          continue;
        }
        const { connections, cpus } = options;
        runnings.push(await engine.start({ engine: name, cpus: cpus.server, connections, ...startOptions }));
      }
      return await use(runnings);
    } finally {
      for (const running of runnings) await running.stop();
    }
  }

  return {
    engines,
    options,
    out,
    engineNames,
    withEngines,
    /** What a report says of the engines that took part. */
    described: (names) => names.map((name) => ({ name, title: engines[name].title, version: engines[name].version() })),
    /** The same with other options, results elsewhere. */
    changed: (changes, directory = out) => makeBench({ engines, options: { ...options, ...changes }, out: directory }),
  };
}
