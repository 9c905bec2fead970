// Texts as XML, read as Mountebank reads them: by the 0.8 line of xmldom, which reads what is broken as far as it can. Two
// things are read as later Mountebanks (2.9.4) do, namely not at all: documents with a DTD, so that there are no entities and
// no bombs, and several whole documents in one text.

import { createRequire } from 'node:module';
import { withinLimit } from './time-limit.js';

/** The little of the DOM that selectors need. */
export interface XmlNode {
  readonly nodeType: number;
  readonly parentNode: XmlNode | null;
  readonly firstChild: XmlNode | null;
  readonly nextSibling: XmlNode | null;
  readonly attributes?: ArrayLike<XmlNode> | null;
  /** Of a document that parseXml gave: how many nodes it has. */
  size?: number;
  nodeValue: string | null;
}

/** What xmldom gives to its users (its own types would bring the browser's globals with them). */
interface XmldomModule {
  readonly DOMParser: new (options: {
    readonly errorHandler: (level: string, message: string) => void;
  }) => { parseFromString(text: string, type: 'text/xml'): XmlNode };
}

interface Reading {
  readonly document: XmlNode;
  /** Something was reported: the text is no well-formed XML. */
  readonly broken: boolean;
  /** Nothing but further root elements was reported. */
  readonly severalRoots: boolean;
}

const require = createRequire(import.meta.url);
// loaded when the first text is read, so that nobody else waits for it
let domModule: XmldomModule | undefined;

const ELEMENT = 1;
const ATTRIBUTE = 2;

// xmldom looks through the rest of the text again and again where one is broken in many places. So only what is short and
// broken in few places is read without a time limit, which costs a tenth of a millisecond to set up.
const SHORT = 16_384;
const FEW = 64;
/** Units of text that are read in a millisecond at the very least, unless the text is made to be slow. */
const UNITS_PER_MS = 1024;

/**
 * What can be read of a text; nothing of it gives a document without nodes.
 * @param fold Names, namespaces and texts in lower case. Of a broken text the tags are folded before they are paired.
 * @throws RiftError When reading takes too long.
 */
export function parseXml(text: string, fold: boolean): XmlNode {
  if (text === '' || /<!doctype/i.test(text)) return emptyDocument();
  const reading = read(text);
  if (reading?.severalRoots || (reading === undefined && !fold)) return emptyDocument();
  if (reading !== undefined) {
    const { document, broken } = reading;
    // `&#X41;` is read wrongly without a report
    if (finish(document, fold) && !broken && !text.includes('&#X')) return document;
    if (!fold) return document;
  }
  const again = (read(foldMarkup(text)) ?? read(text.toLowerCase()))?.document ?? emptyDocument();
  finish(again, true);
  return again;
}

/** undefined: xmldom gives up, as it does where CDATA stands outside of every element. */
function read(text: string): Reading | undefined {
  if (text.length <= SHORT ? !hasManyInstructions(text) : !text.includes('<')) {
    const reading = readWithFewReports(text, FEW);
    if (reading !== 'too many') return reading;
  }
  return withinLimit(
    'XML',
    () => readWithFewReports(text, Number.POSITIVE_INFINITY) as Reading,
    text.length / UNITS_PER_MS,
  );
}

/** Processing instructions without an end are looked for again and again without a report. */
function hasManyInstructions(text: string): boolean {
  let at = -1;
  for (let count = 0; count <= FEW; count++) {
    at = text.indexOf('<?', at + 1);
    if (at < 0) return false;
  }
  return true;
}

function readWithFewReports(text: string, most: number): Reading | undefined | 'too many' {
  domModule ??= require('@xmldom/xmldom') as XmldomModule;
  let reports = 0;
  let furtherRoots = 0;
  const errorHandler = (_level: string, message: string) => {
    if (++reports > most) throw new Error('too many');
    if (message.includes('Only one element can be added')) furtherRoots++;
  };
  try {
    const document = new domModule.DOMParser({ errorHandler }).parseFromString(text, 'text/xml');
    return { document, broken: reports > 0, severalRoots: reports > 0 && reports === furtherRoots };
  } catch (error) {
    if (reports > most) return 'too many';
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return undefined;
  }
}

let empty: XmlNode | undefined;

function emptyDocument(): XmlNode {
  empty ??= (readWithFewReports(' ', FEW) as Reading).document;
  return empty;
}

/** A text in lower case, but CDATA sections stay such. */
function foldMarkup(text: string): string {
  const mark = '<![CDATA[';
  return text
    .split(mark)
    .map((part) => part.toLowerCase())
    .join(mark);
}

interface FoldableNode {
  nodeName: string;
  tagName?: string;
  localName: string | null;
  prefix: string | null;
  namespaceURI: string | null | undefined;
  nodeValue: string | null;
  value?: string;
  data?: string;
}

/** How npm xpath asks which of two nodes stands first; what xmldom has for it takes time by the depth and the number of siblings. */
interface OrderedNode {
  order?: number;
  compareDocumentPosition?: (this: OrderedNode, other: OrderedNode) => number;
  readonly ownerElement?: OrderedNode | null;
}

const PRECEDING = 2;
const FOLLOWING = 4;

function compareByOrder(this: OrderedNode, other: OrderedNode): number {
  // a node of a namespace has no number: it stands behind its element
  const { order } = other;
  if (order === undefined) return this.order! <= (other.ownerElement?.order ?? -1) ? FOLLOWING : PRECEDING;
  return order < this.order! ? PRECEDING : FOLLOWING;
}

/**
 * Numbers the nodes in document order and, if wanted, folds names, namespaces and texts: after parsing, so that CDATA and
 * entities survive. Without calls into the depth, since documents may be nested deeper than calls can be.
 * @returns Whether all prefixes are declared.
 */
function finish(document: XmlNode, fold: boolean): boolean {
  let declared = true;
  let order = 0;
  const visit = (node: XmlNode) => {
    const ordered = node as unknown as OrderedNode;
    ordered.order = order++;
    ordered.compareDocumentPosition = compareByOrder;
    if (fold && !foldNode(node)) declared = false;
  };
  let node: XmlNode | null = document;
  while (node !== null) {
    visit(node);
    if (node.nodeType === ELEMENT && node.attributes) {
      for (let at = 0; at < node.attributes.length; at++) visit(node.attributes[at]);
    }
    if (node.firstChild !== null) {
      node = node.firstChild;
      continue;
    }
    while (node !== null && node.nextSibling === null) node = node.parentNode;
    node = node === null ? null : node.nextSibling;
  }
  document.size = order;
  return declared;
}

function foldNode(node: XmlNode): boolean {
  const it = node as unknown as FoldableNode;
  let declared = true;
  if (node.nodeType === ELEMENT || node.nodeType === ATTRIBUTE) {
    it.nodeName = it.nodeName.toLowerCase();
    if (it.tagName) it.tagName = it.tagName.toLowerCase();
    if (it.localName) it.localName = it.localName.toLowerCase();
    if (it.prefix) {
      it.prefix = it.prefix.toLowerCase();
      declared = typeof it.namespaceURI === 'string';
    }
    if (typeof it.namespaceURI === 'string') it.namespaceURI = it.namespaceURI.toLowerCase();
  }
  if (it.nodeValue === null) return declared;
  const folded = it.nodeValue.toLowerCase();
  if (it.data !== undefined) it.data = folded;
  if (it.value !== undefined) it.value = folded;
  it.nodeValue = folded;
  return declared;
}
