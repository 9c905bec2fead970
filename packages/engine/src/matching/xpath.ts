// XPath 1.0 selectors, by npm xpath over what xml.ts reads.

import { createRequire } from 'node:module';
import { RiftError } from '../errors.js';
import { withinLimit } from './time-limit.js';
import type { XmlDocument, XmlNode } from './xml.js';
import { type PlainSelector, plainSelector } from './xml-subset.js';

/** What npm xpath gives for a parsed expression (its own types would bring the browser's globals with them). */
interface XpathValue {
  readonly constructor: { readonly name: string };
  toArray(): XmlNode[];
  numberValue(): number;
  booleanValue(): boolean;
  stringValue(): string;
}
interface XpathModule {
  parse(expression: string): {
    evaluate(options: { node: unknown; namespaces: (prefix: string) => string }): XpathValue;
  };
}
const require = createRequire(import.meta.url);

// loaded when the first selector needs it, so that nobody else waits for it
let xpathModule: XpathModule | undefined;

function xpathLibrary(): XpathModule {
  xpathModule ??= require('xpath') as XpathModule;
  return xpathModule;
}

const ELEMENT = 1;
const INSTRUCTION = 7;
/** So many nodes make every expression slow enough for a time limit. */
const LARGE = 20_000;
const DOCUMENT = 9;

/** A selector and its prefixes, parsed once. */
export interface XpathSelector {
  /** Values of the selected nodes in document order, or the one value of another expression; throws on run-time errors. */
  evaluate(document: XmlDocument): readonly unknown[];
  /** Whether evaluating may throw (an unmapped prefix, an unknown function, a number used as a path …). */
  readonly canFail: boolean;
  /** The same without a DOM, for plain selectors on plain XML (xml-subset.ts). */
  readonly plain: PlainSelector | undefined;
}

/** Parses a selector; throws Mountebank's error when it is malformed. */
export function xpathSelector(source: string, namespaces: { readonly [prefix: string]: string }): XpathSelector {
  // The library would fall back to the prefixes of the document.
  const resolve = (prefix: string) => {
    if (Object.hasOwn(namespaces, prefix)) return namespaces[prefix];
    throw malformed(source);
  };
  try {
    const expression = xpathLibrary().parse(source);
    const canTakeLong = /\[.*(?:\/|::|\*)/s.test(source) || (source.match(/\/\/|::/g) ?? []).length > 2;
    return {
      canFail: !cannotFail(source, namespaces),
      plain: plainSelector(source),
      evaluate({ node, size }) {
        try {
          const select = () => valuesOf(expression.evaluate({ node, namespaces: resolve }));
          return canTakeLong || size > LARGE ? withinLimit(`XPath ${source}`, select) : select();
        } catch (error) {
          if (error instanceof RiftError) throw error;
          throw malformed(source);
        }
      },
    };
  } catch {
    throw malformed(source);
  }
}

/** A number (but not the end of a name), a text or what a function gives, and a step or a filter from there. */
const usesScalarAsPath = /(?:(?<![A-Za-z_][\w.-]*)\.?\d[\d.]*|')\s*[/[]|\)\s*\//;

/** Calls that take whatever they are given; arguments without calls and commas. */
const harmlessCall =
  /(?<![\w.:-])(?:(?:contains|starts-with)\s*\([^(),]+,[^(),]+\)|(?:not|boolean|string|normalize-space|string-length)\s*\([^(),]+\)|(?:local-name|name|normalize-space|string-length|true|false)\s*\(\s*\))/g;

/** A location path with plain comparisons, harmless calls and mapped prefixes: nothing in it can fail at run time. */
function cannotFail(source: string, namespaces: { readonly [prefix: string]: string }): boolean {
  const bare = source.replace(/"[^"]*"|'[^']*'/g, "''");
  if (!/^[\w\-.:/@*[\]\s='<>!(),]*$/.test(bare) || /namespace\s*::/.test(bare) || usesScalarAsPath.test(bare)) {
    return false;
  }
  for (const [, prefix] of bare.matchAll(/([\w\-.]+)\s*:(?!:)/g)) if (!Object.hasOwn(namespaces, prefix!)) return false;
  let rest = bare;
  for (let before = ''; rest !== before; ) {
    before = rest;
    rest = rest.replace(harmlessCall, ' 0 ');
  }
  if (rest.includes(',') || usesScalarAsPath.test(rest)) return false;
  for (const [, name] of rest.matchAll(/([\w\-.:]*)\s*\(/g)) {
    if (!/^(?:(?:[\w-]+::)?(?:text|node|comment)|position|last)$/.test(name!)) return false;
  }
  return true;
}

function malformed(source: string): RiftError {
  const extras = source === '' ? { inner: {} } : { source, inner: {} };
  return new RiftError('bad data', 'malformed xpath predicate selector', extras);
}

function valuesOf(result: XpathValue): readonly unknown[] {
  switch (result.constructor.name) {
    case 'XNodeSet':
      return result.toArray().map(nodeValue);
    case 'XNumber':
      return [result.numberValue()];
    case 'XBoolean':
      return [result.booleanValue()];
    default:
      return [result.stringValue()];
  }
}

/** An element counts as the data of its first child only, as in Mountebank; an empty one as the text `undefined`. */
function nodeValue(node: XmlNode): string {
  if (node.nodeType !== ELEMENT && node.nodeType !== DOCUMENT) return dataOf(node);
  return node.firstChild === null ? 'undefined' : dataOf(node.firstChild);
}

/** xmldom keeps blanks at the end of a processing instruction that the one of Mountebank 2.9.1 does not. */
function dataOf(node: XmlNode): string {
  const value = node.nodeValue ?? 'undefined';
  return node.nodeType === INSTRUCTION ? value.trimEnd() : value;
}
