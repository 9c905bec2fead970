// One request as offsets into the bytes it came in, and as the text that is left of it when those bytes have to go.
import { nameBit } from './head-parser.js';
import type { HeaderBlock } from './header-block.js';
import { type KnownText, KnownTexts } from './known-texts.js';
import type { WireConnection, WireRequest } from './types.js';

const COLON = 58;
const SP = 32;
const HTAB = 9;
const CR = 13;

const targets = new KnownTexts();
const values = new KnownTexts();
const headerNames = new KnownTexts();

/** A request as offsets into the bytes it came in; strings are made, and lines found, when they are asked for. */
export class OffsetRequest implements WireRequest {
  private targetText: KnownText | undefined;
  private headerList: readonly string[] | undefined;
  private fields: number[] | undefined;
  /** The name that was last asked for, the value of its first line, and whether there is a second one. */
  private foundName: string | undefined;
  private foundValue: string | undefined;
  private foundAgain = false;

  constructor(
    readonly connection: WireConnection,
    readonly method: string,
    readonly httpMinor: 0 | 1,
    readonly keepAlive: boolean,
    private bytes: Buffer,
    private readonly targetStart: number,
    private readonly targetEnd: number,
    private readonly headersStart: number,
    /** Behind the empty line that ends the head. */
    private readonly headEnd: number,
    public body: Buffer,
    /** Bits of the names of the header lines (`nameBit`); -1 where nobody looked. */
    private readonly names: number,
    /** The header lines, where they are known. */
    private readonly block: HeaderBlock | undefined,
  ) {}

  get target(): string {
    return this.knownTarget.text;
  }

  get knownTarget(): KnownText {
    this.targetText ??= targets.of(this.bytes, this.targetStart, this.targetEnd);
    return this.targetText;
  }

  /** The bytes it came in go: its head is copied out of them. */
  keepHead(): void {
    const kept = Buffer.allocUnsafe(this.headEnd);
    this.bytes.copy(kept, 0, 0, this.headEnd);
    this.bytes = kept;
  }

  get rawHeaders(): readonly string[] {
    this.headerList ??= this.block?.list ?? this.makeList();
    return this.headerList;
  }

  visitHeaders(visitor: { name(lowerName: string): boolean; text(value: string): void }): void {
    const { bytes } = this;
    const fields = this.findFields();
    for (let at = 0; at < fields.length; at += 4) {
      const name = headerNames.of(bytes, fields[at], fields[at + 1]);
      name.data ??= name.text.toLowerCase();
      if (visitor.name(name.data as string)) visitor.text(values.of(bytes, fields[at + 2], fields[at + 3]).text);
    }
  }

  private makeList(): readonly string[] {
    const { bytes, block } = this;
    const fields = this.findFields();
    const list = new Array<string>(fields.length / 2);
    for (let i = 0; i < fields.length; i += 4) {
      list[i / 2] = headerNames.of(bytes, fields[i], fields[i + 1]).text;
      list[i / 2 + 1] = values.of(bytes, fields[i + 2], fields[i + 3]).text;
    }
    if (block !== undefined) block.list = list;
    return list;
  }

  header(lowerName: string): string | undefined {
    return this.find(lowerName) ? this.foundValue : undefined;
  }

  repeats(lowerName: string): boolean {
    return this.find(lowerName) && this.foundAgain;
  }

  /** False: there is no such header for sure. */
  private find(lowerName: string): boolean {
    if (this.foundName === lowerName) return true;
    if ((this.names & nameBit(lowerName.length, lowerName.charCodeAt(0))) === 0) return false;
    const { block } = this;
    if (block !== undefined) {
      const place = block.placeOf(lowerName);
      if (place >= 0) {
        this.foundName = lowerName;
        this.foundValue = block.valueAt(place);
        this.foundAgain = block.repeatedAt(place);
        return true;
      }
    }
    const first = this.foundName === undefined && this.fields === undefined;
    this.foundName = lowerName;
    this.foundValue = undefined;
    this.foundAgain = false;
    if (first) this.findInLines(lowerName);
    else this.findInFields(lowerName);
    block?.note(lowerName, this.foundValue, this.foundAgain);
    return true;
  }

