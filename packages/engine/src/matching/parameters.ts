// The parameters that stand beside a predicate's operator, and what each operator makes of them
// (docs/predicates.md, "Parameters").

import { RiftError } from '../errors.js';
import { type JsonSelector, jsonSelector } from './jsonpath.js';
import type { Mode, Selector } from './keys.js';
import { isObject, type Members, textOf } from './members.js';
import { stripper } from './regex.js';
import { type XpathSelector, xpathSelector } from './xpath.js';

export type LeafOperator = 'equals' | 'deepEquals' | 'contains' | 'startsWith' | 'endsWith' | 'matches' | 'exists';

/** How the two sides of one predicate are brought to a comparable form. */
export interface Parameters {
  /** Fold text values, and the raw text before JSON is parsed. */
  readonly foldValues: boolean;
  /** Fold names: fields, headers, query parameters, JSON keys. */
  readonly foldKeys: boolean;
  /** Removes every match of `except`. Throws a RiftError when the pattern does not compile. */
  readonly strip: ((text: string) => string) | undefined;
  /** Whether the operand is stripped too (not for `matches`). */
  readonly stripOperand: boolean;
  /** The JSONPath selector as it is applied (folded where that is the rule). */
  readonly jsonpath: JsonSelector | undefined;
  /** The JSONPath selector sees every scalar as its text (`deepEquals`). */
  readonly selectTexts: boolean;
  readonly xpath: XpathSelector | undefined;
  /** All that decides what a text of the request becomes: predicates with the same one share results and keys. */
  readonly mode: Mode;
  /** The mode as one text. */
  readonly identity: string;
  /** Under which names results are memoised that only depend on folding and `except`, and whole values. */
  readonly openedIdentity: string;
  readonly wholeIdentity: string;
  /** Flags of the pattern of `matches`. */
  readonly flags: string;
  /** Texts are bytes in base64 (tcp in binary mode). */
  readonly base64: boolean;
  /** What is wrong with the parameters: thrown when the predicate is evaluated. */
  readonly problem: RiftError | undefined;
}

/** Most predicates have no parameter but letter case, so that a handful of sets serves all of them. */
const shared = new Map<number, Parameters>();

export function parametersOf(predicate: Members, operator: LeafOperator, base64: boolean): Parameters {
  if (base64 || predicate.jsonpath || predicate.xpath || predicate.except) {
    return readParameters(predicate, operator, base64);
  }
  const { caseSensitive, keyCaseSensitive } = predicate;
  const key =
    (operator === 'matches' ? 1 : 0) +
    (caseSensitive ? 2 : 0) +
    (keyCaseSensitive === undefined ? 0 : keyCaseSensitive === false ? 4 : keyCaseSensitive ? 8 : 12);
  let parameters = shared.get(key);
  if (parameters === undefined) {
    parameters = readParameters(predicate, operator, false);
    shared.set(key, parameters);
  }
  return parameters;
}

function readParameters(predicate: Members, operator: LeafOperator, base64: boolean): Parameters {
  const matches = operator === 'matches';
  const exact = Boolean(predicate.caseSensitive);
  const keyCase = predicate.keyCaseSensitive === undefined || matches ? exact : Boolean(predicate.keyCaseSensitive);
  const foldValues = !exact && !matches;
  let xpath: XpathSelector | undefined;
  let selector: Selector | undefined;
  let problem: RiftError | undefined;
  try {
    if (base64) refuseInBinaryMode(predicate, operator);
    if (predicate.jsonpath) {
      const written = selectorOf(predicate, 'jsonpath');
      const jsonpath = keyCase ? written : written.toLowerCase();
      selector = { kind: 'jsonpath', selector: jsonpath, texts: operator === 'deepEquals' };
    } else if (predicate.xpath) {
      selector = xpathParameter(predicate, foldValues);
      xpath = xpathSelector(selector.selector, selector.namespaces);
    }
  } catch (error) {
    if (!(error instanceof RiftError)) throw error;
    problem = error;
  }
  const mode: Mode = {
    foldKeys: !exact || (!matches && predicate.keyCaseSensitive === false),
    foldValues,
    ...(predicate.except ? { except: [textOf(predicate.except), foldValues ? 'gi' : 'g'] } : {}),
    ...(selector === undefined ? {} : { selector }),
  };
  return { ...ofMode(mode), stripOperand: !matches, xpath, flags: exact ? '' : 'i', base64, problem };
}

/** The parameters that a mode stands for: how the index reads a request that no predicate in particular asks about. */
export function parametersOfMode(mode: Mode): Parameters {
  const { selector } = mode;
  const xpath = selector?.kind === 'xpath' ? xpathSelector(selector.selector, selector.namespaces) : undefined;
  return { ...ofMode(mode), stripOperand: true, xpath, flags: '', base64: false, problem: undefined };
}

/** What follows from the four modes without selector and `except`, made once: most predicates have one of them. */
const plainModes: (ReturnType<typeof derived> | undefined)[] = [];

function ofMode(mode: Mode): ReturnType<typeof derived> {
  if (mode.except !== undefined || mode.selector !== undefined) return derived(mode);
  const index = (mode.foldKeys ? 2 : 0) + (mode.foldValues ? 1 : 0);
  plainModes[index] ??= derived(mode);
  return plainModes[index];
}

function derived(mode: Mode) {
  const jsonpath = mode.selector?.kind === 'jsonpath' ? mode.selector : undefined;
  return {
    foldValues: mode.foldValues,
    foldKeys: mode.foldKeys,
    strip: mode.except === undefined ? undefined : stripper(...mode.except),
    mode,
    identity: JSON.stringify(mode),
    openedIdentity: JSON.stringify(['opened', mode.foldKeys, mode.foldValues, mode.except]),
    wholeIdentity: JSON.stringify(['whole', mode]),
    jsonpath: jsonpath === undefined ? undefined : jsonSelector(jsonpath.selector),
    selectTexts: jsonpath?.texts ?? false,
  };
}

function refuseInBinaryMode(predicate: Members, operator: LeafOperator): void {
  if (operator === 'matches') {
    throw new RiftError('bad data', 'the matches predicate is not allowed in binary mode');
  }
  for (const parameter of ['jsonpath', 'xpath']) {
    if (predicate[parameter]) {
      throw new RiftError('bad data', `the ${parameter} predicate parameter is not allowed in binary mode`);
    }
  }
}

function selectorOf(predicate: Members, parameter: 'jsonpath' | 'xpath'): string {
  const value = predicate[parameter];
  const selector = isObject(value) ? (value as Members).selector : undefined;
  if (typeof selector !== 'string') {
    throw new RiftError('bad data', `the ${parameter} predicate parameter must be an object with a text "selector"`);
  }
  return selector;
}

/** Selector and prefixes as they are applied: folded like the document, prefixes as written. */
function xpathParameter(predicate: Members, fold: boolean) {
  const selector = selectorOf(predicate, 'xpath');
  const namespaces: { [prefix: string]: string } = {};
  const { ns } = predicate.xpath as Members;
  if (typeof ns === 'string') throw namespaceProblem();
  if (isObject(ns)) {
    for (const [prefix, uri] of Object.entries(ns)) {
      if (typeof uri !== 'string') throw namespaceProblem();
      namespaces[prefix] = fold ? uri.toLowerCase() : uri;
    }
  }
  return { kind: 'xpath', selector: fold ? selector.toLowerCase() : selector, namespaces } as const;
}

function namespaceProblem(): RiftError {
  return new RiftError('bad data', 'the "ns" of the xpath predicate parameter must be an object of texts');
}
