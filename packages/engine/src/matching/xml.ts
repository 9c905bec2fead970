// Texts as XML, read as Mountebank reads them: by the 0.8 line of xmldom, which reads what is broken as far as it can. Two
// things are read as later Mountebanks (2.9.4) do, namely not at all: documents with a DTD, so that there are no entities and
// no bombs, and several whole documents in one text.

import { createRequire } from 'node:module';
import type { Logger } from '../logger.js';
import { withinLimit } from './time-limit.js';

/** The little of the DOM that selectors need. */
export interface XmlNode {
  readonly nodeType: number;
  readonly parentNode: XmlNode | null;
  readonly firstChild: XmlNode | null;
  readonly nextSibling: XmlNode | null;
  readonly attributes?: ArrayLike<XmlNode> | null;
  nodeValue: string | null;
}

/** What xmldom gives to its users (its own types would bring the browser's globals with them). */
interface XmldomModule {
  readonly DOMParser: new (options: {
    readonly errorHandler: (level: string, message: string) => void;
  }) => { parseFromString(text: string, type: 'text/xml'): XmlNode };
}

/** What could be read of a text. */
export interface XmlDocument {
  readonly node: XmlNode;
  /** How many nodes there are. */
  readonly size: number;
  /** Why the text is no XML, or none that is read: the first few complaints, a line each. */
  readonly reports: readonly string[];
}

interface Reading {
  readonly node: XmlNode;
  readonly reports: readonly string[];
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
/** Of so many complaints users are told. */
const MOST_KEPT = 5;
const LONGEST_REPORT = 200;
const LONGEST_SOURCE = 500;
/** Units of text that are read in a millisecond at the very least, unless the text is made to be slow. */
const UNITS_PER_MS = 1024;

/**
 * What can be read of a text; nothing of it gives a document without nodes.
 * @param fold Names, namespaces and texts in lower case. Of a broken text the tags are folded before they are paired.
 * @throws RiftError When reading takes too long.
 */
export function parseXml(text: string, fold: boolean): XmlDocument {
  if (text === '') return nothing([]);
  if (/<!doctype/i.test(text)) return nothing(['XML with a DTD is not read']);
  const reading = read(text);
  const reports = reading?.reports ?? ['XML with CDATA outside of every element is not read'];
  if (reading?.severalRoots || (reading === undefined && !fold)) return nothing(reports);
  if (reading !== undefined) {
    const { node } = reading;
    const { size, declared } = finish(node, fold);
    // `&#X41;` is read wrongly without a report
    if (!fold || (declared && reports.length === 0 && !text.includes('&#X'))) return { node, size, reports };
  }
  const again = read(foldMarkup(text)) ?? read(text.toLowerCase());
  if (again === undefined) return nothing(reports);
  return { node: again.node, size: finish(again.node, true).size, reports };
}

/** Warns of a text that is no well-formed XML, as Mountebank does where it copies from it or makes predicates of it. */
export function warnOfBrokenXml({ reports }: XmlDocument, text: string, logger: Logger): void {
  if (reports.length === 0 || !logger.enabled('warn')) return;
  const source = JSON.stringify(text.length > LONGEST_SOURCE ? `${text.slice(0, LONGEST_SOURCE)}…` : text);
  for (const report of reports) logger.warn('%s (source: %s)', report, source);
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
  let count = 0;
  let furtherRoots = 0;
  const reports: string[] = [];
  const errorHandler = (_level: string, message: string) => {
    if (++count > most) throw new Error('too many');
    if (message.includes('Only one element can be added')) furtherRoots++;
    if (count <= MOST_KEPT) reports.push(onOneLine(message));
  };
  try {
    const node = new domModule.DOMParser({ errorHandler }).parseFromString(text, 'text/xml');
    return { node, reports, severalRoots: count > 0 && count === furtherRoots };
  } catch (error) {
    if (count > most) return 'too many';
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return undefined;
  }
}

/** Parts of the text may be in it. The position, which follows behind a line feed, is unknown. */
function onOneLine(message: string): string {
  return message
    .replace(/\n@#\[line:undefined,col:undefined\]$/, '')
    .slice(0, LONGEST_REPORT)
    .replace(/[^\P{Cc}\t]+/gu, ' ');
}

let empty: XmlNode | undefined;

function nothing(reports: readonly string[]): XmlDocument {
  empty ??= (readWithFewReports(' ', FEW) as Reading).node;
  return { node: empty, size: 1, reports };
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
 * @returns How many nodes there are, and whether all prefixes are declared.
 */
function finish(document: XmlNode, fold: boolean): { size: number; declared: boolean } {
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
  return { size: order, declared };
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
