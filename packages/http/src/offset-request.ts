// One request as offsets into the bytes it came in, and as the text that is left of it when those bytes have to go.
import { nameBit } from './head-parser.js';
import { type KnownText, KnownTexts } from './known-texts.js';
import type { WireConnection, WireRequest } from './types.js';

const COLON = 58;
const SP = 32;
const HTAB = 9;
const CR = 13;

const targets = new KnownTexts();
const values = new KnownTexts();

/** A request as offsets into the bytes it came in; strings are made, and lines found, when they are asked for. */
export class OffsetRequest implements WireRequest {
  private targetText: KnownText | undefined;
  private headerList: string[] | undefined;
  private fields: number[] | undefined;
  /** The name that was last asked for, and where in `fields` its first line is. */
  private foundName: string | undefined;
  private foundAt = -1;

  constructor(
    readonly connection: WireConnection,
    readonly method: string,
    readonly httpMinor: 0 | 1,
    readonly keepAlive: boolean,
    private readonly bytes: Buffer,
    private readonly targetStart: number,
    private readonly targetEnd: number,
    private readonly headersStart: number,
    /** Behind the empty line that ends the head. */
    private readonly headEnd: number,
    public body: Buffer,
    /** Bits of the names of the header lines (`nameBit`); -1 where nobody looked. */
    private readonly names: number,
  ) {}

  get target(): string {
    return this.knownTarget.text;
  }

  get knownTarget(): KnownText {
    this.targetText ??= targets.of(this.bytes, this.targetStart, this.targetEnd);
    return this.targetText;
  }

  get rawHeaders(): readonly string[] {
    if (this.headerList === undefined) {
      const { bytes } = this;
      const fields = this.findFields();
      const list = new Array<string>(fields.length / 2);
      for (let i = 0; i < fields.length; i += 2) list[i / 2] = bytes.toString('latin1', fields[i], fields[i + 1]);
      this.headerList = list;
    }
    return this.headerList;
  }

  header(lowerName: string): string | undefined {
    const at = this.first(lowerName);
    return at < 0 ? undefined : values.of(this.bytes, this.fields![at + 2], this.fields![at + 3]).text;
  }

  repeats(lowerName: string): boolean {
    const at = this.first(lowerName);
    return at >= 0 && this.find(lowerName, at + 4) >= 0;
  }

  private first(lowerName: string): number {
    if (this.foundName !== lowerName) {
      this.foundAt = this.find(lowerName, 0);
      this.foundName = lowerName;
    }
    return this.foundAt;
  }

  /** Where in `fields` the first line of a name at or after `from` is; -1 for none. */
  private find(lowerName: string, from: number): number {
    const length = lowerName.length;
    if ((this.names & nameBit(length, lowerName.charCodeAt(0))) === 0) return -1;
    const { bytes } = this;
    const fields = this.findFields();
    next: for (let at = from; at < fields.length; at += 4) {
      const start = fields[at];
      if (fields[at + 1] - start !== length) continue;
      for (let i = 0; i < length; i++) {
        const c = bytes[start + i];
        if ((c >= 65 && c <= 90 ? c + 32 : c) !== lowerName.charCodeAt(i)) continue next;
      }
      return at;
    }
    return -1;
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
    );
  }
}
