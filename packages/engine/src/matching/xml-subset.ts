// Plain XML and plain selectors, without a DOM: most bodies and selectors of XPath predicates are such. The reader takes
// a conservative subset (elements, attributes and text; no namespaces, entities, comments, CDATA or DTD) and gives up on
// everything else, which then goes the way of xmldom and xpath. Both ways must select the same (xml-subset.test.ts).

export interface PlainElement {
  readonly name: string;
  /** Names and values in turn. */
  readonly attributes: readonly string[];
  /** Elements and texts in order. */
  readonly children: (PlainElement | string)[];
  /** Position in document order. */
  readonly order: number;
}

// Every character that XML or xmldom treats specially is left out: control characters, carriage returns, line ends of
// Unicode, surrogates, and what is no character at all.
const plainText = /^[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd]*$/;
const tag =
  /<(\/?)((?!xml)[A-Za-z_][\w.-]*)((?:\s+(?!xml)[A-Za-z_][\w.-]*\s*=\s*(?:"[^"<&\t\n]*"|'[^'<&\t\n]*'))*)\s*(\/?)>/iy;
const attribute = /([A-Za-z_][\w.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** The root element, or undefined when the text is not in the subset (which says nothing about its being XML). */
export function readPlainXml(text: string, fold: boolean): PlainElement | undefined {
  if (text.charCodeAt(0) !== 0x3c || !plainText.test(text) || text.includes(']]>')) return undefined;
  const open: PlainElement[] = [];
  let root: PlainElement | undefined;
  let order = 0;
  let at = 0;
  while (at < text.length) {
    if (text.charCodeAt(at) !== 0x3c) {
      const end = text.indexOf('<', at);
      const content = text.slice(at, end < 0 ? text.length : end);
      if (content.includes('&')) return undefined;
      if (open.length > 0) open[open.length - 1].children.push(fold ? content.toLowerCase() : content);
      else if (content.trim() !== '') return undefined;
      at += content.length;
      continue;
    }
    tag.lastIndex = at;
    const found = tag.exec(text);
    if (found === null) return undefined;
    at = tag.lastIndex;
    const [, closing, name, attributes, empty] = found;
    if (closing !== '') {
      if (attributes !== '' || empty !== '' || openName(open.pop()) !== name) return undefined;
      continue;
    }
    if (open.length === 0 && root !== undefined) return undefined;
    const read = attributes === '' ? [] : readAttributes(attributes, fold);
    if (read === undefined) return undefined;
    const element = new Element(name, fold ? name.toLowerCase() : name, read, order++);
    if (open.length > 0) open[open.length - 1].children.push(element);
    root ??= element;
    if (empty === '') open.push(element);
  }
  return open.length === 0 ? root : undefined;
}

class Element implements PlainElement {
  /** As in the text: the closing tag must be spelled alike, whether names are folded or not. */
  readonly written: string;
  readonly name: string;
  readonly attributes: readonly string[];
  readonly children: (PlainElement | string)[] = [];
  readonly order: number;

  constructor(written: string, name: string, attributes: readonly string[], order: number) {
    this.written = written;
    this.name = name;
    this.attributes = attributes;
    this.order = order;
  }
}

function openName(element: PlainElement | undefined): string | undefined {
  return (element as Element | undefined)?.written;
}

function readAttributes(text: string, fold: boolean): string[] | undefined {
  const found: string[] = [];
  for (const [, name, double, single] of text.matchAll(attribute)) {
    const value = double ?? single;
    for (let at = 0; at < found.length; at += 2) if (found[at] === (fold ? name.toLowerCase() : name)) return undefined;
    found.push(fold ? name.toLowerCase() : name, fold ? value.toLowerCase() : value);
  }
  return found;
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
export type PlainSelector = (root: PlainElement) => readonly string[];

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
  return (root) => {
    // The document itself is where a selector starts; `undefined` stands for it.
    let nodes: readonly (PlainElement | undefined)[] = [undefined];
    for (const step of elements) nodes = elementsBelow(nodes, root, step);
    return ends ? attributeTexts(nodes, root, last) : (nodes as PlainElement[]).map(elementText);
  };
}

function elementsBelow(
  nodes: readonly (PlainElement | undefined)[],
  root: PlainElement,
  { deep, name, where }: Step,
): PlainElement[] {
  const found: PlainElement[] = [];
  const take = (element: PlainElement) => {
    if (element.name === name && (where === undefined || attributeOf(element, where[0]) === where[1])) {
      found.push(element);
    }
  };
  if (deep) {
    for (const element of descendants(nodes, root, false)) take(element);
    return found;
  }
  for (const node of nodes) {
    if (node === undefined) take(root);
    else for (const child of node.children) if (typeof child !== 'string') take(child);
  }
  // Nodes may lie inside each other: then children of an outer one stand behind those of an inner one.
  return nodes.length < 2 ? found : found.sort((left, right) => left.order - right.order);
}

/** All elements below the nodes, each once, in document order; `withSelf`: the nodes as well. */
function descendants(
  nodes: readonly (PlainElement | undefined)[],
  root: PlainElement,
  withSelf: boolean,
): readonly PlainElement[] {
  const found: PlainElement[] = [];
  if (nodes.length === 1) {
    if (nodes[0] === undefined || withSelf) found.push(nodes[0] ?? root);
    addBelow(nodes[0] ?? root, found);
    return found;
  }
  for (const node of nodes) {
    if (node === undefined || withSelf) found.push(node ?? root);
    addBelow(node ?? root, found);
  }
  return [...new Set(found)].sort((left, right) => left.order - right.order);
}

function addBelow({ children }: PlainElement, found: PlainElement[]): void {
  for (const child of children) {
    if (typeof child === 'string') continue;
    found.push(child);
    addBelow(child, found);
  }
}

function attributeTexts(
  nodes: readonly (PlainElement | undefined)[],
  root: PlainElement,
  { deep, name }: Step,
): string[] {
  const owners = deep
    ? descendants(nodes, root, true)
    : nodes.filter((node): node is PlainElement => node !== undefined);
  const found: string[] = [];
  for (const owner of owners) {
    const value = attributeOf(owner, name.slice(1));
    if (value !== undefined) found.push(value);
  }
  return found;
}

function attributeOf({ attributes }: PlainElement, name: string): string | undefined {
  for (let at = 0; at < attributes.length; at += 2) if (attributes[at] === name) return attributes[at + 1];
  return undefined;
}

function elementText({ children }: PlainElement): string {
  const first = children[0];
  return typeof first === 'string' ? first : 'undefined';
}
