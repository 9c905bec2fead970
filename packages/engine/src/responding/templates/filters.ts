// What can stand behind a `|` of an expression: each filter makes a new text of the one before it.

import { checkPattern, firstMatch } from '../../matching/regex.js';
import { TemplateError } from './errors.js';

export type Filter = (text: string) => string | Promise<string>;

/** @throws TemplateError When there is no such filter, or its arguments make no sense. */
export function compileFilter(name: string, args: readonly string[]): Filter {
  switch (name) {
    case 'last_segment':
      return lastSegment;
    case 'json':
      return (text) => JSON.stringify(text).slice(1, -1);
    case 'regex':
      return regex(args[0] ?? '', args[1] ?? '0');
    default:
      throw new TemplateError(`unknown template filter: '${name}'`);
  }
}

function lastSegment(text: string): string {
  const trimmed = text.replace(/\/+$/, '');
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

function regex(pattern: string, group: string): Filter {
  if (!/^\d+$/.test(group)) throw new TemplateError(`regex filter: invalid group number '${group}'`);
  const number = Number(group);
  try {
    checkPattern(pattern, '');
  } catch (error) {
    throw new TemplateError(`regex filter: invalid pattern '${pattern}': ${(error as Error).message}`);
  }
  const groupOf = (match: Awaited<ReturnType<typeof firstMatch>>): string => {
    if (match === null) throw new TemplateError(`regex filter: pattern '${pattern}' did not match`);
    const value = match[number];
    if (value === undefined) throw new TemplateError(`regex filter: no capture group ${number}`);
    return value;
  };
  return (text) => {
    const match = firstMatch(pattern, '', text);
    return match instanceof Promise ? match.then(groupOf) : groupOf(match);
  };
}
