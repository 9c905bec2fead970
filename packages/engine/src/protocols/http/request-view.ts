// The request of an http or https imposter: Mountebank's request object, each field made when it is asked for.
// Written for speed: a stub that tests method and path makes no header map and no query map.

import { isUtf8 } from 'node:buffer';
import type { FamilyVisitor } from '@rift-ts/classifier';
import type { WireRequest } from '@rift-ts/http';
import type { FastHttpView } from '../../matching/fast-http-view.js';
import { TextReading, UNMADE } from '../../matching/text-reading.js';
import type { RequestJson } from '../../model/types.js';
import type { RequestRecord } from '../../request-view.js';
import { readingOfBody } from './known-bodies.js';
import { type Fields, lastFolding, parsePairs, Target, visitFolded } from './target.js';

const FORM_TYPE = 'application/x-www-form-urlencoded';

export class HttpRequestView implements FastHttpView {
  readonly wire: WireRequest;
  /** Body after content decoding; undefined when decoding failed, then the request has no field `body`. */
  readonly #decoded: Buffer | undefined;
  readonly #binaryAsBase64: boolean;
  #target: Target | undefined;
  #query: Fields | undefined;
  #headers: Fields | undefined;
  #bodyReading: TextReading | undefined;
  #form: Fields | undefined | null;
  #json: RequestJson | undefined;
  #memo: Map<unknown, unknown> | undefined;

  /**
   * `decoded`: the body after content decoding, undefined when that failed. `binaryAsBase64`: a body that is no UTF-8 is
   * shown in base64 instead of as text with replacement characters.
   */
  constructor(wire: WireRequest, decoded: Buffer | undefined, binaryAsBase64 = false) {
    this.wire = wire;
    this.#decoded = decoded;
    this.#binaryAsBase64 = binaryAsBase64;
  }

  get method(): string {
    return this.wire.method;
  }

