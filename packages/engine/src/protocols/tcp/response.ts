// What a tcp imposter writes for a response object, and for an error. Mountebank docs: protocols/tcp.

import { RiftError } from '../../errors.js';
import type { JsonObject, ResponseData } from '../../model/types.js';
import type { TcpEncoding } from './framing.js';

export interface TcpAnswer {
  /** May be empty: then nothing is written. */
  readonly bytes: Buffer;
  /** Whether the connection ends after the bytes (`"close": true`, which Mountebank does not have). */
  readonly close: boolean;
}

export function tcpAnswer(response: ResponseData, defaults: JsonObject | undefined, encoding: TcpEncoding): TcpAnswer {
  const data = response.data || defaults?.data;
  return { bytes: dataBytes(data, encoding), close: (response.close ?? defaults?.close) === true };
}

/** Texts by mode, arrays as byte numbers, whatever else a script may give as text. */
function dataBytes(data: unknown, encoding: TcpEncoding): Buffer {
  if (typeof data === 'string') return Buffer.from(data, encoding);
  if (!data) return Buffer.alloc(0);
  if (Array.isArray(data)) return Buffer.from(data as number[]);
  if (Buffer.isBuffer(data) || data instanceof Uint8Array) return Buffer.from(data);
  return Buffer.from(typeof data === 'object' ? JSON.stringify(data) : String(data), 'utf8');
}

/** Compact JSON; unlike in Mountebank always with code and message. */
export function errorText(error: unknown): string {
  const shown =
    error instanceof RiftError
      ? error.toJSON()
      : { code: 'bad data', message: error instanceof Error ? error.message : String(error) };
  return JSON.stringify({ errors: [shown] });
}
