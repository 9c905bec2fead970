// Plain XML and plain selectors, without a DOM: most bodies and selectors of XPath predicates are such. The reader takes
// a conservative subset (elements, attributes and text behind a usual declaration; no namespaces, entities, comments,
// CDATA or DTD) and gives up on everything else, which then goes the way of xmldom and xpath. Both ways must select the
// same (xml-subset.test.ts).
// Written for speed, and to leave little garbage: a request may bring thousands of elements.

interface PlainElement {
  readonly name: string;
  /** Names and values in turn. */
  readonly attributes: readonly string[];
  /** Its first child, when that is a text. */
  readonly text: string | undefined;
  /** Position in document order. */
  readonly order: number;
  /** Position behind its last descendant. */
  readonly end: number;
}

/** All elements in document order: the descendants of one stand behind it, up to its `end`. */
export type PlainDocument = readonly PlainElement[];

// Every character that XML or xmldom treats specially is left out: control characters, carriage returns, line ends of
// Unicode, surrogates, and what is no character at all.
const plainText = /^[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd]*$/;
const declaration =
  /^<\?xml version=(["'])1\.0\1(?: encoding=(["'])[A-Za-z][\w.-]*\2)?(?: standalone=(["'])(?:yes|no)\3)? ?\?>/;

const NAME_START = 1;
const NAME = 2;
const BLANK = 4;
/** What an ASCII character may be. */
const kinds = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z_]/.test(character)) kinds[code] = NAME_START | NAME;
  else if (/[\d.-]/.test(character)) kinds[code] = NAME;
  else if (/[ \t\n]/.test(character)) kinds[code] = BLANK;
}

const none: readonly string[] = [];

class Element implements PlainElement {
  /** As in the text: the closing tag must be spelled alike, whether names are folded or not. */
  readonly written: string;
  readonly name: string;
  readonly attributes: readonly string[];
  text: string | undefined = undefined;
  readonly order: number;
  end: number;

  constructor(written: string, name: string, attributes: readonly string[], order: number) {
    this.written = written;
    this.name = name;
    this.attributes = attributes;
    this.order = order;
    this.end = order + 1;
  }
}

/** The elements, or undefined when the text is not in the subset (which says nothing about its being XML). */
export function readPlainXml(text: string, fold: boolean): PlainDocument | undefined {
  if (text.charCodeAt(0) !== 0x3c || !plainText.test(text) || text.includes('&') || text.includes(']]>'))
    return undefined;
  return new Reader(text, fold).read();
}

class Reader {
  readonly #text: string;
  readonly #fold: boolean;
  #at = 0;
  readonly #elements: Element[] = [];
  readonly #open: Element[] = [];

  constructor(text: string, fold: boolean) {
    this.#text = text;
    this.#fold = fold;
    if (text.charCodeAt(1) === 0x3f) this.#at = declaration.exec(text)?.[0].length ?? 0;
  }

