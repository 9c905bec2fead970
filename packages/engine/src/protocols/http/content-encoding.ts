// Undoes the content encoding of a request body, so that predicates see what the client meant (Mountebank does so for
// exactly `gzip` and `br`). A body that cannot be decoded is missing, not empty.

import { promisify } from 'node:util';
import { brotliDecompress, brotliDecompressSync, gunzip, gunzipSync } from 'node:zlib';
import type { WireRequest } from '@rift-ts/http';

/** Compressed bytes up to which decoding in place is cheaper than handing it to another thread. */
const IN_PLACE = 4096;
/** A body may grow this much: past it decoding counts as failed (a decompression bomb). */
const MAX_DECODED = 256 * 1024 * 1024;

const gunzipAsync = promisify(gunzip);
const brotliAsync = promisify(brotliDecompress);

/** The decoded body, undefined when decoding failed; a promise only for large encoded bodies. */
export function decodeBody(wire: WireRequest): Buffer | undefined | Promise<Buffer | undefined> {
  const { body } = wire;
  const encoding = wire.header('content-encoding');
  if (encoding !== 'gzip' && encoding !== 'br') return body;
  // nothing at all is no compressed text either: the body is missing
  if (body.length === 0) return undefined;
  const options = { maxOutputLength: MAX_DECODED };
  if (body.length > IN_PLACE) {
    return (encoding === 'gzip' ? gunzipAsync(body, options) : brotliAsync(body, options)).catch(() => undefined);
  }
  try {
    return encoding === 'gzip' ? gunzipSync(body, options) : brotliDecompressSync(body, options);
  } catch {
    return undefined;
  }
}
