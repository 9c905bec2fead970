// Reads one request head (request line and header lines, RFC 9112 sections 2 to 6) in a single pass over the bytes and
// keeps only offsets; strings are made by those who ask for them. It can stop anywhere and go on when more bytes have
// come, so that a head that arrives byte by byte costs no more than one that arrives at once.
// Whatever is ambiguous is refused: no bare LF, no line folding, no blank before a colon, one Content-Length at most
// and never together with Transfer-Encoding (request smuggling, RFC 9112 section 11.2). llhttp is the yardstick.
// A head that is all there and has nothing unusual goes a straight way (`readUsual`); the states are for all others.
// Written for speed: one switch, local copies of the state, no closures.
import { IS_FIELD, IS_TARGET, IS_TOKEN } from './characters.js';
import { type HeaderBlock, HeaderBlocks } from './header-block.js';
import { beginsMethod, knownMethod, LONGEST_METHOD, USUAL_METHODS } from './methods.js';
import type { Refusal } from './types.js';

enum State {
  BeforeMethod,
  BlankLineLf,
  Method,
  BeforeTarget,
  Target,
  BeforeVersion,
  Version,
  RequestLineCr,
  RequestLineLf,
  LineStart,
  Name,
  BeforeValue,
  Value,
  ValueLf,
  HeadLf,
}

const CR = 13;
const LF = 10;
const SP = 32;
const HTAB = 9;
const COLON = 58;
const G = 71;
const E = 69;
const T = 84;
const P = 80;
const H = 72;
const SLASH = 47;
const DOT = 46;
const ONE = 49;
/** `GET / HTTP/1.1` and two line ends. */
const SHORTEST = 18;
const VERSION = [72, 84, 84, 80, 47, 49, 46]; // `HTTP/1.`

/** Answer of `parse` while the head is not complete. Complete heads answer the offset behind them. */
export const INCOMPLETE = -1;
/** Answer of `parse` when the head is refused; `refusal` says why. */
export const REFUSED = -2;

/** What an Expect header asks for. */
export enum Expectation {
  None,
  Continue,
  Other,
}

export class HeadParser {
  /** Why the head was refused, after REFUSED. */
  refusal: Refusal = 'bad-request';

  method = '';
  targetStart = 0;
  targetEnd = 0;
  minor: 0 | 1 = 1;
  /** Where the header lines begin, as an offset into the bytes. */
  headersStart = 0;
  /** Content-Length, or -1 without one. */
  contentLength = -1;
  chunked = false;
  /** Whether version and Connection header let the connection be kept. */
  keepAlive = true;
  expectation: Expectation = Expectation.None;
  hasHost = false;
  /** One bit for each name of the header lines, `nameBit` of it: most questions for a header end here. */
  names = 0;
  /** The header lines, where they are known. */
  block: HeaderBlock | undefined;

  private state: State = State.BeforeMethod;
  private position = 0;
  private mark = 0;
  private counted = 0;
  private start = 0;
  private lines = 0;
  private nameEnd = 0;
  private nameStart = 0;
  private transferEncoding = false;

  constructor(
    private readonly maxHeadBytes: number,
    private readonly maxHeaderLines: number,
  ) {}

  /** Makes ready for a head that begins at `start` of the bytes that will be given to `parse`. */
  begin(start: number): void {
    this.state = State.BeforeMethod;
    this.position = start;
    this.start = start;
    this.mark = start;
    this.counted = 0;
    this.lines = 0;
    this.contentLength = -1;
    this.chunked = false;
    this.keepAlive = true;
    this.expectation = Expectation.None;
    this.hasHost = false;
    this.names = 0;
    this.block = undefined;
    this.transferEncoding = false;
  }

  /** Whether a byte of the request line has come. */
  get begun(): boolean {
    return this.state > State.BlankLineLf;
  }

  /**
   * Goes on from where it stopped, up to `end`. The bytes already read must still be at the same offsets.
   * Answers the offset of the first byte after the head, INCOMPLETE or REFUSED.
   */
  parse(bytes: Uint8Array, end: number): number {
    if (this.state === State.BeforeMethod && this.position === this.start) {
      const behind = this.readUsual(bytes, this.start, end);
      if (behind >= 0) return behind;
      this.begin(this.start);
    }
    return this.parseStates(bytes, end);
  }

