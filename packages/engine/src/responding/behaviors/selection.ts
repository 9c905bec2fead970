// What `copy` and `lookup` take out of a request: a field (`from`), then values of it (`using`).

import type { Logger } from '../../logger.js';
import { selectJson } from '../../matching/jsonpath.js';
import { checkPattern, firstMatch } from '../../matching/regex.js';
import { memoised, readingOf } from '../../matching/text-reading.js';
import { parseXml, warnOfBrokenXml } from '../../matching/xml.js';
import { xpathSelector } from '../../matching/xpath.js';
import type { JsonObject, Profile } from '../../model/types.js';
import type { RequestView } from '../../request-view.js';

export interface Using {
  readonly method: string;
  readonly selector: string;
  readonly ns?: JsonObject;
  readonly options?: { readonly ignoreCase?: unknown; readonly multiline?: unknown };
}

/** Values as texts; index 0 is the whole match. Empty when there is nothing to select. */
export type Selection = (view: RequestView) => Texts | Promise<Texts>;

type Texts = readonly string[];

/**
 * @throws RiftError `bad data` for a selector that is no regular expression or no XPath.
 */
export function compileSelection(from: unknown, using: Using, logger: Logger): Selection {
  const source = compileSource(from);
  const values = compileUsing(using, logger);
  return (view) => {
    const value = source(view);
    return value === undefined || value === null ? [] : values(value, view);
  };
}

/**
 * Text `from`: a request field whatever its case. Object: its only key exactly, then the same again below it. The first
 * element of an array stands for it.
 */
function compileSource(from: unknown): (view: RequestView) => unknown {
  if (typeof from === 'string') {
    const wanted = from.toLowerCase();
    return (view) => {
      const name = view.fieldNames().find((field) => field.toLowerCase() === wanted);
      return name === undefined ? undefined : first(view.field(name));
    };
  }
  const entry = typeof from === 'object' && from !== null ? Object.entries(from)[0] : undefined;
  if (entry === undefined) return () => undefined;
  const [field, below] = entry;
  return (view) => descend(view.field(field), below);
}

function descend(value: unknown, from: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const object = value as { readonly [name: string]: unknown };
  if (typeof from === 'string') {
    const wanted = from.toLowerCase();
    const name = Object.keys(object).find((key) => key.toLowerCase() === wanted);
    return name === undefined ? undefined : first(object[name]);
  }
  const entry = typeof from === 'object' && from !== null ? Object.entries(from)[0] : undefined;
  if (entry === undefined || !Object.hasOwn(object, entry[0])) return undefined;
  return descend(object[entry[0]], entry[1]);
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

type Values = (value: unknown, view: RequestView) => Texts | Promise<Texts>;

function compileUsing(using: Using, logger: Logger): Values {
  switch (using.method) {
    case 'regex':
      return compileRegex(using);
    case 'jsonpath':
      return compileJsonpath(using);
    case 'xpath':
      return compileXpath(using, logger);
    default:
      return () => [];
  }
}

function compileJsonpath({ selector }: Using): Values {
  const trimmed = selector.trim();
  const rooted = trimmed.startsWith('$') ? trimmed : `$${trimmed.startsWith('[') ? '' : '.'}${trimmed}`;
  return (value, view) => {
    const json = typeof value === 'string' ? readingOf(view, value).json : value;
    if (rooted === '$') return json === undefined ? [] : [selectedText(json)];
    return selectJson(rooted, json).map(selectedText);
  };
}

function compileXpath({ selector, ns }: Using, logger: Logger): Values {
  const expression = xpathSelector(selector, (ns ?? {}) as { readonly [prefix: string]: string });
  return (value, view) => {
    const text = selectedText(value);
    const document = memoised(view, 'xml', text, () => parseXml(text, false));
    warnOfBrokenXml(document, text, logger);
    return expression.evaluate(document).map(selectedText);
  };
}

function compileRegex({ selector, options }: Using): Values {
  const flags = `${options?.ignoreCase ? 'i' : ''}${options?.multiline ? 'm' : ''}`;
  checkPattern(selector, flags);
  const texts = (groups: Awaited<ReturnType<typeof firstMatch>>) =>
    groups === null ? [] : Array.from(groups, (group) => group ?? '');
  return (value) => {
    const match = firstMatch(selector, flags, selectedText(value));
    return match instanceof Promise ? match.then(texts) : texts(match);
  };
}

/** A selected value as it is put into a response: JSON for objects, and for arrays that hold any. */
function selectedText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const plain = Array.isArray(value) && value.every((element) => typeof element !== 'object' || element === null);
  return plain ? String(value) : JSON.stringify(value);
}

/** The value that stands for a selection: by profile the first group of a regular expression that has groups. */
export function representative(values: readonly string[], using: Using, profile: Profile): string | undefined {
  return profile === 'rift' && using.method === 'regex' ? (values[1] ?? values[0]) : values[0];
}
