// How the index reads a request: the texts of each key that conditions name (keys.ts says what they are). Written for
// speed where requests are hot: method, path, headers, query parameters and JSON members.

import type { Access, Extract, Key } from '@rift-ts/classifier';
import type { RequestView } from '../request-view.js';
import { isFastHttpView } from './fast-http-view.js';
import { deepestFound, type Family, familyOf, noText, pathOf } from './keys.js';
import { isObject, type Members, memberOf, textOf } from './members.js';
import { openedReading, openedText, requestField, selectable, wholeValue } from './normalise.js';
import { type Parameters, parametersOfMode } from './parameters.js';

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
    if (family.kind === 'found') {
      const parameters = parametersOfMode(family.mode);
      const plain = parametersOfMode({ ...family.mode, selector: undefined });
      return (view, visit) => visitFound(selectedFrom(view, plain, parameters), '', 1, visit);
    }
    if (family.kind === 'element') return (view, visit) => visitTags(bodyOf(view, family.mode.foldValues), visit);
    if (family.kind !== 'member' || family.mode.selector !== undefined) return undefined;
    const parameters = parametersOfMode(family.mode);
    const field = family.field ?? '';
    if (family.shallow) return (view, visit) => visitMembers(requestField(view, field, parameters), visit);
    if (field !== 'body') return undefined;
    return (view, visit) => visitTree(requestField(view, field, parameters), '', parameters, view, visit);
  },
  cost(key) {
    const { kind, field, mode } = familyOf(key.family);
    if (kind === 'found' || kind === 'element') return 4;
    if (kind === 'selected' || kind === 'attribute') return mode.selector?.kind === 'xpath' ? 6 : 5;
    const name = field ?? key.name;
    if (name === 'method' || name === 'path' || name === 'ip') return 0;
    if (name === 'headers' || name === 'requestfrom' || name === 'requestFrom') return 1;
    if (name === 'query') return 2;
    if (name === 'form' || (kind === 'value' && name === 'body')) return 3;
    return 4;
  },
};

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
    case 'element': {
      const { foldValues } = parameters;
      return (view) => {
        let found: string | undefined;
        visitTags(bodyOf(view, foldValues), (tag) => {
          if (tag === name) found = '';
        });
        return found;
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
      return foldValues ? view.method.toLowerCase() : view.method;
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
        if (!isObject(value) || Array.isArray(value)) return general(view);
        if (!Object.hasOwn(value, path[at])) return undefined;
        value = (value as Members)[path[at]];
      }
      return Array.isArray(value) ? general(view) : textOf(value);
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

function visitMembers(value: unknown, visit: (name: string, text: string) => void): void {
  if (!isObject(value) || Array.isArray(value)) return;
  for (const name of Object.keys(value)) visitTexts(name, (value as Members)[name], visit);
}

function visitTexts(name: string, value: unknown, visit: (name: string, text: string) => void): void {
  const texts = textsOf(value);
  if (typeof texts === 'string') visit(name, texts);
  else if (texts !== undefined) for (const text of texts) visit(name, text);
}

/** What JSONPath selectors look into: the JSON of a text body. */
function selectedFrom(view: RequestView, plain: Parameters, parameters: Parameters): unknown {
  const body = requestField(view, 'body', plain);
  return typeof body === 'string' ? selectable(body, parameters, view) : undefined;
}

/** Visits the members of objects as a JSONPath of names finds them: arrays and texts are not looked into. */
function visitFound(value: unknown, path: string, depth: number, visit: (name: string, text: string) => void): void {
  if (!isObject(value) || Array.isArray(value)) return;
  for (const key of Object.keys(value)) {
    const member = (value as Members)[key];
    const name = path === '' ? key : `${path}\0${key}`;
    visitTexts(name, member, visit);
    if (depth < deepestFound) visitFound(member, name, depth + 1, visit);
  }
}

function bodyOf(view: RequestView, folded: boolean): string {
  const body = isFastHttpView(view) ? view.bodyReading?.text : view.field('body');
  if (typeof body !== 'string') return '';
  return folded ? body.toLowerCase() : body;
}

/** Visits the names behind every `<`: no fewer than an XML reader finds elements of. */
function visitTags(text: string, visit: (name: string, text: string) => void): void {
  for (const [, name] of text.matchAll(/<([A-Za-z_][\w.-]*)/g)) visit(name, '');
}

/** Visits every member at every depth under its path, as `collect` would find it. */
function visitTree(
  value: unknown,
  path: string,
  parameters: Parameters,
  view: RequestView,
  visit: (name: string, text: string) => void,
): void {
  if (typeof value === 'string') {
    if (!/^\s*[[{\ufeff]/.test(value)) return;
    const json = openedText(value, parameters, view);
    if (isObject(json)) visitTree(json, path, parameters, view, visit);
  } else if (Array.isArray(value)) {
    for (const item of value) visitTree(item, path, parameters, view, visit);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const member = (value as Members)[key];
      const name = path === '' ? key : `${path}\0${key}`;
      visitTexts(name, member, visit);
      if (isObject(member) || typeof member === 'string') visitTree(member, name, parameters, view, visit);
    }
  }
}
