// `--rcfile`: a JSON object of options. Keys are flag names in camelCase, kebab-case or snake_case.
import { readFile } from 'node:fs/promises';
import { ExitError } from './errors.js';
import { flagBySpelling } from './flags.js';
import { type FlagValue, readValue } from './parse.js';
import type { ExecutableName } from './settings.js';

export interface RcOptions {
  given: Map<string, FlagValue>;
  /** Keys of no flag; `log` may be an object, so it stays here when it is. */
  unknown: Record<string, unknown>;
}

/** A missing or malformed file is reported through `complain` and counts as empty. */
export async function readRcfile(
  file: string,
  name: ExecutableName,
  complain: (message: string) => void,
): Promise<RcOptions> {
  const options: RcOptions = { given: new Map(), unknown: {} };
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    complain(name === 'mb' ? `Cannot find rcfile ${file}` : loadFailure(file, (error as Error).message));
    return options;
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
      throw new SyntaxError('expected a JSON object');
    }
  } catch (error) {
    complain(name === 'mb' ? `Cannot parse rcfile ${file}: ${error}` : loadFailure(file, (error as Error).message));
    return options;
  }
  for (const [key, value] of Object.entries(parsed)) {
    const flag = flagBySpelling.get(key) ?? flagBySpelling.get(key.replaceAll('_', '-'));
    if (!flag || (flag.name === 'log' && typeof value === 'object')) {
      options.unknown[key] = value;
      if (!flag && name === 'rift') complain(`Warning: --rcfile ${file}: unknown key '${key}'`);
      continue;
    }
    if (value === null) continue;
    if (flag.name === 'requireAdminAuth' && typeof value !== 'boolean') {
      throw new ExitError('configuration', `--rcfile ${file}: 'requireAdminAuth' must be true or false`);
    }
    if (flag.name === 'ipWhitelist' && Array.isArray(value)) options.given.set(flag.name, value.map(String));
    else options.given.set(flag.name, readValue(flag, value, `--rcfile ${file}: '${key}'`));
  }
  return options;
}

function loadFailure(file: string, reason: string): string {
  return `Warning: failed to load --rcfile ${file}: ${reason}`;
}
