// What a selector needs of a document to find anything: names that must be in it, values that members or attributes must
// have. Cheap to look for in one walk, however many selectors there are. Selectors beyond the grammars below need nothing
// that is known.

/** What is true of the document whenever a JSONPath finds something. */
export interface JsonNeeds {
  /** Members that must be there, at any depth. */
  readonly names: readonly string[];
  /** Of each of these members some value must have this text, as `looseTexts` gives texts. */
  readonly values: readonly (readonly [name: string, text: string])[];
  /** What is found: values of the member of this name, or elements of it. */
  readonly last: { readonly name: string; readonly elements: boolean } | undefined;
}

const jsonStep =
  /\.\.?(?:(?<name>[A-Za-z_]\w*)|\*)|\.\.(?=\[)|\['(?<single>[A-Za-z_]\w*)'\]|\["(?<double>[A-Za-z_]\w*)"\]|\[(?:\*|-?\d+(?:,-?\d+)*|-?\d*:-?\d*(?::-?\d*)?)\]|\[\?\((?<filter>(?:[^()[\]'"]|'[^'\\]*'|"[^"\\]*")*)\)\]/y;

/** The needs of a JSONPath; undefined when nothing is known. */
export function jsonNeeds(selector: string): JsonNeeds | undefined {
  if (!selector.startsWith('$')) return undefined;
  const names: string[] = [];
  const values: (readonly [string, string])[] = [];
  let last: JsonNeeds['last'];
  jsonStep.lastIndex = 1;
  while (jsonStep.lastIndex < selector.length) {
    const groups = jsonStep.exec(selector)?.groups;
    if (groups === undefined) return undefined;
    const name = groups.name ?? groups.single ?? groups.double;
    if (name === undefined) {
      last =
        last === undefined || last.elements || selector[jsonStep.lastIndex - 1] !== ']'
          ? undefined
          : { ...last, elements: true };
      if (groups.filter !== undefined) addFilterNeeds(groups.filter, names, values);
    } else if (name !== 'length') {
      names.push(name);
      last = { name, elements: false };
    } else {
      last = undefined;
    }
  }
  return names.length === 0 ? undefined : { names, values, last };
}

const comparison = /^\s*@((?:\.[A-Za-z_]\w*)+)\s*(?:(===?|>=?|<=?)\s*('[^']*'|"[^"]*"|\d+(?:\.\d+)?|true)\s*)?$/;

/** A filter of comparisons that must all hold. */
function addFilterNeeds(filter: string, names: string[], values: (readonly [string, string])[]): void {
  const bare = filter.replace(/'[^']*'|"[^"]*"/g, "''");
  if (/[?:;,|]/.test(bare)) return;
  // a text may have the operator in it
  const parts = filter.match(/(?:'[^']*'|"[^"]*"|[^&'"]|&(?!&))+/g) ?? [];
  for (const part of parts) {
    const found = comparison.exec(part);
    const path = found?.[1].slice(1).split('.');
    if (path === undefined || !path.every(isOwnName)) continue;
    names.push(...path);
    const literal = found?.[3];
    if (literal === undefined || !found![2].startsWith('==')) continue;
    const text = looseLiteral(literal);
    if (text !== undefined) values.push([path[path.length - 1], text]);
  }
}

/** Names that filters find as own members of JSON objects only: not those of arrays, texts or prototypes. */
function isOwnName(name: string): boolean {
  return [{}, [], '', 0, false].every((value) => !(name in Object(value)));
}

/** The text that a value equal (`==`) to a literal has among its `looseTexts`; undefined for literals that `''` equals. */
function looseLiteral(literal: string): string | undefined {
  if (literal === 'true') return '1';
  const text = /^['"]/.test(literal) ? literal.slice(1, -1) : literal;
  // arrays equal the text of their elements, joined by commas
  if (text.includes(',') || text.trim() === '' || text.startsWith('[object')) return undefined;
  const number = Number(text);
  if (Number.isNaN(number)) return text;
  return number === 0 ? undefined : String(number);
}

/** The number that a scalar counts as where JavaScript compares loosely, if its text is another one. */
export function looseNumber(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value !== 'string' || value === '') return undefined;
  const first = value.charCodeAt(0);
  if (first > 0x39 && first < 0x80) return undefined;
  const number = Number(value);
  return Number.isNaN(number) || String(number) === value ? undefined : String(number);
}

/** What is true of the document whenever an XPath finds something. */
export interface XmlNeeds {
  /** Elements that must be there, by local name. */
  readonly names: readonly string[];
  /** A wider selector that finds at least as much; undefined when it would be the same. */
  readonly wider: string | undefined;
  /** Selectors of attributes, and a value that one of these attributes must have. */
  readonly attributes: readonly (readonly [selector: string, value: string])[];
}

const xmlStep =
  /(?<slash>\/\/?)(?:(?:(?<prefix>[A-Za-z_][\w.-]*):)?(?<name>[A-Za-z_][\w.-]*)(?![\w.:(-])|@(?<attribute>[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?)(?![\w.:(-])|\*|text\(\))(?<filters>(?:\[(?:[^[\]'"]|'[^']*'|"[^"]*")*\])*)/y;

const xmlFilter = /\[(?:[^[\]'"]|'[^']*'|"[^"]*")*\]/g;
const attributeFilter = /^\[@([A-Za-z_][\w.-]*)=(?:'([^']*)'|"([^"]*)")\]$/;

/** The needs of an XPath; undefined when nothing is known. */
export function xmlNeeds(written: string): XmlNeeds | undefined {
  const selector = written.trim();
  const names: string[] = [];
  const attributes: (readonly [string, string])[] = [];
  let wider = '';
  xmlStep.lastIndex = 0;
  while (xmlStep.lastIndex < selector.length) {
    const begin = xmlStep.lastIndex;
    const groups = xmlStep.exec(selector)?.groups;
    if (groups === undefined) return undefined;
    const { name, filters } = groups;
    if (name !== undefined) names.push(name);
    wider += selector.slice(begin, xmlStep.lastIndex - filters.length);
    for (const [filter] of filters.matchAll(xmlFilter)) {
      const found = attributeFilter.exec(filter);
      if (found !== null) attributes.push([`${wider}/@${found[1]}`, found[2] ?? found[3]]);
    }
  }
  return { names, wider: wider === selector ? undefined : wider, attributes };
}
