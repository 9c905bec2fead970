// Regular expressions of users: JavaScript's dialect without the flags u, m and s. JavaScript's own engine backtracks,
// and some patterns make it take longer than anybody can wait: then nothing else in this thread would be served. The
// defence (docs/predicates.md, "Slow regular expressions"): what is harmless by its structure runs as it is, what is not
// runs on an automaton in linear time, and what has none runs in a worker with a time limit.

import { RiftError } from '../errors.js';
import { LinearRegex } from './linear-regex.js';
import { worstSteps } from './regex-cost.js';
import { inRegexWorker, type RegexGroups } from './regex-worker-host.js';

/** Steps that a pattern may take in this thread: some ten milliseconds. */
const MOST_STEPS = 1e7;
/** Longest text for which the index strips `except` by itself. */
const LONG_TEXT = 1 << 20;
const MOST_PATTERNS = 10_000;
const MOST_VERDICTS = 32;

/** Thrown where a verdict has to be waited for: the evaluation starts again when it is there. */
export class Waiting extends Error {
  readonly done: Promise<unknown>;

  constructor(done: Promise<unknown>) {
    super('waiting for a regular expression');
    this.done = done;
  }
}

interface Compiled {
  readonly regex: RegExp;
  /** Upper bound of JavaScript's steps for a text of a length, asked for powers of two. */
  readonly steps: (length: number) => number;
  /** By length in bits: whether JavaScript's engine may be used. */
  readonly harmless: (boolean | undefined)[];
  linear: LinearRegex | undefined | null;
}

const patterns = new Map<string, Compiled | RiftError>();

/** Throws a RiftError `bad data` with JavaScript's own reason when the pattern is malformed. */
function compiledOf(source: string, flags: string): Compiled {
  const key = `${flags}/${source}`;
  let known = patterns.get(key);
  if (known === undefined) {
    known = compile(source, flags);
    if (patterns.size >= MOST_PATTERNS) patterns.clear();
    patterns.set(key, known);
  }
  if (known instanceof RiftError) throw known;
  return known;
}

function compile(source: string, flags: string): Compiled | RiftError {
  try {
    return { regex: new RegExp(source, flags), steps: worstSteps(source, flags), harmless: [], linear: null };
  } catch (error) {
    const problem = new RiftError('bad data', (error as Error).message);
    problem.name = 'SyntaxError';
    return problem;
  }
}

function isHarmless(compiled: Compiled, length: number): boolean {
  const bits = 32 - Math.clz32(length);
  // Very short texts leave nothing to backtrack over.
  compiled.harmless[bits] ??= bits <= 3 || compiled.steps(2 ** bits - 1) <= Math.max(MOST_STEPS, 2 ** (bits + 3));
  return compiled.harmless[bits];
}

/**
 * Whether a pattern finds a match in a text: a function that keeps the pattern it was last asked for ready. It throws Waiting
 * when a worker has to find out, and a RiftError when the pattern is malformed.
 */
export function finder(flags: string): (source: string, text: string) => boolean {
  let last: string | undefined;
  let compiled: Compiled;
  return (source, text) => {
    if (source !== last) {
      compiled = compiledOf(source, flags);
      last = source;
    }
    return findsMatch(compiled, source, flags, text);
  };
}

/** As `finder`, once. */
export function finds(source: string, flags: string, text: string): boolean {
  return findsMatch(compiledOf(source, flags), source, flags, text);
}

function findsMatch(compiled: Compiled, source: string, flags: string, text: string): boolean {
  if (isHarmless(compiled, text.length)) return compiled.regex.test(text);
  if (compiled.linear === null) compiled.linear = LinearRegex.of(source, flags);
  const { linear } = compiled;
  if (linear !== undefined && linear.size * text.length <= 10 * MOST_STEPS) return linear.test(text);
  return awaited(source, flags, text, false) as boolean;
}

/** Throws a RiftError when the pattern is malformed. */
export function checkPattern(source: string, flags: string): void {
  compiledOf(source, flags);
}

/** Whether a pattern can make a text wait for a worker at all (or, for `except`, any text of usual length). */
export function mayWait(source: string, flags: string, replaces: boolean): boolean {
  const compiled = compiledOf(source, flags);
  if (isHarmless(compiled, LONG_TEXT)) return false;
  return replaces || LinearRegex.of(source, flags) === undefined;
}

/** The first match and its groups, null when there is none; a promise when a worker has to find out. */
export function firstMatch(
  source: string,
  flags: string,
  text: string,
): RegexGroups | null | Promise<RegexGroups | null> {
  const compiled = compiledOf(source, flags);
  if (isHarmless(compiled, text.length)) return compiled.regex.exec(text);
  return inRegexWorker({ source, flags, text, replaces: false, groups: true });
}

/** A function that removes every match of a pattern. It throws a RiftError when the pattern does not compile. */
export function stripper(source: string, flags: string): (text: string) => string {
  return (text) => {
    const compiled = compiledOf(source, flags);
    if (isHarmless(compiled, text.length)) return text.replace(compiled.regex, '');
    return awaited(source, flags, text, true) as string;
  };
}

// Verdicts of the worker, for the evaluation that starts again; the oldest go first.
const verdicts = new Map<string, { value: boolean | string } | { error: RiftError }>();

function awaited(source: string, flags: string, text: string, replaces: boolean): boolean | string {
  const key = JSON.stringify([source, flags, replaces, text]);
  const verdict = verdicts.get(key);
  if (verdict !== undefined) {
    if ('error' in verdict) {
      verdicts.delete(key);
      throw verdict.error;
    }
    return verdict.value;
  }
  const remember = (found: { value: boolean | string } | { error: RiftError }) => {
    for (const oldest of verdicts.keys()) {
      if (verdicts.size < MOST_VERDICTS) break;
      verdicts.delete(oldest);
    }
    verdicts.set(key, found);
  };
  throw new Waiting(
    inRegexWorker({ source, flags, text, replaces }).then(
      (value) => remember({ value }),
      (error: RiftError) => remember({ error }),
    ),
  );
}
