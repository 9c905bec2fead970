// The keys that conditions of predicates use, and what texts a request has for each (docs/predicates.md, "The index").
// Conditions are made from predicates (condition.ts), texts are read by access.ts; both follow what is written here.
//
// - `value`, name = field: the texts of a field that a scalar operand is compared with: a text itself, each element of
//   an array, the text form of everything else.
// - `member`, name = path below a field, parts joined by NUL: the same for a member of an object, of JSON in a text, and
//   of the elements of arrays, which are transparent.
// - `whole`, name = field: the order-free text of the whole value, JSON in a text opened: what `deepEquals` compares.
// - `irregular`, name = field: one text when the value has arrays in it: then a member can be missing in one place and
//   present in another.
// - `selected`, name = field: the texts of what a selector finds in a field.
// - `attribute`, name = field: the same, and `noText` when the field is there but is no text: then a predicate may hold
//   without anything selected.
// - `found`, name = names of a plain JSONPath (`$.a.b`): the texts of what it finds in the body. One family, so that any
//   number of different selectors costs one walk of the body.
// - `named`, name = name of an object's member at any depth of the JSON that JSONPath looks into: the texts of its values,
//   of their elements and of these elements' elements, numbers that they count as in loose comparisons, and `objectText`
//   for objects.
// - `element`, name = local name of an XML element: one text when a tag of that name is in the body.
// - `items`, name = field: the texts of the elements of a JSON array in a text, and of members named by positions.
// - `flow`, name = a header in lower case: its first value, which names the flow of a request.

import type { Key } from '@rift-ts/classifier';

export type KeyKind =
  | 'value'
  | 'member'
  | 'whole'
  | 'irregular'
  | 'selected'
  | 'attribute'
  | 'found'
  | 'named'
  | 'element'
  | 'items'
  | 'flow';

export const noText = '\0no text';
export const objectText = '\0object';

/** How the texts of a key are normalised: part of its family. */
export interface Mode {
  readonly foldKeys: boolean;
  readonly foldValues: boolean;
  /** Pattern of `except` and its flags. */
  readonly except?: readonly [source: string, flags: string];
  readonly selector?: Selector;
}

export type Selector =
  | { readonly kind: 'jsonpath'; readonly selector: string; readonly texts: boolean }
  | { readonly kind: 'xpath'; readonly selector: string; readonly namespaces: { readonly [prefix: string]: string } };

/** A family, taken apart. `field` is given for `member` only, where names are paths below it. */
export interface Family {
  readonly kind: KeyKind;
  readonly mode: Mode;
  readonly field?: string;
}

const separator = '\0';

/** Names of families by mode: modes are shared by many predicates, and making a name costs more than finding it. */
const families = new WeakMap<Mode, Map<string, string>>();

function familyName(mode: Mode, parts: string, make: () => string): string {
  let names = families.get(mode);
  if (names === undefined) {
    names = new Map();
    families.set(mode, names);
  }
  let name = names.get(parts);
  if (name === undefined) {
    name = make();
    names.set(parts, name);
  }
  return name;
}

export function keyOf(kind: KeyKind, mode: Mode, field: string): Key {
  return { family: familyName(mode, kind, () => JSON.stringify([kind, mode])), name: field };
}

/** Paths of one member of headers, query and form are a family that can be enumerated without opening values. */
export function memberKey(mode: Mode, field: string, path: readonly string[]): Key {
  const depth = path.length === 1 && field !== 'body' ? ['shallow'] : [];
  const family = familyName(mode, `member ${depth.length} ${field}`, () =>
    JSON.stringify(['member', mode, field, ...depth]),
  );
  return { family, name: path.join(separator) };
}

/** Deeper selectors are not part of the family, so that a walk of the body has an end. */
export const deepestFound = 32;

/** The names of a JSONPath that is nothing but names of object members, joined; undefined for every other. */
export function plainNames(selector: string): string | undefined {
  if (!/^\$(?:\.[A-Za-z_]\w*)+$/.test(selector)) return undefined;
  const names = selector.slice(2).split('.');
  // of arrays and texts `length` is a member, too
  return names.length > deepestFound || names.includes('length') ? undefined : names.join(separator);
}

type JsonSelection = Selector & { kind: 'jsonpath' };

/** A key of what is in the document, whatever a JSONPath looks for there: one family for all of them. */
export function documentKey(kind: 'found' | 'named', mode: Mode, selector: JsonSelection, name: string): Key {
  const whole: Mode = { ...mode, selector: { ...selector, selector: '$' } };
  return { family: JSON.stringify([kind, whole]), name };
}

export function elementKey({ foldValues }: Mode, name: string): Key {
  return { family: JSON.stringify(['element', { foldKeys: true, foldValues }]), name };
}

export function familyOf(family: string): Family & { readonly shallow: boolean } {
  const [kind, mode, field, shallow] = JSON.parse(family) as [KeyKind, Mode, string | undefined, string | undefined];
  return { kind, mode, field, shallow: shallow !== undefined };
}

export function pathOf(name: string): string[] {
  return name.split(separator);
}
