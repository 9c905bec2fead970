// The entry of both executables.
import { healthcheck, replay, save, stop } from './cli/commands.js';
import { ExitError, exitCode } from './cli/errors.js';
import { usage } from './cli/help.js';
import { isCommand, parseCommandLine } from './cli/parse.js';
import { type ExecutableName, resolveSettings, type Settings } from './cli/settings.js';
import { beginInLittleRoom } from './process/heap.js';
import { mountebankVersion, version } from './version.js';

export interface MainOptions {
  /** Name under which the program was called: sets profile and process conventions. */
  executable: ExecutableName;
  /** Without the runtime and the script. */
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
}

/** Runs the program and ends the process with its exit code. Never rejects. */
export async function main(options: MainOptions): Promise<void> {
  // Mountebank does so, and libraries look at it
  process.env.NODE_ENV ||= 'production';
  let code: number;
  try {
    code = await run(options);
  } catch (error) {
    const { executable } = options;
    if (error instanceof ExitError) {
      const prefix = error.withUsage ? `${usage(executable)}\n\n` : executable === 'mb' ? '' : `${executable}: `;
      process.stderr.write(`${prefix}${error.message}\n`);
      code = exitCode(error.kind, executable);
    } else {
      process.stderr.write(`${executable}: unexpected failure: ${error instanceof Error ? error.message : error}\n`);
      code = 1;
    }
  }
  process.exit(code);
}

async function run({ executable: name, argv, env }: MainOptions): Promise<number> {
  const line = parseCommandLine(argv);
  if (line.version) {
    process.stdout.write(`${name === 'mb' ? mountebankVersion : `rift ${version}`}\n`);
    return 0;
  }
  if (!isCommand(line.command)) {
    throw new ExitError('configuration', `Invalid command '${line.command}'.\n\n${usage(name)}`);
  }
  if (line.help || line.command === 'help') {
    process.stdout.write(
      `${usage(name, line.command === 'start' && !argv.includes('start') ? undefined : line.command)}\n`,
    );
    return 0;
  }
  const settings = await resolveSettings({
    name,
    line,
    env,
    complain: (message) => process.stderr.write(`${message}\n`),
  });
  switch (line.command) {
    case 'stop':
      return stop(settings);
    case 'restart':
      await stop(settings, false);
      return start(settings, env);
    case 'save':
      return save(settings);
    case 'replay':
      return settings.configfile === undefined ? replay(settings) : start(settings, env);
    case 'healthcheck':
      return healthcheck(settings);
    default:
      return start(settings, env);
  }
}

/** The server's modules are loaded only by commands that serve: the others are to be over at once. */
async function start(settings: Settings, env: NodeJS.ProcessEnv): Promise<number> {
  beginInLittleRoom();
  const serving = await import('./cli/start.js');
  return serving.start(settings, env);
}
