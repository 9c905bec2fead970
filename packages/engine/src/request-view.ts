// What the engine sees of a request, whatever the protocol: named fields, each made when it is first asked for.

import type { TextReading } from './matching/text-reading.js';
import type { RequestJson } from './model/types.js';

/** What is kept of a request after it was answered. */
export interface RequestRecord {
  /** Mountebank's request object. */
  toJSON(): RequestJson;
  /** The same; a body that is no UTF-8 is base64, and `_mode` says so. */
  toJournalJSON(): RequestJson;
}

export interface RequestView {
  /** Field names in Mountebank's key order; a field that is absent from this request is not listed. */
  fieldNames(): readonly string[];
  /** The value of a field as predicates and scripts see it; undefined when the request does not have it. Memoised. */
  field(name: string): unknown;
  /** The whole request object in Mountebank's key order. Memoised and shared: never change it. */
  toJSON(): RequestJson;
  /** What to keep of the request. Absent: its JSON, made now, is all there is to keep. */
  detach?(): RequestRecord;
  /** First value of a header by its lower-case name. Absent: only `field('headers')` knows. */
  header?(lowerName: string): string | undefined;
  /** Query text of an http request as received; empty when there is none. */
  readonly rawQuery?: string;
  /** The body (or tcp data) as received, before any decoding to text. */
  readonly rawBody: Buffer;
  /** The field `body` of an http request, and what matching made of it; undefined when decompression failed. */
  readonly bodyReading?: TextReading;
  /** Place where matching memoises what it made of this request, by its own keys. */
  readonly memo: Map<unknown, unknown>;
}