  /** Without a list of all lines, which the one question that most requests are asked is not worth. */
  private findInLines(lowerName: string): void {
    const { bytes } = this;
    const { length } = lowerName;
    const end = this.headEnd - 2;
    for (let line = this.headersStart; line < end; ) {
      let p = line + length;
      // the first colon of a line ends its name
      if (bytes[p] === COLON && isName(bytes, line, lowerName) && !lowerName.includes(':')) {
        if (this.foundValue !== undefined) {
          this.foundAgain = true;
          return;
        }
        do p++;
        while (bytes[p] === SP || bytes[p] === HTAB);
        const value = p;
        while (bytes[p] !== CR) p++;
        line = p + 2;
        while (p > value && (bytes[p - 1] === SP || bytes[p - 1] === HTAB)) p--;
        this.foundValue = values.of(bytes, value, p).text;
      } else {
        p = line;
        while (bytes[p] !== CR) p++;
        line = p + 2;
      }
    }
  }

  private findInFields(lowerName: string): void {
    const { bytes } = this;
    const fields = this.findFields();
    for (let at = 0; at < fields.length; at += 4) {
      if (fields[at + 1] - fields[at] !== lowerName.length || !isName(bytes, fields[at], lowerName)) continue;
      if (this.foundValue !== undefined) {
        this.foundAgain = true;
        return;
      }
      this.foundValue = values.of(bytes, fields[at + 2], fields[at + 3]).text;
    }
  }

  detach(): DetachedRequest {
    return new DetachedRequest(this, this.bytes, this.targetStart, this.targetEnd, this.headersStart, this.headEnd);
  }

  /** name start, name end, value start, value end of each header line. The parser has seen to the grammar. */
  private findFields(): number[] {
    if (this.fields !== undefined) return this.fields;
    const { bytes } = this;
    const end = this.headEnd - 2;
    const fields: number[] = [];
    for (let line = this.headersStart; line < end; ) {
      let p = line;
      while (bytes[p] !== COLON) p++;
      fields.push(line, p);
      do p++;
      while (bytes[p] === SP || bytes[p] === HTAB);
      const value = p;
      while (bytes[p] !== CR) p++;
      line = p + 2;
      while (p > value && (bytes[p - 1] === SP || bytes[p - 1] === HTAB)) p--;
      fields.push(value, p);
    }
    this.fields = fields;
    return fields;
  }
}

function isName(bytes: Buffer, start: number, lowerName: string): boolean {
  for (let i = 0; i < lowerName.length; i++) {
    const c = bytes[start + i];
    if ((c >= 65 && c <= 90 ? c + 32 : c) !== lowerName.charCodeAt(i)) return false;
  }
  return true;
}

/**
 * What is kept of a request after its exchange has ended: one text, so that thousands of them hold on to nothing else.
 * The body is kept by whoever wants it.
 */
class DetachedRequest {
  readonly #head: string;
  readonly #method: string;
  readonly #minor: 0 | 1;
  readonly #keepAlive: boolean;
  readonly #targetLength: number;
  readonly #headersAt: number;
  readonly #connection: WireConnection;

  constructor(
    { method, httpMinor, keepAlive, connection }: WireRequest,
    bytes: Buffer,
    targetStart: number,
    targetEnd: number,
    headersStart: number,
    headEnd: number,
  ) {
    this.#head = bytes.toString('latin1', targetStart, headEnd);
    this.#method = method;
    this.#minor = httpMinor;
    this.#keepAlive = keepAlive;
    this.#targetLength = targetEnd - targetStart;
    this.#headersAt = headersStart - targetStart;
    this.#connection = connection.detached;
  }

  restore(body: Buffer): WireRequest {
    const bytes = Buffer.from(this.#head, 'latin1');
    const { length } = bytes;
    return new OffsetRequest(
      this.#connection,
      this.#method,
      this.#minor,
      this.#keepAlive,
      bytes,
      0,
      this.#targetLength,
      this.#headersAt,
      length,
      body,
      -1,
      undefined,
    );
  }
}
