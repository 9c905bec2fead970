// The body of a response as bytes, by profile: JSON for what is no text, base64 decoded in mode `binary`.

import { type Marker, RiftError } from '../../errors.js';
import type { ImposterCore } from '../types.js';

/** Every character that lenient base64 decoding ignores. */
const NOT_BASE64 = /[^A-Za-z0-9+/=]/g;
const EMPTY = Buffer.alloc(0);

/**
 * @param markers Gets what a client is told of a body that is no base64 and is sent as it stands.
 * @throws RiftError `behavior error` for such a body, where failing behaviors are errors.
 */
export function bodyBytes(value: unknown, mode: unknown, core: ImposterCore, markers: Marker[]): Buffer {
  const { profile } = core;
  if (typeof value === 'string') {
    if (mode !== 'binary') return Buffer.from(value, 'utf8');
    return profile === 'mountebank' ? lenientBase64(value) : strictBase64(value, core, markers);
  }
  if (!value) return EMPTY;
  if (typeof value === 'object')
    return Buffer.from(JSON.stringify(value, null, profile === 'mountebank' ? 4 : 0), 'utf8');
  return Buffer.from(String(value), 'utf8');
}

function lenientBase64(text: string): Buffer {
  const clean = text.replace(NOT_BASE64, '');
  const end = clean.indexOf('=');
  return Buffer.from(end === -1 ? clean : clean.slice(0, end), 'base64');
}

/** The standard alphabet with padding (RFC 4648 section 4). */
function strictBase64(text: string, { strict, logger }: ImposterCore, markers: Marker[]): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') === text) return bytes;
  const at = text.search(NOT_BASE64);
  const reason =
    at === -1 ? 'its padding is wrong' : `${JSON.stringify(text[at])} at position ${at} is no base64 digit`;
  if (strict) {
    const answer = { status: 500, markers: ['binary-error'] } as const;
    throw new RiftError('behavior error', `binary base64 decode failed (strictBehaviors): ${reason}`, {}, answer);
  }
  logger.warn('a binary body is sent undecoded, because it is no base64: %s', reason);
  markers.push('binary-error');
  return Buffer.from(text, 'utf8');
}
