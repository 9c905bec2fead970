// The bytes of an imposter's stubs as the admin API shows them: two spaces a level. Of an imposter with many stubs nearly
// all of an answer is stubs that have not changed since the last one, so their bytes are kept, all in one buffer: an
// answer is given a view of it, stubs that are added go behind what was given away, and any other change makes a new
// buffer, into which what is the same is copied.

import { passedStub } from '../young-garbage.js';
import type { StubParts } from './imposter-json.js';
import type { Warnings } from './read-options.js';
import type { StubJson } from './types.js';

/** More are made again for each answer: what is kept of them is not worth its memory. */
const mostStubs = 20_000;
const mostBytes = 16 * 2 ** 20;
/** Stubs that are turned into text at once. */
const batch = 128;

/** Around the elements of an array in an array: they stand as deep as the stubs of an imposter. */
const opening = '[\n  [';
const ending = '\n  ]\n]';
/** Line breaks inside of strings are escaped, and what is deeper is indented more. */
const closing = '\n    }';

function linked({ json, matches }: StubParts, links: string, index: number): object {
  const _links = { self: { href: `${links}${index}` } };
  return matches !== undefined && matches.length > 0 ? { ...json, matches, _links } : { ...json, _links };
}

/** The last lines of a stub. */
function linkLines(links: string, index: number): string {
  const href = JSON.stringify(`${links}${index}`);
  return `\n      "_links": {\n        "self": {\n          "href": ${href}\n        }\n      }${closing}`;
}

/** Stubs from one position up to another, each on lines of its own, with a comma before all but the very first. */
function textOf(stubs: readonly StubParts[], from: number, to: number, links: string): string {
  const shown: object[] = [];
  for (let index = from; index < to; index++) shown.push(linked(stubs[index]!, links, index));
  const text = JSON.stringify([shown], null, 2);
  return `${from === 0 ? '' : ','}${text.slice(opening.length, -ending.length)}`;
}

/** Elements of an array in an object in an object. */
function warningsText(list: readonly unknown[]): string {
  return JSON.stringify([[list]], null, 2).slice('[\n  [\n    ['.length, -'\n    ]\n  ]\n]'.length);
}

function anyMatched(stubs: readonly StubParts[], from: number): boolean {
  for (let index = from; index < stubs.length; index++) {
    const { matches } = stubs[index]!;
    if (matches !== undefined && matches.length > 0) return true;
  }
  return false;
}

function* pieces(stubs: readonly StubParts[], links: string): Generator<Buffer> {
  for (let from = 0; from < stubs.length; from += batch) {
    const to = Math.min(from + batch, stubs.length);
    yield Buffer.from(textOf(stubs, from, to, links));
    passedStub(to - 1);
  }
}

function countOf({ responses }: StubJson): number {
  return Array.isArray(responses) ? responses.length : 0;
}

export class ShownStubs {
  #warnings: { readonly of: readonly unknown[]; readonly bytes: Buffer } | undefined;
  #lineage: object | undefined;
  #stubs: StubJson[] = [];
  /** A proxy appends responses to a stub in place. */
  #counts: number[] = [];
  /** What stands before the index in links. */
  #links = '';
  #bytes = Buffer.alloc(0);
  #length = 0;
  /** So many are kept. */
  #most = mostStubs;