  /**
   * A complete head with a usual method, a path as target, HTTP/1.1 and nothing to refuse. Answers the offset behind it, or
   * -1: the states have to read it.
   */
  private readUsual(bytes: Uint8Array, start: number, end: number): number {
    if (end - start < SHORTEST) return -1;
    let p = start;
    if (bytes[p] === G && bytes[p + 1] === E && bytes[p + 2] === T && bytes[p + 3] === SP) {
      this.method = 'GET'; // by far the most frequent
      p += 4;
    } else {
      const method = usualMethod(bytes, p);
      if (method === undefined) return -1;
      this.method = method;
      p += method.length + 1;
    }
    if (bytes[p] !== SLASH) return -1;
    this.targetStart = p;
    while (p < end && IS_TARGET[bytes[p]] === 1) p++;
    this.targetEnd = p;
    if (end - p < 13 || !isVersionAndEnd(bytes, p)) return -1;
    const targetLength = p - this.targetStart;
    p += 11;
    this.headersStart = p;
    this.minor = 1;
    const known = blocks.find(bytes, p, end);
    if (known !== undefined) {
      const { read } = known;
      if (targetLength + read.counted >= this.maxHeadBytes || read.lines > this.maxHeaderLines) return -1;
      this.contentLength = read.contentLength;
      this.chunked = read.chunked;
      this.keepAlive = read.keepAlive;
      this.expectation = read.expectation;
      this.hasHost = read.hasHost;
      this.names = read.names;
      this.block = known;
      return p + known.bytes.length;
    }
    let lines = 0;
    let counted = 0;
    while (p < end && bytes[p] !== CR) {
      const name = p;
      while (p < end && IS_TOKEN[bytes[p]] === 1) p++;
      if (p === end || bytes[p] !== COLON || p === name) return -1;
      const nameEnd = p++;
      while (p < end && (bytes[p] === SP || bytes[p] === HTAB)) p++;
      const value = p;
      while (p < end && IS_FIELD[bytes[p]] === 1) p++;
      if (end - p < 2 || bytes[p] !== CR || bytes[p + 1] !== LF) return -1;
      let last = p;
      while (last > value && (bytes[last - 1] === SP || bytes[last - 1] === HTAB)) last--;
      lines++;
      counted += nameEnd - name + last - value;
      if (!this.note(bytes, name, nameEnd, value, last)) return -1;
      p += 2;
    }
    if (end - p < 2 || bytes[p + 1] !== LF || (this.transferEncoding && !this.chunked)) return -1;
    if (targetLength + counted >= this.maxHeadBytes || lines > this.maxHeaderLines) return -1;
    p += 2;
    if (blocks.missed(bytes, this.headersStart, p, end)) this.remember(bytes, p, end, lines, counted);
    return p;
  }

  private remember(bytes: Uint8Array, behind: number, end: number, lines: number, counted: number): void {
    const { contentLength, chunked, keepAlive, expectation, hasHost, names } = this;
    const read = { contentLength, chunked, keepAlive, expectation, hasHost, names, lines, counted };
    blocks.keep(bytes, this.headersStart, behind, end, read);
  }

