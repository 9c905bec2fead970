// What a text of a request reads as: folded, as JSON, in canonical form, through a selector. Everything is made when it
// is first asked for, and follows from the text alone: whoever meets the same text again may use its reading again.

import type { RequestView } from '../request-view.js';
import { parseJson } from './json-text.js';

/** What `made` gives for what was not made yet. */
export const UNMADE = Symbol('unmade');

/** So many things are found by looking through them; where there are more, a map is made. */
const FEW = 8;

export class TextReading {
  readonly text: string;
  #folded: TextReading | undefined;
  #json: unknown = UNMADE;
  #hidesLetters: boolean | undefined;
  readonly #purposes: string[] = [];
  readonly #values: unknown[] = [];
  #byPurpose: Map<string, unknown> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The reading of the folded text: this one, where folding changes nothing. */
  get folded(): TextReading {
    if (this.#folded === undefined) {
      const folded = this.text.toLowerCase();
      this.#folded = folded === this.text ? this : new TextReading(folded);
    }
    return this.#folded;
  }

  /** What was made of the folded text, as far as somebody asked. */
  get foldedIfMade(): TextReading | undefined {
    return this.#folded;
  }

  /** undefined: the text is no JSON. Shared: never change it. */
  get json(): unknown {
    if (this.#json === UNMADE) this.#json = parseJson(this.text);
    return this.#json;
  }

  /** Whether an escape sequence of JSON may stand for a letter. */
  get hidesLetters(): boolean {
    this.#hidesLetters ??= this.text.includes('\\u');
    return this.#hidesLetters;
  }

  /** How many further things were made of the text. */
  get size(): number {
    return this.#byPurpose?.size ?? this.#purposes.length;
  }

  /** What was kept for a purpose, or UNMADE. */
  made(purpose: string): unknown {
    if (this.#byPurpose !== undefined) {
      return this.#byPurpose.has(purpose) ? this.#byPurpose.get(purpose) : UNMADE;
    }
    const purposes = this.#purposes;
    for (let at = 0; at < purposes.length; at++) if (purposes[at] === purpose) return this.#values[at];
    return UNMADE;
  }

  /** Keeps what was made for a purpose, and gives it back. */
  keep<T>(purpose: string, value: T): T {
    if (this.#byPurpose === undefined && this.#purposes.length < FEW) {
      this.#purposes.push(purpose);
      this.#values.push(value);
    } else {
      this.#byPurpose ??= new Map(this.#purposes.map((known, at) => [known, this.#values[at]]));
      this.#byPurpose.set(purpose, value);
    }
    return value;
  }
}

/** The reading of a text of this request. Memoised. */
export function readingOf(view: RequestView, text: string): TextReading {
  const body = view.bodyReading;
  if (body !== undefined) {
    if (body.text === text) return body;
    const folded = body.foldedIfMade;
    if (folded !== undefined && folded.text === text) return folded;
  }
  let readings = view.memo.get(TextReading) as Map<string, TextReading> | undefined;
  if (readings === undefined) {
    readings = new Map();
    view.memo.set(TextReading, readings);
  }
  let reading = readings.get(text);
  if (reading === undefined) {
    reading = new TextReading(text);
    readings.set(text, reading);
  }
  return reading;
}

/** What is made of a text of this request. Memoised by purpose and text. */
export function memoised<T>(view: RequestView, purpose: string, text: string, make: () => T): T {
  const reading = readingOf(view, text);
  const made = reading.made(purpose);
  return made === UNMADE ? reading.keep(purpose, make()) : (made as T);
}
