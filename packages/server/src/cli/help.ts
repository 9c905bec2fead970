// Usage texts, made from the table of flags.
import { type Command, type Flag, flags, kebab } from './flags.js';
import { isCommand } from './parse.js';
import type { ExecutableName } from './settings.js';

const commandHelp: Record<Command, string> = {
  start: 'run the server (the default)',
  stop: 'stop the server that the process id file names',
  restart: 'stop it if it runs, then start',
  save: "write the running server's imposters to a file",
  replay: 'turn recorded proxies into plain stubs; rift with --configfile: start from that file',
  healthcheck: 'ask a running server whether it is well; for containers',
  help: 'this text',
};

const groups: Record<Flag['group'], string> = {
  server: 'Server',
  files: 'Files',
  logging: 'Logging',
  security: 'Access',
  limits: 'Limits',
  tls: 'Certificates of https imposters',
  client: 'Commands that call a server',
  absent: 'Not in this version',
};

/** The usage text of the program, or of one command when it is one. */
export function usage(name: ExecutableName, command?: string): string {
  const chosen = command !== undefined && command !== 'help' && isCommand(command) ? command : undefined;
  const lines = [`Usage: ${name} [${chosen ?? 'command=start'}] [options...]`, ''];
  if (!chosen) {
    lines.push('Commands:');
    for (const [word, text] of Object.entries(commandHelp)) lines.push(`  ${word.padEnd(12)} ${text}`);
    lines.push('');
  }
  const shown = flags.filter((flag) => !chosen || flag.commands.includes(chosen));
  for (const [group, title] of Object.entries(groups)) {
    const members = shown.filter((flag) => flag.group === group);
    if (members.length === 0) continue;
    lines.push(`${title}:`);
    for (const flag of members) lines.push(...flagLines(flag, name));
    lines.push('');
  }
  lines.push(
    'General:',
    entry('--help', 'print this text'),
    entry('--version', 'print the version'),
    '',
    `Flags take their value as the next word or after '='; '${name} COMMAND --help' shows one command's flags.`,
    'A flag wins over its environment variable, that over the rcfile.',
  );
  return lines.join('\n');
}

function flagLines(flag: Flag, name: ExecutableName): string[] {
  // each name shows its own habit of spelling first; the other one works too
  const long = name === 'mb' ? flag.name : kebab(flag.name);
  const short = (flag.aliases ?? []).filter((alias) => alias.length === 1).map((alias) => `-${alias}, `);
  const value = flag.value === undefined ? '' : ` ${flag.value}`;
  return [entry(`${short.join('')}--${long}${value}`, flag.env ? `${flag.help} [${flag.env}]` : flag.help)];
}

function entry(left: string, text: string): string {
  return left.length > 30 ? `  ${left}\n${' '.repeat(34)}${text}` : `  ${left.padEnd(31)} ${text}`;
}