  private parseStates(bytes: Uint8Array, end: number): number {
    let p = this.position;
    let state = this.state;
    let mark = this.mark;
    while (p < end) {
      const c = bytes[p];
      switch (state) {
        case State.BeforeMethod: // empty lines before the request line are skipped (RFC 9112 section 2.2)
          if (c === CR) state = State.BlankLineLf;
          else if (c !== LF) {
            mark = p;
            state = State.Method;
            break;
          }
          p++;
          break;
        case State.BlankLineLf:
          if (c !== LF) return this.refuse('bad-request');
          state = State.BeforeMethod;
          p++;
          break;
        case State.Method: {
          while (p < end && bytes[p] !== SP && p - mark <= LONGEST_METHOD) p++;
          const text = ascii(bytes, mark, p);
          if (p === end) {
            if (!beginsMethod(text)) return this.refuse('bad-request');
            break;
          }
          const method = knownMethod(text);
          if (method === undefined) return this.refuse('bad-request');
          this.method = method;
          state = State.BeforeTarget;
          break;
        }
        case State.BeforeTarget:
          if (c === SP) {
            p++;
            break;
          }
          mark = p;
          state = State.Target;
          break;
        case State.Target:
          while (p < end && IS_TARGET[bytes[p]] === 1) p++;
          if (p === end) break;
          if (bytes[p] !== SP || !this.isTarget(bytes, mark, p)) return this.refuse('bad-request');
          this.targetStart = mark;
          this.targetEnd = p;
          this.counted += p - mark;
          if (this.counted >= this.maxHeadBytes) return this.refuse('head-too-large');
          state = State.BeforeVersion;
          break;
        case State.BeforeVersion:
          if (c === SP) {
            p++;
            break;
          }
          mark = p;
          state = State.Version;
          break;
        case State.Version: {
          const index = p - mark;
          if (index < VERSION.length) {
            if (c !== VERSION[index]) return this.refuse(index === 5 ? 'unsupported-version' : 'bad-request');
          } else {
            if (c !== 48 && c !== 49) return this.refuse('unsupported-version');
            this.minor = c === 49 ? 1 : 0;
            this.keepAlive = c === 49;
            state = State.RequestLineCr;
          }
          p++;
          break;
        }
        case State.RequestLineCr:
          if (c !== CR) return this.refuse('bad-request');
          state = State.RequestLineLf;
          p++;
          break;
        case State.RequestLineLf:
          if (c !== LF) return this.refuse('bad-request');
          state = State.LineStart;
          p++;
          this.headersStart = p;
          break;
        case State.LineStart:
          mark = p;
          if (c === CR) {
            state = State.HeadLf;
            p++;
            break;
          }
          state = State.Name;
          break;
        case State.Name: {
          while (p < end && IS_TOKEN[bytes[p]] === 1) p++;
          if (p === end) break;
          if (bytes[p] !== COLON || p === mark) return this.refuse('bad-request');
          if (++this.lines > this.maxHeaderLines) return this.refuse('head-too-large');
          this.nameStart = mark;
          this.nameEnd = p;
          this.counted += p - mark;
          if (this.counted >= this.maxHeadBytes) return this.refuse('head-too-large');
          p++;
          state = State.BeforeValue;
          break;
        }
        case State.BeforeValue:
          if (c === SP || c === HTAB) {
            p++;
            break;
          }
          mark = p;
          state = State.Value;
          break;
        case State.Value: {
          while (p < end && IS_FIELD[bytes[p]] === 1) p++;
          if (p === end) break;
          if (bytes[p] !== CR) return this.refuse('bad-request');
          let last = p;
          while (last > mark && (bytes[last - 1] === SP || bytes[last - 1] === HTAB)) last--;
          this.counted += last - mark;
          if (this.counted >= this.maxHeadBytes) return this.refuse('head-too-large');
          if (!this.note(bytes, this.nameStart, this.nameEnd, mark, last)) return REFUSED;
          p++;
          state = State.ValueLf;
          break;
        }
        case State.ValueLf:
          if (c !== LF) return this.refuse('bad-request');
          state = State.LineStart;
          p++;
          break;
        case State.HeadLf:
          if (c !== LF) return this.refuse('bad-request');
          if (this.transferEncoding && !this.chunked) return this.refuse('bad-request');
          return p + 1;
      }
    }
    this.position = p;
    this.state = state;
    this.mark = mark;
    return this.exceedsLimits(state, p, mark) ? this.refuse('head-too-large') : INCOMPLETE;
  }

  private refuse(reason: Refusal): number {
    this.refusal = reason;
    return REFUSED;
  }

  /** What is still being read counts, too; separators and blanks are bounded so that they cannot fill the memory. */
  private exceedsLimits(state: State, p: number, mark: number): boolean {
    const reading = state === State.Target || state === State.Name || state === State.Value ? p - mark : 0;
    return this.counted + reading >= this.maxHeadBytes || p - this.start > 2 * this.maxHeadBytes + 32_768;
  }

  /** origin-form, asterisk-form or absolute-form; anything visible for CONNECT (RFC 9112 section 3.2). */
  private isTarget(bytes: Uint8Array, start: number, end: number): boolean {
    const first = bytes[start];
    if (first === 47 || first === 42 || this.method === 'CONNECT') return true;
    return ABSOLUTE_FORM.test(ascii(bytes, start, end));
  }