  get #asked(): Target {
    this.#target ??= Target.of(this.wire.knownTarget);
    return this.#target;
  }

  get path(): string {
    return this.#asked.path;
  }

  get foldedPath(): string {
    return this.#asked.foldedPath;
  }

  get query(): Fields {
    this.#query ??= parsePairs(this.rawQuery);
    return this.#query;
  }

  get rawQuery(): string {
    return this.#asked.rawQuery;
  }

  get headers(): Fields {
    this.#headers ??= headerFields(this.wire.rawHeaders);
    return this.#headers;
  }

  header(lowerName: string): string | undefined {
    return this.wire.header(lowerName);
  }

  foldedHeader(foldedName: string): string | readonly string[] | undefined {
    // nearly always a header is absent or there once, and then there is no need for the map
    const { wire } = this;
    const first = wire.header(foldedName);
    return first === undefined || !wire.repeats(foldedName) ? first : lastFolding(this.headers, foldedName);
  }

  visitHeaders(visitor: FamilyVisitor): void {
    this.wire.visitHeaders(visitor);
  }

  foldedQuery(foldedName: string): string | readonly string[] | undefined {
    return this.#asked.parameter(foldedName);
  }

  visitQuery(visitor: FamilyVisitor): void {
    this.#asked.visitParameters(visitor);
  }

  get hasForm(): boolean {
    return this.#formOfReading() !== undefined;
  }

  foldedForm(foldedName: string): string | readonly string[] | undefined {
    const fields = this.#formOfReading();
    return fields === undefined ? undefined : lastFolding(fields, foldedName);
  }

  visitForm(visitor: FamilyVisitor): void {
    const fields = this.#formOfReading();
    if (fields !== undefined) visitFolded(fields, visitor);
  }

  /** The form as the body's reading keeps it: shared, never to be changed or shown. */
  #formOfReading(): Fields | undefined {
    if (!this.#isForm()) return undefined;
    const reading = this.bodyReading;
    if (reading === undefined || reading.text === '') return undefined;
    const made = reading.made('form');
    return made === UNMADE ? reading.keep('form', parsePairs(reading.text)) : (made as Fields);
  }

  /** Body as UTF-8 text, or in base64; undefined when its content encoding could not be undone. */
  get body(): string | undefined {
    return this.bodyReading?.text;
  }

  get bodyReading(): TextReading | undefined {
    if (this.#bodyReading === undefined && this.#decoded !== undefined) {
      this.#bodyReading =
        readingOfBody(this.#decoded) ??
        new TextReading(this.#decoded.toString(this.#binaryAsBase64 ? 'base64' : 'utf8'));
    }
    return this.#bodyReading;
  }

  /** Whether the body is no UTF-8. */
  get isBinary(): boolean {
    return this.#decoded !== undefined && this.#decoded.length > 0 && !isUtf8(this.#decoded);
  }

  get form(): Fields | undefined {
    if (this.#form === undefined) this.#form = this.#readForm();
    return this.#form ?? undefined;
  }

  get ip(): string {
    return this.wire.connection.remoteAddress;
  }

  get requestFrom(): string {
    const { remoteAddress, remotePort } = this.wire.connection;
    return `${remoteAddress}:${remotePort}`;
  }

  get rawBody(): Buffer {
    return this.wire.body;
  }

  get memo(): Map<unknown, unknown> {
    this.#memo ??= new Map();
    return this.#memo;
  }

  fieldNames(): readonly string[] {
    const names = ['requestFrom', 'method', 'path', 'query', 'headers'];
    if (this.body !== undefined) names.push('body');
    names.push('ip');
    if (this.form !== undefined) names.push('form');
    return names;
  }

  field(name: string): unknown {
    switch (name) {
      case 'requestFrom':
      case 'method':
      case 'path':
      case 'query':
      case 'headers':
      case 'body':
      case 'ip':
      case 'form':
        return this[name];
      default:
        return undefined;
    }
  }

  toJSON(): RequestJson {
    if (this.#json === undefined) {
      const json: RequestJson = {};
      for (const name of this.fieldNames()) {
        json[name] = this.field(name);
        if (name === 'body' && this.#binaryAsBase64 && this.isBinary) json._mode = 'binary';
      }
      this.#json = json;
    }
    return this.#json;
  }

  detach(): RequestRecord {
    return new HttpRequestRecord(this.wire.detach(), this.#decoded, this.#binaryAsBase64);
  }

  #readForm(): Fields | null {
    const text = this.body;
    return text && this.#isForm() ? parsePairs(text) : null;
  }

  #isForm(): boolean {
    const type = this.wire.header('content-type');
    if (type === undefined || type === FORM_TYPE) return type !== undefined;
    return type.split(';', 1)[0].trim().toLowerCase() === FORM_TYPE;
  }
}

/** A recorded request: its head and body as compact text, read again when somebody asks. */
class HttpRequestRecord implements RequestRecord {
  readonly #head: ReturnType<WireRequest['detach']>;
  /** Bytes as Latin-1. */
  readonly #body: string | undefined;
  readonly #binaryAsBase64: boolean;

  constructor(head: ReturnType<WireRequest['detach']>, body: Buffer | undefined, binaryAsBase64: boolean) {
    this.#head = head;
    this.#body = body?.toString('latin1');
    this.#binaryAsBase64 = binaryAsBase64;
  }

  toJSON(): RequestJson {
    return this.#view(this.#binaryAsBase64).toJSON();
  }

  toJournalJSON(): RequestJson {
    return this.#view(true).toJSON();
  }

  #view(binaryAsBase64: boolean): HttpRequestView {
    const body = this.#body === undefined ? undefined : Buffer.from(this.#body, 'latin1');
    return new HttpRequestView(this.#head.restore(body ?? Buffer.alloc(0)), body, binaryAsBase64);
  }
}

/** Header lines as an object: names in the sender's case, values of one spelling collected in order of arrival. */
function headerFields(raw: readonly string[]): Fields {
  const fields: Fields = Object.create(null);
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i];
    const value = raw[i + 1];
    const present = fields[name];
    if (present === undefined) fields[name] = value;
    else if (typeof present === 'string') fields[name] = [present, value];
    else present.push(value);
  }
  return fields;
}
