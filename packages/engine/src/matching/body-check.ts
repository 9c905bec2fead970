// Checks of object operands on bodies that are JSON, for what most bodies are: objects in objects. They look at what was
// parsed as it stands, and leave to the general rules whatever they cannot tell: arrays, JSON inside a text, escapes.

import { ByteText } from './binary.js';
import { isFastHttpView } from './fast-http-view.js';
import type { LeafTest } from './leaf.js';
import { isObject, type Members } from './members.js';
import { needsMapping, openedReading } from './normalise.js';
import type { ScalarOperator } from './operators.js';
import type { Parameters } from './parameters.js';

/** The operators but `deepEquals` and `exists`: every wanted member is there and holds. */
export function bodyCheck(
  expected: unknown,
  scalar: ScalarOperator,
  parameters: Parameters,
  general: LeafTest,
): LeafTest | undefined {
  const wanted = wantedMembers(expected);
  if (wanted === undefined) return undefined;
  return (view) => {
    const body = isFastHttpView(view) ? view.bodyReading : undefined;
    if (body === undefined) return general(view);
    const json = openedReading(parameters.foldValues ? body.folded : body, parameters);
    return membersHold(wanted, json, scalar) ?? general(view);
  };
}

/** Names and what is wanted of them, in turn: a scalar, or the same for an object. */
type Wanted = readonly (readonly [name: string, value: unknown, members: Wanted | undefined])[];

function wantedMembers(expected: unknown): Wanted | undefined {
  if (!isObject(expected) || Array.isArray(expected) || expected instanceof ByteText) return undefined;
  const wanted: [string, unknown, Wanted | undefined][] = [];
  for (const name of Object.keys(expected)) {
    const value = (expected as Members)[name];
    const members = isObject(value) ? wantedMembers(value) : undefined;
    if (isObject(value) && members === undefined) return undefined;
    wanted.push([name, value, members]);
  }
  return wanted;
}

/** undefined: the general rules have to decide. */
function membersHold(wanted: Wanted, actual: unknown, scalar: ScalarOperator): boolean | undefined {
  if (!isObject(actual) || Array.isArray(actual)) return undefined;
  for (let at = 0; at < wanted.length; at++) {
    const [name, expected, members] = wanted[at];
    const value = Object.hasOwn(actual, name) ? (actual as Members)[name] : undefined;
    if (members !== undefined) {
      const holds = membersHold(members, value, scalar);
      if (holds !== true) return holds;
    } else if (Array.isArray(value)) return undefined;
    else if (!scalar(expected, value === undefined ? '' : value)) return false;
  }
  return true;
}

/** `deepEquals`; `expected` has texts for scalars and names as the parameters want them. */
export function deepBodyCheck(expected: unknown, parameters: Parameters, general: LeafTest): LeafTest | undefined {
  const { base64, mode, strip } = parameters;
  if (base64 || strip !== undefined || mode.selector !== undefined) return undefined;
  const shape = shapeOf(expected);
  return (view) => {
    const body = isFastHttpView(view) ? view.bodyReading : undefined;
    if (body === undefined) return general(view);
    const reading = parameters.foldValues ? body.folded : body;
    if (reading.json === undefined || needsMapping(reading, parameters)) return general(view);
    return isShaped(shape, reading.json) ?? general(view);
  };
}

/** A text, the items of an array, or names and shapes in turn. */
type Shape = string | { readonly items: readonly Shape[] } | { readonly names: string[]; readonly shapes: Shape[] };

function shapeOf(expected: unknown): Shape {
  if (Array.isArray(expected)) return { items: expected.map(shapeOf) };
  if (!isObject(expected)) return String(expected);
  const names = Object.keys(expected);
  return { names, shapes: names.map((name) => shapeOf((expected as Members)[name])) };
}

/** undefined: the general rules have to decide. */
function isShaped(shape: Shape, actual: unknown): boolean | undefined {
  if (typeof shape === 'string') {
    return typeof actual === 'string' ? actual === shape : !isObject(actual) && String(actual) === shape;
  }
  if ('items' in shape) {
    const { items } = shape;
    if (!Array.isArray(actual) || actual.length !== items.length) return false;
    // the order does not count
    if (items.length > 1) return undefined;
    return items.length === 0 || isShaped(items[0], actual[0]);
  }
  if (!isObject(actual) || Array.isArray(actual)) return false;
  const { names, shapes } = shape;
  let members = 0;
  for (const _ in actual) members++;
  if (members !== names.length) return false;
  let holds: boolean | undefined = true;
  for (let at = 0; at < names.length; at++) {
    if (!Object.hasOwn(actual, names[at])) return false;
    const member = isShaped(shapes[at], (actual as Members)[names[at]]);
    if (member === false) return false;
    if (member === undefined) holds = undefined;
  }
  return holds;
}