  /** Looks at the header lines that decide framing and connection. False: refused. */
  private note(bytes: Uint8Array, nameStart: number, nameEnd: number, start: number, end: number): boolean {
    this.names |= nameBit(nameEnd - nameStart, bytes[nameStart]);
    switch (nameEnd - nameStart) {
      case 4:
        if (equalsName(bytes, nameStart, 'host')) this.hasHost = true;
        return true;
      case 6:
        if (equalsName(bytes, nameStart, 'expect')) {
          this.expectation = CONTINUE.test(ascii(bytes, start, end)) ? Expectation.Continue : Expectation.Other;
        }
        return true;
      case 10:
        if (this.keepAlive && equalsName(bytes, nameStart, 'connection')) {
          if (end - start === 10 && equalsName(bytes, start, 'keep-alive')) return true;
          if (CLOSE.test(ascii(bytes, start, end))) this.keepAlive = false;
        }
        return true;
      case 14:
        if (equalsName(bytes, nameStart, 'content-length')) return this.noteLength(bytes, start, end);
        return true;
      case 17:
        if (equalsName(bytes, nameStart, 'transfer-encoding')) return this.noteEncoding(bytes, start, end);
        return true;
      default:
        return true;
    }
  }

  private noteLength(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.contentLength >= 0 || this.transferEncoding || start === end || tabFollows(bytes, end)) {
      this.refusal = 'bad-request';
      return false;
    }
    let length = 0;
    for (let p = start; p < end; p++) {
      const digit = bytes[p] - 48;
      length = length * 10 + digit;
      if (digit < 0 || digit > 9 || length > Number.MAX_SAFE_INTEGER) {
        this.refusal = 'bad-request';
        return false;
      }
    }
    this.contentLength = length;
    return true;
  }

  /** `chunked` must be the last coding and must come once; codings before it are left to the reader of the body. */
  private noteEncoding(bytes: Uint8Array, start: number, end: number): boolean {
    const codings = ascii(bytes, start, end);
    if (this.contentLength >= 0 || this.chunked || tabFollows(bytes, end) || !CODINGS.test(codings)) {
      this.refusal = 'bad-request';
      return false;
    }
    this.transferEncoding = true;
    this.chunked = ENDS_CHUNKED.test(codings);
    if (EARLY_CHUNKED.test(codings)) {
      this.refusal = 'bad-request';
      return false;
    }
    return true;
  }
}

const blocks = new HeaderBlocks();

/** The method and blank that begin at `at`, if it is one of the few that nearly all requests have. */
function usualMethod(bytes: Uint8Array, at: number): string | undefined {
  for (const method of USUAL_METHODS) {
    const { length } = method;
    if (bytes[at] !== method.charCodeAt(0) || bytes[at + length] !== SP) continue;
    let same = 1;
    while (same < length && bytes[at + same] === method.charCodeAt(same)) same++;
    if (same === length) return method;
  }
  return undefined;
}

/** Whether ` HTTP/1.1` and a line end stand at `at`. */
function isVersionAndEnd(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === SP &&
    bytes[at + 1] === H &&
    bytes[at + 2] === T &&
    bytes[at + 3] === T &&
    bytes[at + 4] === P &&
    bytes[at + 5] === SLASH &&
    bytes[at + 6] === ONE &&
    bytes[at + 7] === DOT &&
    bytes[at + 8] === ONE &&
    bytes[at + 9] === CR &&
    bytes[at + 10] === LF
  );
}

/** Scheme, authority with at most one user information, and whatever follows, as llhttp reads it. */
const ABSOLUTE_FORM = /^[A-Za-z]+:\/\/(?!$)(?:[\w\-.!~*'()%;:&=+$,]*@)?[\w\-.!~*'()%;:&=+$,[\]]*(?:[/?]|$)/;
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;
const CLOSE = /(?:^|[,\t ])close(?:$|[,\t ])/i;
const CODINGS = /^[!#$%&'*+\-.^_`|~0-9A-Za-z;="]+(?: *, *[!#$%&'*+\-.^_`|~0-9A-Za-z;="]+)*$/;
const ENDS_CHUNKED = /(?:^|[, ])chunked$/i;
const EARLY_CHUNKED = /(?:^|[, ])chunked *,/i;

/** One of 32 bits for a header name, by its length and its first character, whose case does not count. */
export function nameBit(length: number, first: number): number {
  return 1 << ((length * 5 + (first | 32)) & 31);
}

function equalsName(bytes: Uint8Array, start: number, lowerName: string): boolean {
  for (let i = 0; i < lowerName.length; i++) {
    if ((bytes[start + i] | 32) !== lowerName.charCodeAt(i)) return false;
  }
  return true;
}

/** A HTAB behind a length or coding: llhttp refuses it, though it is a blank elsewhere. */
function tabFollows(bytes: Uint8Array, end: number): boolean {
  let after = end;
  while (bytes[after] === SP) after++;
  return bytes[after] === HTAB;
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let p = start; p < end; p++) text += String.fromCharCode(bytes[p]);
  return text;
}