  read(): PlainDocument | undefined {
    const text = this.#text;
    while (this.#at < text.length) {
      if (text.charCodeAt(this.#at) !== 0x3c) {
        if (!this.#readText()) return undefined;
      } else if (!(text.charCodeAt(this.#at + 1) === 0x2f ? this.#readClosing() : this.#readOpening()))
        return undefined;
    }
    return this.#open.length === 0 && this.#elements.length > 0 ? this.#elements : undefined;
  }

  #readText(): boolean {
    const text = this.#text;
    const from = this.#at;
    const end = text.indexOf('<', from);
    this.#at = end < 0 ? text.length : end;
    const open = this.#open.at(-1);
    if (open === undefined) return !/[^\t\n ]/.test(text.slice(from, this.#at));
    // of the children of an element only the first is ever asked for
    if (open.text === undefined && open.order === this.#elements.length - 1) {
      open.text = this.#folded(from, this.#at);
    }
    return true;
  }

  #readClosing(): boolean {
    const element = this.#open.pop();
    if (element === undefined || !this.#text.startsWith(element.written, this.#at + 2)) return false;
    // not behind blanks: xmldom may take `</a >` for no end of `a`
    this.#at += 2 + element.written.length;
    element.end = this.#elements.length;
    return this.#text.charCodeAt(this.#at++) === 0x3e;
  }

  #readOpening(): boolean {
    if (this.#open.length === 0 && this.#elements.length > 0) return false;
    this.#at++;
    const from = this.#at;
    const written = this.#readName();
    if (written === '') return false;
    const name = this.#fold ? this.#folded(from, this.#at) : written;
    const attributes = this.#readAttributes();
    if (attributes === undefined) return false;
    const element = new Element(written, name, attributes, this.#elements.length);
    this.#elements.push(element);
    let code = this.#text.charCodeAt(this.#at++);
    if (code === 0x2f) code = this.#text.charCodeAt(this.#at++);
    else this.#open.push(element);
    return code === 0x3e;
  }

  /** The attributes up to the end of the tag; undefined when they are not plain. */
  #readAttributes(): readonly string[] | undefined {
    let found: string[] | undefined;
    while (this.#skipBlanks()) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x2f || code === 0x3e) break;
      const from = this.#at;
      const written = this.#readName();
      // an attribute of that name makes xmldom lose the tag
      if (written === '' || written === 'hasOwnProperty') return undefined;
      const name = this.#fold ? this.#folded(from, this.#at) : written;
      const value = this.#readValue();
      if (value === undefined) return undefined;
      if (found === undefined) found = [name, value];
      else {
        for (let at = 0; at < found.length; at += 2) if (found[at] === name) return undefined;
        found.push(name, value);
      }
    }
    return found ?? none;
  }

  /** What stands behind the equals sign, folded if everything is. */
  #readValue(): string | undefined {
    const text = this.#text;
    this.#skipBlanks();
    if (text.charCodeAt(this.#at) !== 0x3d) return undefined;
    this.#at++;
    this.#skipBlanks();
    const quote = text.charCodeAt(this.#at);
    if (quote !== 0x22 && quote !== 0x27) return undefined;
    const from = ++this.#at;
    for (; this.#at < text.length; this.#at++) {
      const code = text.charCodeAt(this.#at);
      if (code === quote) return this.#folded(from, this.#at++);
      if (code === 0x3c || code === 0x09 || code === 0x0a) return undefined;
    }
    return undefined;
  }

  /** A name of ASCII characters that does not begin with `xml`; empty when there is none. */
  #readName(): string {
    const text = this.#text;
    const from = this.#at;
    if ((kinds[text.charCodeAt(from)] & NAME_START) === 0) return '';
    let at = from + 1;
    while ((kinds[text.charCodeAt(at)] & NAME) !== 0) at++;
    this.#at = at;
    const name = text.slice(from, at);
    return (text.charCodeAt(from) | 0x20) === 0x78 && /^xml/i.test(name) ? '' : name;
  }

  /** Whether there were any. */
  #skipBlanks(): boolean {
    const from = this.#at;
    while ((kinds[this.#text.charCodeAt(this.#at)] & BLANK) !== 0) this.#at++;
    return this.#at > from;
  }

  /** A part of the text, folded if everything is. */
  #folded(from: number, to: number): string {
    const part = this.#text.slice(from, to);
    return this.#fold && this.#mayFold(from, to) ? part.toLowerCase() : part;
  }

  /** Most parts have nothing to fold, and to find that out here costs less than the call. */
  #mayFold(from: number, to: number): boolean {
    for (let at = from; at < to; at++) {
      const code = this.#text.charCodeAt(at);
      if ((code >= 0x41 && code <= 0x5a) || code >= 0x80) return true;
    }
    return false;
  }
}

interface Step {
  /** `//` instead of `/`. */
  readonly deep: boolean;
  /** An element's name, or `@` and an attribute's name. */
  readonly name: string;
  /** `[@name='value']`. */
  readonly where: readonly [name: string, value: string] | undefined;
}

/** A plain selector: gives the texts of the selected nodes in document order, as xpath.ts defines a node's text. */
export type PlainSelector = (document: PlainDocument) => readonly string[];

/** A selector of element names with an attribute's value, ending on an element or an attribute. */
export function plainSelector(selector: string): PlainSelector | undefined {
  if (
    !/^(?:\/\/?(?:[A-Za-z_][\w.-]*(?:\[@[A-Za-z_][\w.-]*=(?:'[^']*'|"[^"]*")\])?|@[A-Za-z_][\w.-]*$))+$/.test(selector)
  ) {
    return undefined;
  }
  const parts = selector.matchAll(/(\/\/?)(@?[\w.-]+)(?:\[@([\w.-]+)=(?:'([^']*)'|"([^"]*)")\])?/g);
  const steps = [...parts].map(
    ([, slashes, name, attributeName, single, double]): Step => ({
      deep: slashes === '//',
      name,
      where: attributeName === undefined ? undefined : [attributeName, single ?? double],
    }),
  );
  const last = steps[steps.length - 1];
  const ends = last.name.startsWith('@');
  const elements = ends ? steps.slice(0, -1) : steps;
  return (document) => {
    // The document itself is where a selector starts.
    let nodes: readonly Range[] = [{ order: -1, end: document.length }];
    for (const step of elements) nodes = elementsBelow(nodes, document, step);
    return ends ? attributeTexts(nodes, document, last) : (nodes as readonly PlainElement[]).map(elementText);
  };
}

/** An element, or the document: its descendants stand between. */
interface Range {
  readonly order: number;
  readonly end: number;
}

function elementsBelow(
  nodes: readonly Range[],
  document: PlainDocument,
  { deep, name, where }: Step,
): readonly PlainElement[] {
  const found: PlainElement[] = [];
  // nodes may lie inside each other: each descendant is looked at once
  let next = 0;
  for (const { order, end } of nodes) {
    next = deep ? Math.max(next, order + 1) : order + 1;
    while (next < end) {
      const element = document[next];
      if (element.name === name && (where === undefined || attributeOf(element, where[0]) === where[1])) {
        found.push(element);
      }
      next = deep ? next + 1 : element.end;
    }
  }
  // children of an outer node stand behind those of an inner one
  return deep || nodes.length < 2 ? found : found.sort((left, right) => left.order - right.order);
}

function attributeTexts(nodes: readonly Range[], document: PlainDocument, { deep, name }: Step): string[] {
  const found: string[] = [];
  let next = 0;
  for (const { order, end } of nodes) {
    // the document has none
    next = Math.max(next, order, 0);
    const last = deep ? end : Math.min(order + 1, end);
    for (; next < last; next++) {
      const value = attributeOf(document[next], name.slice(1));
      if (value !== undefined) found.push(value);
    }
  }
  return found;
}

function attributeOf({ attributes }: PlainElement, name: string): string | undefined {
  for (let at = 0; at < attributes.length; at += 2) if (attributes[at] === name) return attributes[at + 1];
  return undefined;
}

function elementText({ text }: PlainElement): string {
  return text ?? 'undefined';
}
