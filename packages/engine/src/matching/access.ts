// How the index reads a request: the texts of each key that conditions name (keys.ts says what they are). Written for
// speed where requests are hot: method, path, headers, query parameters and JSON members.

import type { Access, Extract, FamilyVisitor, Key } from '@rift-ts/classifier';
import type { RequestView } from '../request-view.js';
import { FlowIdSource } from '../state/flow-id.js';
import { type FastHttpView, foldedMethod, isFastHttpView } from './fast-http-view.js';
import { deepestFound, type Family, familyOf, noText, objectText, pathOf } from './keys.js';
import { isObject, type Members, memberOf, textOf } from './members.js';
import { openedReading, openedText, requestField, selectable, wholeValue } from './normalise.js';
import { type Parameters, parametersOfMode } from './parameters.js';
import { looseNumber } from './selector-needs.js';

type Texts = string | readonly string[] | undefined;
type Extractor = Extract<RequestView>;

/** Access to the keys that the conditions of predicates name. */
export const httpAccess: Access<RequestView> = {
  extractor(key) {
    const family = familyOf(key.family);
    return extractorOf(family, key, parametersOfMode(family.mode));
  },
  enumerator(name) {
    const family = familyOf(name);
    if (family.kind === 'found' || family.kind === 'named') {
      const parameters = parametersOfMode(family.mode);
      const plain = parametersOfMode({ ...family.mode, selector: undefined });
      if (family.kind === 'named') return (view, visitor) => visitNamed(selectedFrom(view, plain, parameters), visitor);
      return (view, visitor) => visitFound(selectedFrom(view, plain, parameters), '', 1, visitor);
    }
    if (family.kind === 'element') return (view, visitor) => visitTags(bodyOf(view, family.mode.foldValues), visitor);
    if (family.kind !== 'member' || family.mode.selector !== undefined) return undefined;
    const parameters = parametersOfMode(family.mode);
    const field = family.field ?? '';
    if (family.shallow) {
      const { foldKeys, foldValues, mode } = parameters;
      const visitAll = foldKeys && mode.except === undefined ? visitsOf(field) : undefined;
      const folding = foldValues ? new FoldingVisitor() : undefined;
      return (view, visitor) => {
        if (visitAll !== undefined && isFastHttpView(view)) visitAll(view, folding?.of(visitor) ?? visitor);
        else visitMembers(requestField(view, field, parameters), visitor);
      };
    }
    if (field !== 'body') return undefined;
    return (view, visitor) => visitTree(requestField(view, field, parameters), '', parameters, view, visitor);
  },
  cost(key) {
    const { kind, field, mode } = familyOf(key.family);
    if (kind === 'found' || kind === 'element') return 4;
    if (kind === 'flow') return 1;
    if (kind === 'named') return 5;
    if (kind === 'selected' || kind === 'attribute') return mode.selector?.kind === 'xpath' ? 6 : 5;
    const name = field ?? key.name;
    if (name === 'method' || name === 'path' || name === 'ip') return 0;
    if (name === 'headers' || name === 'requestfrom' || name === 'requestFrom') return 1;
    if (name === 'query') return 2;
    if (name === 'form' || (kind === 'value' && name === 'body')) return 3;
    return 4;
  },
};

/** How all names of a field are visited folded, of fields that have names and whose maps need not be made for that. */
function visitsOf(field: string): ((view: FastHttpView, visitor: FamilyVisitor) => void) | undefined {
  if (field === 'headers') return (view, visitor) => view.visitHeaders(visitor);
  if (field === 'query') return (view, visitor) => view.visitQuery(visitor);
  return field === 'form' ? (view, visitor) => view.visitForm(visitor) : undefined;
}

/** Hands texts on folded, when they are asked for. */
class FoldingVisitor implements FamilyVisitor {
  #visitor: FamilyVisitor | undefined;

  of(visitor: FamilyVisitor): this {
    this.#visitor = visitor;
    return this;
  }

  name(name: string): boolean {
    return this.#visitor!.name(name);
  }

  text(text: string): void {
    this.#visitor!.text(text.toLowerCase());
  }
}

/** The texts that are visited under one name. */
class TextsOfName implements FamilyVisitor {
  readonly #name: string;
  found: string[] | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  name(name: string): boolean {
    return name === this.#name;
  }

  text(text: string): void {
    if (this.found === undefined) this.found = [text];
    else this.found.push(text);
  }
}

