// argv -> command and given flags. yargs-parser does the parsing, since Mountebank's command line is yargs and its
// users' habits (clusters, `--flag=value`, `--no-flag`, unknown flags of a formatter) come from there.
import parseArguments from 'yargs-parser';
import { ExitError } from './errors.js';
import { type Command, commands, type Flag, flagBySpelling, flags } from './flags.js';

export type FlagValue = string | number | boolean | string[];

export interface CommandLine {
  /** The first positional word; `start` when there is none. */
  command: string;
  /** Given flags by their name. */
  given: Map<string, FlagValue>;
  /** Flags of no table, as yargs reads them; Mountebank hands them to formatters and repositories. */
  unknown: Record<string, unknown>;
  /** The first of them as it was written, without its value. */
  firstUnknown: string | undefined;
  help: boolean;
  version: boolean;
}

export function isCommand(word: string): word is Command {
  return (commands as readonly string[]).includes(word);
}

const shortFlags = new Set(flags.flatMap((flag) => (flag.aliases ?? []).filter((alias) => alias.length === 1)));
/** Without a flag of the table: yargs's own, and the negations of switches. */
const known = new Set([
  'help',
  'version',
  ...flags.filter(({ type }) => type === 'switch').map(({ name }) => `no-${name}`),
]);

/** `-h` followed by a value is the host, alone it is help; the spellings of a flag become its one name. */
function normalize(argv: readonly string[]): { words: string[]; firstUnknown: string | undefined } {
  const words: string[] = [];
  let firstUnknown: string | undefined;
  for (const [index, word] of argv.entries()) {
    if (word === '--') return { words: [...words, ...argv.slice(index)], firstUnknown };
    if (word === '-h') {
      const next = argv[index + 1];
      words.push(next === undefined || next.startsWith('-') ? '--help' : '--host');
    } else if (word === '-V') {
      words.push('--version');
    } else if (word.startsWith('--')) {
      const equals = word.indexOf('=');
      const spelling = word.slice(2, equals < 0 ? undefined : equals);
      const flag = flagBySpelling.get(spelling);
      if (!flag && !known.has(spelling)) firstUnknown ??= `--${spelling}`;
      words.push(flag ? `--${flag.name}${equals < 0 ? '' : word.slice(equals)}` : word);
    } else {
      const letter = /^-([A-Za-z])/.exec(word)?.[1];
      if (letter !== undefined && !shortFlags.has(letter)) firstUnknown ??= `-${letter}`;
      words.push(word);
    }
  }
  return { words, firstUnknown };
}

/**
 * Reads a command line.
 * @throws ExitError kind `configuration` when a value is missing or not of the flag's type
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const named = (types: Flag['type'][]) => flags.filter((flag) => types.includes(flag.type)).map((flag) => flag.name);
  const { words, firstUnknown } = normalize(argv);
  const parsed: Record<string, unknown> = parseArguments(words, {
    // numbers are read as text and checked below, so that the message can show what was written
    string: named(['text', 'list', 'port', 'count']),
    boolean: [...named(['switch']), 'help', 'version'],
    alias: Object.fromEntries(
      flags.map((flag) => [flag.name, (flag.aliases ?? []).filter((alias) => alias.length === 1)]),
    ),
  });
  const positionals = parsed._ as unknown[];
  const given = new Map<string, FlagValue>();
  const unknown: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(parsed)) {
    if (key === '_' || key === '--' || key === 'help' || key === 'version' || shortFlags.has(key)) continue;
    const flag = flagBySpelling.get(key);
    if (!flag) unknown[key] = value;
    else if (flag.name === key) given.set(key, readValue(flag, value, `--${key}`));
  }
  return {
    command: positionals.length > 0 ? String(positionals[0]) : 'start',
    given,
    unknown,
    firstUnknown: firstUnknown ?? Object.keys(unknown).at(0),
    help: parsed.help === true,
    version: parsed.version === true,
  };
}

const truthy = /^(1|true|yes|on)$/i;

/**
 * A value of a flag from any source (`where` names it in the message: `--port`, `MB_PORT`, …).
 * A flag given twice takes its last value, except lists.
 */
export function readValue(flag: Flag, value: unknown, where: string): FlagValue {
  if (flag.type === 'list') {
    const entries = Array.isArray(value) ? value.map(String) : value;
    if (Array.isArray(entries)) return entries;
  }
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  if (flag.type === 'switch') {
    return typeof last === 'boolean' ? last : truthy.test(String(last));
  }
  const text = typeof last === 'string' ? last : typeof last === 'number' ? String(last) : undefined;
  if (flag.type === 'port' || flag.type === 'count') {
    const wanted = flag.type === 'port' ? 'a port number from 0 to 65535' : 'a whole number of 0 or more';
    const number = text !== undefined && /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(number) || (flag.type === 'port' && number > 65535)) {
      throw new ExitError('configuration', `${where}: '${text ?? String(last)}' is not valid; expected ${wanted}`);
    }
    return number;
  }
  if (text === undefined) {
    if (last === false) return false;
    throw new ExitError('configuration', `${where}: expected a text`);
  }
  return text;
}
