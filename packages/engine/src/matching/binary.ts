// Texts of tcp imposters in binary mode: bytes in base64. Two that are valid UTF-8 compare as texts, as in Mountebank;
// when either is not, bytes are compared and only ASCII letters fold.

import { isUtf8 } from 'node:buffer';

/** A text of a binary request or operand, ready to compare. Strings hold one character a byte. */
export class ByteText {
  /** The bytes of the folded and stripped text; undefined when the bytes are not valid UTF-8. */
  readonly text: string | undefined;
  readonly bytes: string;

  constructor(text: string | undefined, bytes: string) {
    this.text = text;
    this.bytes = bytes;
  }

  get isEmpty(): boolean {
    return this.text === undefined ? this.bytes === '' : this.text === '';
  }

  /** The text itself, for parsing it as JSON. */
  toText(): string {
    return Buffer.from(this.text ?? this.bytes, 'latin1').toString('utf8');
  }
}

export function base64Text(base64: string, fold: boolean, strip: ((text: string) => string) | undefined): ByteText {
  const raw = Buffer.from(base64, 'base64');
  const asText = (text: string, folded: string) =>
    strip === undefined ? (fold ? folded : text) : strip(fold ? folded : text);
  const latin = raw.toString('latin1');
  const bytes = asText(
    latin,
    latin.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  );
  if (!isUtf8(raw)) return new ByteText(undefined, bytes);
  const utf8 = raw.toString('utf8');
  return new ByteText(Buffer.from(asText(utf8, utf8.toLowerCase()), 'utf8').toString('latin1'), bytes);
}

/** Both sides in the form in which they compare. */
export function comparable(left: ByteText, right: ByteText): [string, string] {
  return left.text !== undefined && right.text !== undefined ? [left.text, right.text] : [left.bytes, right.bytes];
}
