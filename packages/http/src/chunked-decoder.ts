// Decodes a chunked request body (RFC 9112 section 7.1) as it comes. Extensions and trailer fields are checked for
// their grammar and dropped; sizes, extensions and trailers are bounded.
import { HEX_VALUE, IS_FIELD, IS_TOKEN } from './characters.js';
import type { Refusal } from './types.js';

enum State {
  SizeFirst,
  Size,
  ExtensionName,
  ExtensionValueFirst,
  ExtensionValue,
  ExtensionQuoted,
  ExtensionEscape,
  ExtensionQuotedEnd,
  SizeLf,
  Data,
  DataCr,
  DataLf,
  TrailerStart,
  TrailerName,
  TrailerValue,
  TrailerLf,
  EndLf,
}

/** Bytes of names and values of the extensions of one chunk, as in Node. */
const MAX_EXTENSION_BYTES = 16_384;

/** Answers of `decode` that are no offsets. */
const BODY_INCOMPLETE = -1;
export const BODY_REFUSED = -2;

export class ChunkedDecoder {
  refusal: Refusal = 'bad-request';
  private state: State = State.SizeFirst;
  private size = 0;
  private extensionBytes = 0;
  private trailerBytes = 0;
  private nameBytes = 0;
  private total = 0;

  constructor(
    private readonly maxBodyBytes: number,
    private readonly maxTrailerBytes: number,
    private readonly onData: (bytes: Buffer) => void,
  ) {}

  /** Decodes from `start` on; answers the offset behind the body, BODY_INCOMPLETE or BODY_REFUSED. */
  decode(bytes: Buffer, start: number): number {
    const end = bytes.length;
    let p = start;
    while (p < end) {
      const c = bytes[p];
      switch (this.state) {
        case State.SizeFirst:
          if (HEX_VALUE[c] === 255) return this.refuse('bad-request');
          this.size = HEX_VALUE[c];
          this.extensionBytes = 0;
          this.state = State.Size;
          p++;
          break;
        case State.Size:
          p++;
          if (HEX_VALUE[c] !== 255) {
            this.size = this.size * 16 + HEX_VALUE[c];
            if (this.size > Number.MAX_SAFE_INTEGER) return this.refuse('bad-request');
          } else if (!this.afterSize(c)) return BODY_REFUSED;
          break;
        case State.ExtensionName:
        case State.ExtensionValueFirst:
        case State.ExtensionValue:
        case State.ExtensionQuoted:
        case State.ExtensionEscape:
        case State.ExtensionQuotedEnd:
          p++;
          if (!this.extension(c)) return BODY_REFUSED;
          if (this.extensionBytes > MAX_EXTENSION_BYTES) return this.refuse('extensions-too-large');
          break;
        case State.SizeLf:
          if (c !== 10) return this.refuse('bad-request');
          p++;
          this.total += this.size;
          if (this.total > this.maxBodyBytes) return this.refuse('body-too-large');
          this.state = this.size === 0 ? State.TrailerStart : State.Data;
          break;
        case State.Data: {
          const length = Math.min(this.size, end - p);
          this.onData(bytes.subarray(p, p + length));
          this.size -= length;
          p += length;
          if (this.size === 0) this.state = State.DataCr;
          break;
        }
        case State.DataCr:
          if (c !== 13) return this.refuse('bad-request');
          this.state = State.DataLf;
          p++;
          break;
        case State.DataLf:
          if (c !== 10) return this.refuse('bad-request');
          this.state = State.SizeFirst;
          p++;
          break;
        case State.EndLf:
          if (c !== 10) return this.refuse('bad-request');
          return p + 1;
        default:
          if (++this.trailerBytes > this.maxTrailerBytes) return this.refuse('head-too-large');
          p++;
          if (!this.trailer(c)) return BODY_REFUSED;
      }
    }
    return BODY_INCOMPLETE;
  }

  private refuse(reason: Refusal): number {
    this.refusal = reason;
    return BODY_REFUSED;
  }

  private afterSize(c: number): boolean {
    if (c === 13) this.state = State.SizeLf;
    else if (c === 59) {
      this.state = State.ExtensionName;
      this.nameBytes = 0;
    } else {
      this.refusal = 'bad-request';
      return false;
    }
    return true;
  }

  private extension(c: number): boolean {
    this.refusal = 'bad-request';
    switch (this.state) {
      case State.ExtensionName:
        if (IS_TOKEN[c] === 1) {
          this.nameBytes++;
          this.extensionBytes++;
          return true;
        }
        if (this.nameBytes === 0) return false;
        if (c === 61) {
          this.state = State.ExtensionValueFirst;
          return true;
        }
        return this.afterSize(c);
      case State.ExtensionValueFirst:
        this.extensionBytes++;
        if (c === 34) this.state = State.ExtensionQuoted;
        else if (IS_TOKEN[c] === 1) this.state = State.ExtensionValue;
        else return false;
        return true;
      case State.ExtensionValue:
        if (IS_TOKEN[c] !== 1) return this.afterSize(c);
        this.extensionBytes++;
        return true;
      case State.ExtensionQuoted:
        this.extensionBytes++;
        if (c === 34) this.state = State.ExtensionQuotedEnd;
        else if (c === 92) this.state = State.ExtensionEscape;
        else return IS_FIELD[c] === 1;
        return true;
      case State.ExtensionEscape:
        this.extensionBytes++;
        this.state = State.ExtensionQuoted;
        return IS_FIELD[c] === 1;
      default:
        return this.afterSize(c);
    }
  }

  private trailer(c: number): boolean {
    this.refusal = 'bad-request';
    switch (this.state) {
      case State.TrailerStart:
        this.state = c === 13 ? State.EndLf : State.TrailerName;
        return c === 13 || IS_TOKEN[c] === 1;
      case State.TrailerName:
        if (c === 58) this.state = State.TrailerValue;
        return c === 58 || IS_TOKEN[c] === 1;
      case State.TrailerValue:
        if (c === 13) this.state = State.TrailerLf;
        return c === 13 || IS_FIELD[c] === 1;
      default: // TrailerLf
        this.state = State.TrailerStart;
        return c === 10;
    }
  }
}
