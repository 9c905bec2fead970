// Predicates from a request, as the `predicateGenerators` of a proxy ask for (Mountebank docs: proxies). What the
// documentation promises and Mountebank does not keep is kept here: arrays, JSON bodies, `ignore`, `predicateOperator`,
// fields that the request lacks, header names in any case.

import { type Logger, silentLogger } from '../../logger.js';
import { parseJson } from '../../matching/json-text.js';
import { selectJson } from '../../matching/jsonpath.js';
import { type Members, setMember } from '../../matching/members.js';
import { parseXml, warnOfBrokenXml } from '../../matching/xml.js';
import { xpathSelector } from '../../matching/xpath.js';
import type { JsonObject, PredicateJson, RequestJson } from '../../model/types.js';

/** Runs the function of a generator's `inject`. */
export type GeneratorScript = (source: string, request: RequestJson) => Promise<PredicateJson[]>;

/** Keys of a generator that are not parameters of the predicates it makes. */
const OWN_KEYS = new Set(['matches', 'predicateOperator', 'ignore']);

/**
 * The predicates of all generators for one request, in order of the generators and of the keys of `matches`.
 * A promise only when a generator has an `inject`. Rejects with what the script rejects with;
 * throws a RiftError for a malformed XPath selector.
 */
export function generatePredicates(
  generators: readonly JsonObject[],
  request: RequestJson,
  runScript: GeneratorScript,
  logger: Logger = silentLogger,
): PredicateJson[] | Promise<PredicateJson[]> {
  if (generators.some((generator) => generator.inject))
    return generateWithScripts(generators, request, runScript, logger);
  return generators.flatMap((generator) => fromMatches(generator, request, logger));
}

async function generateWithScripts(
  generators: readonly JsonObject[],
  request: RequestJson,
  runScript: GeneratorScript,
  logger: Logger,
): Promise<PredicateJson[]> {
  const all: PredicateJson[] = [];
  for (const generator of generators) {
    const { inject } = generator;
    all.push(...(inject ? await runScript(String(inject), request) : fromMatches(generator, request, logger)));
  }
  return all;
}

function fromMatches(generator: JsonObject, request: RequestJson, logger: Logger): PredicateJson[] {
  const { matches } = generator;
  if (!isPlainObject(matches)) return [];
  const parameters = Object.entries(generator).filter(([key]) => !OWN_KEYS.has(key));
  const operator = generator.predicateOperator;
  const predicates: PredicateJson[] = [];
  for (const [field, wanted] of Object.entries(matches)) {
    const whole = wanted === true;
    if (!whole && !isPlainObject(wanted)) continue;
    const predicate: Members = Object.fromEntries(parameters);
    const value = request[field];
    if (value === undefined) {
      predicate.exists = single(field, false);
    } else {
      const kept = whole
        ? wholeField(generator, field, value, logger)
        : pick(generator, field, value, wanted as Members, logger);
      const name = typeof operator === 'string' && operator !== '' ? operator : whole ? 'deepEquals' : 'equals';
      setMember(predicate, name, single(field, name === 'exists' ? everyLeafTrue(kept) : kept));
    }
    predicates.push(predicate as PredicateJson);
  }
  return predicates;
}

function wholeField(generator: JsonObject, field: string, value: unknown, logger: Logger): unknown {
  if (hasSelector(generator)) return select(generator, value, logger);
  const { ignore } = generator;
  return isPlainObject(ignore) ? without(value, ignore[field], field === 'headers') : value;
}

/** The members of `value` that `wanted` names, under the names they have there. */
function pick(generator: JsonObject, field: string, value: unknown, wanted: Members, logger: Logger): Members {
  if (typeof value !== 'string') return pickMembers(generator, value, wanted, field === 'headers', logger);
  // a JSON text is looked into; a selector chooses first, so that a predicate with that selector finds the same
  const parsed = hasSelector(generator) ? select(generator, value, logger) : parseJson(value);
  return pickMembers({}, parsed, wanted, false, logger);
}

function pickMembers(
  generator: JsonObject,
  value: unknown,
  wanted: Members,
  anyCase: boolean,
  logger: Logger,
): Members {
  const picked: Members = {};
  if (!isPlainObject(value)) return picked;
  for (const [key, below] of Object.entries(wanted)) {
    for (const name of namesIn(value, key, anyCase)) {
      const found = value[name];
      const kept =
        isPlainObject(below) && isPlainObject(found)
          ? pickMembers(generator, found, below, false, logger)
          : hasSelector(generator)
            ? select(generator, found, logger)
            : found;
      setMember(picked, name, kept);
    }
  }
  return picked;
}

/** The names under which `value` has the key: the key itself, else (for headers) its other spellings. */
function namesIn(value: Members, key: string, anyCase: boolean): string[] {
  if (Object.hasOwn(value, key)) return [key];
  if (!anyCase) return [];
  const folded = key.toLowerCase();
  return Object.keys(value).filter((name) => name.toLowerCase() === folded);
}

/** A copy without the ignored keys: one name, a list of names, or an object of these one level deeper. */
function without(value: unknown, ignored: unknown, anyCase: boolean): unknown {
  if (!isPlainObject(value) || !ignored) return value;
  const nested = isPlainObject(ignored) ? ignored : undefined;
  const fold = (name: string) => (anyCase ? name.toLowerCase() : name);
  const dropped = new Set(nested ? [] : [ignored].flat().map((name) => fold(String(name))));
  const kept: Members = {};
  for (const [name, member] of Object.entries(value)) {
    if (dropped.has(fold(name))) continue;
    setMember(kept, name, nested && Object.hasOwn(nested, name) ? without(member, nested[name], false) : member);
  }
  return kept;
}

function hasSelector(generator: JsonObject): boolean {
  return isPlainObject(generator.jsonpath) || isPlainObject(generator.xpath);
}

/** What the generator's selector finds in a text: nothing is an empty text, one result is itself, several are an array. */
function select(generator: JsonObject, value: unknown, logger: Logger): unknown {
  const found = typeof value === 'string' ? selected(generator, value, logger) : [];
  return found.length === 0 ? '' : found.length === 1 ? found[0] : found;
}

function selected(generator: JsonObject, text: string, logger: Logger): readonly unknown[] {
  const { jsonpath, xpath } = generator;
  if (isPlainObject(jsonpath)) return selectJson(String(jsonpath.selector), parseJson(text));
  const { selector, ns } = xpath as JsonObject;
  const namespaces = isPlainObject(ns) ? (ns as { [prefix: string]: string }) : {};
  const document = parseXml(text, false);
  warnOfBrokenXml(document, text, logger);
  return xpathSelector(String(selector), namespaces).evaluate(document);
}

function everyLeafTrue(value: unknown): unknown {
  if (!isPlainObject(value)) return true;
  const marked: Members = {};
  for (const [name, member] of Object.entries(value)) setMember(marked, name, everyLeafTrue(member));
  return marked;
}

function single(name: string, value: unknown): Members {
  const object: Members = {};
  setMember(object, name, value);
  return object;
}

function isPlainObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