function extractorOf({ kind, field }: Family, { name }: Key, parameters: Parameters): Extractor {
  switch (kind) {
    case 'value':
    case 'selected':
      return valueExtractor(name, parameters);
    case 'attribute': {
      const plain = parametersOfMode({ ...parameters.mode, selector: undefined });
      const selected = valueExtractor(name, parameters);
      return (view) => {
        const value = requestField(view, name, plain);
        return value === undefined || typeof value === 'string' ? selected(view) : noText;
      };
    }
    case 'member':
      return memberExtractor(field ?? '', name, parameters);
    case 'whole':
      return (view) => wholeValue(view, name, parameters);
    case 'found': {
      const plain = parametersOfMode({ ...parameters.mode, selector: undefined });
      const names = pathOf(name);
      return (view) => {
        let value = selectedFrom(view, plain, parameters);
        for (const step of names) value = isObject(value) && !Array.isArray(value) ? memberOf(value, step) : undefined;
        return textsOf(value);
      };
    }
    case 'named': {
      const plain = parametersOfMode({ ...parameters.mode, selector: undefined });
      return (view) => {
        const texts = new TextsOfName(name);
        visitNamed(selectedFrom(view, plain, parameters), texts);
        return texts.found;
      };
    }
    case 'items':
      return (view) => itemsOf(requestField(view, name, parameters), parameters, view);
    case 'flow': {
      const source = new FlowIdSource(`header:${name}`);
      return (view) => source.named(view);
    }
    case 'element': {
      const { foldValues } = parameters;
      return (view) => {
        const texts = new TextsOfName(name);
        visitTags(bodyOf(view, foldValues), texts);
        return texts.found;
      };
    }
    case 'irregular':
      return (view) => (isIrregular(requestField(view, name, parameters)) ? '' : undefined);
  }
}

function valueExtractor(name: string, parameters: Parameters): Extractor {
  const general: Extractor = (view) => textsOf(requestField(view, name, parameters));
  const { mode, foldKeys, foldValues } = parameters;
  if (mode.except !== undefined || mode.selector !== undefined) return general;
  if (name === 'path' && foldKeys && foldValues) {
    return (view) => (isFastHttpView(view) ? view.foldedPath : general(view));
  }
  if (name === 'path' && !foldValues) return (view) => (isFastHttpView(view) ? view.path : general(view));
  if (name === 'method') {
    return (view) => {
      if (!isFastHttpView(view)) return general(view);
      return foldValues ? foldedMethod(view.method) : view.method;
    };
  }
  return general;
}

function memberExtractor(field: string, name: string, parameters: Parameters): Extractor {
  const path = pathOf(name);
  const general: Extractor = (view) => {
    const found: string[] = [];
    collect(requestField(view, field, parameters), path, 0, false, parameters, view, found);
    return found.length === 0 ? undefined : found;
  };
  const { mode, foldKeys, foldValues } = parameters;
  if (mode.except !== undefined || mode.selector !== undefined) return general;
  if (field === 'body') {
    return (view) => {
      const body = isFastHttpView(view) ? view.bodyReading : undefined;
      if (body === undefined) return general(view);
      let value = openedReading(parameters.foldValues ? body.folded : body, parameters);
      for (let at = 0; at < path.length; at++) {
        if (isObject(value) && !Array.isArray(value)) {
          if (!Object.hasOwn(value, path[at])) return undefined;
          value = (value as Members)[path[at]];
          continue;
        }
        if (at === 0 && !isObject(value)) return undefined;
        const found: string[] = [];
        collect(value, path, at, at === 0, parameters, view, found);
        return found.length === 0 ? undefined : found;
      }
      return textsOf(value);
    };
  }
  if (path.length > 1 || !foldKeys) return general;
  const fold = (value: string | readonly string[] | undefined): Texts => {
    if (value === undefined || !foldValues) return value;
    return typeof value === 'string' ? value.toLowerCase() : value.map((text) => text.toLowerCase());
  };
  if (field === 'headers') {
    return (view) => (isFastHttpView(view) ? fold(view.foldedHeader(name)) : general(view));
  }
  if (field === 'query') return (view) => (isFastHttpView(view) ? fold(view.foldedQuery(name)) : general(view));
  if (field === 'form') return (view) => (isFastHttpView(view) ? fold(view.foldedForm(name)) : general(view));
  return general;
}

/** The texts that a scalar operand is compared with. */
function textsOf(value: unknown): Texts {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return textOf(value);
  return value.length === 0 ? '' : value.map((item) => (item === undefined ? '' : textOf(item)));
}

/**
 * Collects the texts of the member at `path`. Elements of arrays are looked into (the array's brackets may be left out
 * in predicates), and texts that are JSON are opened.
 */
function collect(
  value: unknown,
  path: readonly string[],
  at: number,
  opened: boolean,
  parameters: Parameters,
  view: RequestView,
  found: string[],
): void {
  if (at === path.length) {
    const texts = textsOf(value);
    if (typeof texts === 'string') found.push(texts);
    else if (texts !== undefined) found.push(...texts);
    return;
  }
  if (typeof value === 'string') {
    if (opened || value === '') return;
    const json = openedText(value, parameters, view);
    if (isObject(json)) collect(json, path, at, true, parameters, view, found);
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) collect(item, path, at, false, parameters, view, found);
    return;
  }
  if (isObject(value) && Object.hasOwn(value, path[at])) {
    collect((value as Members)[path[at]], path, at + 1, false, parameters, view, found);
  }
}

/** Whether a value has arrays in it: a member may then be missing in one place and present in another. */
function isIrregular(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('[');
  if (Array.isArray(value)) return true;
  return isObject(value) && Object.values(value).some(isIrregular);
}