  /**
   * The bytes between the brackets of `stubs`, without the last line break: in buffers that do not change any more, or,
   * of very many stubs, made as they are read. `lineage`: the same object as the last time when stubs were only added at
   * the end since then and nothing else about them changed; without, that is found out.
   */
  bytes(stubs: readonly StubParts[], links: string, lineage?: object): readonly Buffer[] | Generator<Buffer> {
    if (stubs.length > this.#most) return this.#unkept(stubs, links);
    const grew = lineage !== undefined && lineage === this.#lineage;
    if (anyMatched(stubs, grew ? this.#stubs.length : 0)) return this.#unkept(stubs, links);
    this.#lineage = lineage;
    this.#update(stubs, links, grew);
    if (this.#length <= mostBytes) return [this.#bytes.subarray(0, this.#length)];
    this.#most = stubs.length - 1;
    return this.#unkept(stubs, links);
  }

  /** The bytes between the brackets of `_rift.warnings`, without the last line break; there is at least one. */
  warnings({ kept, others }: Warnings): readonly Buffer[] {
    if (this.#warnings?.of !== kept) this.#warnings = { of: kept, bytes: Buffer.from(warningsText(kept)) };
    const { bytes } = this.#warnings;
    return others === undefined ? [bytes] : [bytes, Buffer.from(`,${warningsText([others])}`)];
  }

  #unkept(stubs: readonly StubParts[], links: string): Generator<Buffer> {
    this.#lineage = undefined;
    this.#stubs = [];
    this.#counts = [];
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
    return pieces(stubs, links);
  }

  #update(stubs: readonly StubParts[], links: string, grew: boolean): void {
    const before = this.#stubs;
    const shorter = Math.min(before.length, stubs.length);
    const same = links !== this.#links ? 0 : grew ? shorter : this.#sameAtFirst(stubs, shorter);
    if (same === stubs.length && same === before.length) return;
    if (same === before.length) this.#append(stubs, same, stubs.length, links);
    else {
      let moved = 0;
      while (moved < shorter - same && this.#isSame(before.length - 1 - moved, stubs[stubs.length - 1 - moved]!))
        moved++;
      this.#rebuild(stubs, same, moved, links);
    }
    this.#stubs.length = same;
    this.#counts.length = same;
    for (let index = same; index < stubs.length; index++) {
      const { json } = stubs[index]!;
      this.#stubs.push(json);
      this.#counts.push(countOf(json));
    }
    this.#links = links;
  }

  #sameAtFirst(stubs: readonly StubParts[], most: number): number {
    let same = 0;
    while (same < most && this.#isSame(same, stubs[same]!)) same++;
    return same;
  }

  #isSame(index: number, { json }: StubParts): boolean {
    return this.#stubs[index] === json && this.#counts[index] === countOf(json);
  }

  #append(stubs: readonly StubParts[], from: number, to: number, links: string): void {
    for (let at = from; at < to; at += batch) {
      const end = Math.min(at + batch, to);
      const text = textOf(stubs, at, end, links);
      const size = Buffer.byteLength(text);
      // the others will be about as long
      this.#reserve(size, Math.ceil((size / (end - at)) * (to - at) * 1.1));
      this.#length += this.#bytes.write(text, this.#length);
    }
  }

  /** Makes room for `least` bytes more; `likely`: how many are to come. */
  #reserve(least: number, likely: number): void {
    if (this.#length + least <= this.#bytes.length) return;
    const wider = Buffer.allocUnsafeSlow(this.#length + Math.max(least, likely, this.#length >> 2, 8192));
    this.#bytes.copy(wider, 0, 0, this.#length);
    this.#bytes = wider;
  }

  /** A new buffer: the first `same` stubs are as they were, the last `moved` are the same at another place. */
  #rebuild(stubs: readonly StubParts[], same: number, moved: number, links: string): void {
    const old = this.#bytes;
    const oldLength = this.#length;
    const oldCount = this.#stubs.length;
    const oldLinks = this.#links;
    let start = 0;
    let index = 0;
    const next = (): number => old.indexOf(closing, start + 2) + closing.length;
    for (; index < same; index++) start = next();
    this.#bytes = Buffer.allocUnsafeSlow(oldLength + 1024);
    this.#length = old.copy(this.#bytes, 0, 0, start);
    this.#append(stubs, same, stubs.length - moved, links);
    for (; index < oldCount - moved; index++) start = next();
    for (; index < oldCount; index++) {
      const end = next();
      const at = index + stubs.length - oldCount;
      const from = old[start] === 0x2c ? start + 1 : start;
      const beforeLink = old.subarray(from, end - Buffer.byteLength(linkLines(oldLinks, index)));
      const link = linkLines(links, at);
      this.#reserve(1 + beforeLink.length + Buffer.byteLength(link), oldLength - start);
      if (at > 0) this.#bytes[this.#length++] = 0x2c;
      this.#length += beforeLink.copy(this.#bytes, this.#length);
      this.#length += this.#bytes.write(link, this.#length);
      start = end;
    }
  }
}
