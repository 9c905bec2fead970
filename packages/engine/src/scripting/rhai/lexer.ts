// From Rhai text to tokens (The Rhai Book: comments, numbers, strings and characters, keywords).

import { type Position, RhaiSyntaxError } from './errors.js';

export interface Token {
  readonly kind: 'int' | 'float' | 'string' | 'char' | 'template' | 'name' | 'word' | 'operator' | 'end';
  /** Name, word or operator as written; the value of a string or char. */
  readonly text: string;
  /** Of an `int`; may be 2^63, which only a minus sign in front makes a number. */
  readonly int?: bigint;
  readonly float?: number;
  /** Of a `template`: texts and, between `${` and `}`, the tokens of statements. */
  readonly parts?: readonly (string | readonly Token[])[];
  readonly position: Position;
}

/** Words of the language. */
const words = new Set(
  'let const fn if else switch while loop do until for in break continue return throw try catch true false this'.split(
    ' ',
  ),
);

/** Words of the language that this subset leaves out. */
const refusedWords = new Set('import export private is eval'.split(' '));

/** Words that Rhai keeps for later: no names. */
const reservedWords = new Set(
  'var static shared goto match case public protected new use with module package thread go await async sync yield void null nil default'.split(
    ' ',
  ),
);

/** Longest first. */
const operators = [
  ...['**=', '<<=', '>>=', '..=', '!in'],
  ...['||', '&&', '==', '!=', '<=', '>=', '??', '..', '**', '<<', '>>', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^='],
  ...['=>', '?.', '?[', '#{', '::'],
  ...['+', '-', '*', '/', '%', '=', '<', '>', '!', '&', '|', '^', '(', ')', '[', ']', '{', '}', ',', ';', ':', '.'],
];

export function unsupported(what: string, position: Position): RhaiSyntaxError {
  return new RhaiSyntaxError(`'${what}' is not supported by this Rhai subset`, position);
}

/** Throws RhaiSyntaxError. The last token is `end`. */
export function tokenize(text: string): Token[] {
  const lexer = new Lexer(text);
  const tokens = lexer.until(undefined);
  tokens.push({ kind: 'end', text: '', position: lexer.position() });
  return tokens;
}

/** How deep templates may stand in templates. */
const maxDepth = 32;

class Lexer {
  readonly #text: string;
  #at = 0;
  #line = 1;
  #lineStart = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  position(): Position {
    return { line: this.#line, column: this.#at - this.#lineStart + 1 };
  }

  /** Tokens up to the end of the text, or up to the brace that closes a `${`, which is consumed. */
  until(close: '}' | undefined): Token[] {
    const tokens: Token[] = [];
    let open = 0;
    for (;;) {
      this.#skipSpace();
      if (this.#at >= this.#text.length) {
        if (close === undefined) return tokens;
        throw new RhaiSyntaxError("Expecting '}' to end the interpolation", this.position());
      }
      const token = this.#token();
      if (close !== undefined && token.kind === 'operator') {
        if (token.text === '{' || token.text === '#{') open++;
        else if (token.text === '}' && open-- === 0) {
          tokens.push({ kind: 'end', text: '', position: token.position });
          return tokens;
        }
      }
      tokens.push(token);
    }
  }

  #skipSpace(): void {
    for (;;) {
      const char = this.#text[this.#at];
      if (char === '\n') {
        this.#at++;
        this.#newLine();
      } else if (char === ' ' || char === '\t' || char === '\r') this.#at++;
      else if (this.#text.startsWith('//', this.#at)) {
        const end = this.#text.indexOf('\n', this.#at);
        this.#at = end < 0 ? this.#text.length : end;
      } else if (this.#text.startsWith('/*', this.#at)) this.#blockComment();
      else return;
    }
  }

  #blockComment(): void {
    const start = this.position();
    let depth = 0;
    do {
      if (this.#at >= this.#text.length) throw new RhaiSyntaxError('Comment without an end', start);
      if (this.#text.startsWith('/*', this.#at)) {
        depth++;
        this.#at += 2;
      } else if (this.#text.startsWith('*/', this.#at)) {
        depth--;
        this.#at += 2;
      } else if (this.#text[this.#at++] === '\n') this.#newLine();
    } while (depth > 0);
  }

  #newLine(): void {
    this.#line++;
    this.#lineStart = this.#at;
  }

  #token(): Token {
    const char = this.#text[this.#at]!;
    if (/[A-Za-z_]/.test(char)) return this.#name();
    if (/[0-9]/.test(char)) return this.#number();
    if (char === '"') return this.#string();
    if (char === "'") return this.#char();
    if (char === '`') return this.#template();
    const position = this.position();
    for (const operator of operators) {
      if (!this.#text.startsWith(operator, this.#at)) continue;
      if (operator === '!in' && /[A-Za-z0-9_]/.test(this.#text[this.#at + 3] ?? '')) continue;
      this.#at += operator.length;
      if (operator === '::') throw unsupported('::', position);
      return { kind: 'operator', text: operator, position };
    }
    if ('@#$~\\?'.includes(char)) throw unsupported(char, position);
    throw new RhaiSyntaxError(`Unexpected '${String.fromCodePoint(this.#text.codePointAt(this.#at)!)}'`, position);
  }

  #name(): Token {
    const position = this.position();
    const text = this.#match(/[A-Za-z_][A-Za-z0-9_]*/y)!;
    if (refusedWords.has(text)) throw unsupported(text, position);
    if (reservedWords.has(text)) throw new RhaiSyntaxError(`'${text}' is a reserved keyword`, position);
    return { kind: words.has(text) ? 'word' : 'name', text, position };
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#text)?.[0];
    if (text !== undefined) this.#at += text.length;
    return text;
  }

  #number(): Token {
    const position = this.position();
    const text =
      this.#match(/0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+/y) ??
      // `1..5` is a range and `1.abs()` a call
      this.#match(/[0-9][0-9_]*(\.(?![.A-Za-z_])[0-9_]*([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)?/y)!;
    if (/[A-Za-z0-9_]/.test(this.#text[this.#at] ?? '')) {
      throw new RhaiSyntaxError(`Invalid number: '${text}${this.#match(/[A-Za-z0-9_]+/y)}'`, position);
    }
    const digits = text.replaceAll('_', '').toLowerCase();
    const based = /^0[xob]/.test(digits);
    if (!based && /[.e]/.test(digits)) return { kind: 'float', text, float: Number(digits), position };
    if (digits.length > 66 || /^0[xob]$/.test(digits)) throw new RhaiSyntaxError(`Invalid number: '${text}'`, position);
    let int = BigInt(based ? digits : digits.replace(/^0+(?=.)/, ''));
    if (based && int < 2n ** 64n) int = BigInt.asIntN(64, int);
    if (int > 2n ** 63n) throw new RhaiSyntaxError(`Invalid number: '${text}'`, position);
    return { kind: 'int', text, int, position };
  }

  #string(): Token {
    const position = this.position();
    this.#at++;
    let value = '';
    for (;;) {
      value += this.#match(/[^"\\\n]+/y) ?? '';
      const char = this.#text[this.#at];
      if (char === '"') {
        this.#at++;
        if (this.#text[this.#at] !== '"') return { kind: 'string', text: value, position };
        this.#at++;
        value += '"';
      } else if (char === '\\') value += this.#escape();
      else throw new RhaiSyntaxError('Open string is not terminated', position);
    }
  }

  #escape(): string {
    const position = this.position();
    const sequence = this.#match(/\\(?:[nrt\\"'0]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y);
    if (sequence === undefined) {
      throw new RhaiSyntaxError(`Invalid escape sequence: '${this.#text.slice(this.#at, this.#at + 2)}'`, position);
    }
    const simple = { n: '\n', r: '\r', t: '\t', '0': '\0' }[sequence[1]!];
    if (simple !== undefined) return simple;
    if (sequence.length === 2) return sequence[1]!;
    const code = Number.parseInt(sequence.slice(2), 16);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      throw new RhaiSyntaxError(`Invalid escape sequence: '${sequence}'`, position);
    }
    return String.fromCodePoint(code);
  }

  #char(): Token {
    const position = this.position();
    this.#at++;
    let value = '';
    while (this.#text[this.#at] !== "'") {
      const code = this.#text.codePointAt(this.#at);
      if (code === undefined || code === 0x0a) throw new RhaiSyntaxError("Expecting ' to end the character", position);
      if (code === 0x5c) value += this.#escape();
      else {
        value += String.fromCodePoint(code);
        this.#at += code > 0xffff ? 2 : 1;
      }
    }
    this.#at++;
    if ([...value].length !== 1) throw new RhaiSyntaxError(`Invalid character: '${value}'`, position);
    return { kind: 'char', text: value, position };
  }

  #template(): Token {
    const position = this.position();
    if (++this.#depth > maxDepth) throw new RhaiSyntaxError('Strings are nested too deeply', position);
    const parts: (string | Token[])[] = [];
    this.#at++;
    if (this.#match(/\r?\n/y) !== undefined) this.#newLine();
    let text = '';
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) throw new RhaiSyntaxError('Open string is not terminated', position);
      if (char === '`') {
        this.#at++;
        if (this.#text[this.#at] !== '`') break;
        this.#at++;
        text += '`';
      } else if (this.#text.startsWith('${', this.#at)) {
        this.#at += 2;
        if (text !== '') parts.push(text);
        text = '';
        parts.push(this.until('}'));
      } else {
        text += char;
        this.#at++;
        if (char === '\n') this.#newLine();
      }
    }
    if (text !== '') parts.push(text);
    this.#depth--;
    return { kind: 'template', text: '', parts, position };
  }
}