function visitMembers(value: unknown, visitor: FamilyVisitor): void {
  if (!isObject(value) || Array.isArray(value)) return;
  for (const name of Object.keys(value)) if (visitor.name(name)) visitTexts((value as Members)[name], visitor);
}

function visitTexts(value: unknown, visitor: FamilyVisitor): void {
  const texts = textsOf(value);
  if (typeof texts === 'string') visitor.text(texts);
  else if (texts !== undefined) for (const text of texts) visitor.text(text);
}

/** What JSONPath selectors look into: the JSON of a text body. */
function selectedFrom(view: RequestView, plain: Parameters, parameters: Parameters): unknown {
  const body = requestField(view, 'body', plain);
  return typeof body === 'string' ? selectable(body, parameters, view) : undefined;
}

/** Visits the members of objects as a JSONPath of names finds them: arrays and texts are not looked into. `before`: as below. */
function visitFound(value: unknown, before: string, depth: number, visitor: FamilyVisitor): void {
  if (!isObject(value) || Array.isArray(value)) return;
  for (const key of Object.keys(value)) {
    const member = (value as Members)[key];
    const name = before + key;
    if (visitor.name(name)) visitTexts(member, visitor);
    if (depth < deepestFound) visitFound(member, `${name}\0`, depth + 1, visitor);
  }
}

function bodyOf(view: RequestView, folded: boolean): string {
  const body = isFastHttpView(view) ? view.bodyReading?.text : view.field('body');
  if (typeof body !== 'string') return '';
  return folded ? body.toLowerCase() : body;
}

/** Visits the members of all objects; with a stack of its own, since bodies may be nested deeper than calls can be. */
function visitNamed(json: unknown, visitor: FamilyVisitor): void {
  if (!isObject(json)) return;
  const ahead: (Members | unknown[])[] = [json];
  for (let value = ahead.pop(); value !== undefined; value = ahead.pop()) {
    if (Array.isArray(value)) {
      for (const item of value) if (isObject(item)) ahead.push(item);
      continue;
    }
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (visitor.name(name)) visitNamedTexts(member, 0, visitor);
      if (isObject(member)) ahead.push(member);
    }
  }
}

function visitNamedTexts(value: unknown, depth: number, visitor: FamilyVisitor): void {
  visitor.text(value === undefined ? '' : textOf(value));
  if (!isObject(value)) {
    const number = looseNumber(value);
    if (number !== undefined) visitor.text(number);
  } else if (!Array.isArray(value)) {
    visitor.text(objectText);
  } else if (depth < 2) {
    for (const item of value) visitNamedTexts(item, depth + 1, visitor);
  }
}

/** What an array operand may be compared with where a text is JSON: elements, or members named like positions. */
function itemsOf(value: unknown, parameters: Parameters, view: RequestView): Texts {
  const json = typeof value === 'string' ? openedText(value, parameters, view) : value;
  if (!isObject(json)) return undefined;
  const found: string[] = [];
  for (const key of Object.keys(json)) {
    if (!Array.isArray(json) && !/^\d/.test(key)) continue;
    const texts = textsOf((json as Members)[key]);
    if (typeof texts === 'string') found.push(texts);
    else if (texts !== undefined) found.push(...texts);
  }
  return found;
}

/** Visits the names behind every `<`, prefixes too: no fewer than an XML reader finds elements of. */
function visitTags(text: string, visitor: FamilyVisitor): void {
  for (let open = text.indexOf('<'); open >= 0; open = text.indexOf('<', open + 1)) {
    let begin = open + 1;
    for (let at = begin; ; at++) {
      const unit = at < text.length ? text.charCodeAt(at) : END_OF_TEXT;
      if (unit < 0x80 && nameUnits[unit] === 1) continue;
      if (at > begin && visitor.name(text.slice(begin, at))) visitor.text('');
      begin = at + 1;
      // only letters that are no ASCII, and the colon behind a prefix, go on with the name
      if (unit < 0x80 && unit !== COLON) break;
    }
  }
}

const END_OF_TEXT = 0;
const COLON = 0x3a;
/** Letters, digits, `_`, `.` and `-`. */
const nameUnits = Uint8Array.from({ length: 0x80 }, (_, unit) => Number(/[\w.-]/.test(String.fromCharCode(unit))));

/**
 * Visits every member at every depth under its path, as `collect` would find it. `before`: what stands before its name, the
 * names above it and their separators (the empty name is a name, too).
 */
function visitTree(
  value: unknown,
  before: string,
  parameters: Parameters,
  view: RequestView,
  visitor: FamilyVisitor,
): void {
  if (typeof value === 'string') {
    if (!/^\s*[[{\ufeff]/.test(value)) return;
    const json = openedText(value, parameters, view);
    if (isObject(json)) visitTree(json, before, parameters, view, visitor);
  } else if (Array.isArray(value)) {
    for (const item of value) visitTree(item, before, parameters, view, visitor);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const member = (value as Members)[key];
      const name = before + key;
      if (visitor.name(name)) visitTexts(member, visitor);
      if (isObject(member) || typeof member === 'string') visitTree(member, `${name}\0`, parameters, view, visitor);
    }
  }
}
