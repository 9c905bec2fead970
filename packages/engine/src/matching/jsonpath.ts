// JSONPath selectors. Plain paths (`$.a.b[0]`, `$..a`, `$.a[*].b`), which are most, are walked here; everything else goes
// to jsonpath-plus with its restricted evaluator, so that filters cannot run code. Both give the same (jsonpath.test.ts).

import { JSONPath } from 'jsonpath-plus';
import { RiftError } from '../errors.js';
import { isObject, memberOf } from './members.js';
import { withinLimit } from './time-limit.js';

/** Finds in parsed JSON, in order; empty when there is nothing, the selector is malformed or a filter fails. */
export type JsonSelector = (json: unknown) => readonly unknown[];

export function jsonSelector(selector: string): JsonSelector {
  const path = plainPath(selector);
  if (path === undefined) return (json) => selectJson(selector, json);
  const { descend, steps } = path;
  return (json) => {
    if (!json) return [];
    const found: unknown[] = [];
    if (descend) walkDown(json, steps, found);
    else walk(json, steps, 0, found);
    return found;
  };
}

/** By jsonpath-plus alone: for selectors that are used once. */
export function selectJson(selector: string, json: unknown): readonly unknown[] {
  if (!json) return [];
  const select = (): unknown => JSONPath({ path: selector, json: json as object, wrap: true, eval: 'safe' });
  try {
    const found = canTakeLong(selector) ? withinLimit(`JSONPath ${selector}`, select) : select();
    return Array.isArray(found) ? found : [];
  } catch (error) {
    if (error instanceof RiftError) throw error;
    return [];
  }
}

/**
 * Filters may call members, and so a regular expression: `$[?(@.a.match(/(a+)+$/))]` can take for ever on a hostile text. Each
 * `..` behind another one looks at everything below everything. What has neither takes time in proportion to the document.
 */
function canTakeLong(selector: string): boolean {
  return /[\w$\])]\s*\(/.test(selector) || selector.indexOf('..') !== selector.lastIndexOf('..');
}

interface PlainPath {
  /** `$..`: every object and array is a start. */
  readonly descend: boolean;
  /** Names, positions and `*`. */
  readonly steps: readonly string[];
}

/** A selector of names, positions and wildcards only; undefined for anything more. */
function plainPath(selector: string): PlainPath | undefined {
  const found = /^\$(\.\.)?((?:\.?[A-Za-z_]\w*|\.\*|\[(?:\d+|\*|'[A-Za-z_]\w*'|"[A-Za-z_]\w*")\])+)$/.exec(selector);
  if (found === null) return undefined;
  const descend = found[1] !== undefined;
  // Right after `..` there is no dot; everywhere else a name needs one.
  const rest = descend ? `.${found[2]}` : found[2];
  if (/^\.\./.test(rest) || !/^(?:\.(?:\w+|\*)|\[[^\]]+\])+$/.test(rest) || rest.startsWith('.[')) return undefined;
  const steps = [...rest.matchAll(/\.(\w+|\*)|\[['"]?(\w+|\*)['"]?\]/g)].map(
    ([, named, bracketed]) => named ?? bracketed,
  );
  return { descend, steps };
}

function walk(value: unknown, steps: readonly string[], at: number, found: unknown[]): void {
  if (at === steps.length) {
    found.push(value);
    return;
  }
  const step = steps[at];
  // Behind another step the library takes a member that is really named `*` first.
  if (step === '*' && (at === 0 || memberOf(value, step) === undefined)) {
    if (isObject(value)) for (const member of Object.values(value)) walk(member, steps, at + 1, found);
    return;
  }
  const member = value === '' ? undefined : memberOf(value, step);
  if (member !== undefined) walk(member, steps, at + 1, found);
}

/** At a node first, then below its members; with a stack of its own, since bodies may be nested deeper than calls can be. */
function walkDown(start: unknown, steps: readonly string[], found: unknown[]): void {
  const ahead = [start];
  while (ahead.length > 0) {
    const value = ahead.pop();
    walk(value, steps, 0, found);
    if (!isObject(value)) continue;
    const members = Object.values(value);
    for (let i = members.length - 1; i >= 0; i--) if (isObject(members[i])) ahead.push(members[i]);
  }
}
