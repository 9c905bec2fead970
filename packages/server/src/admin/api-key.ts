// The key of the admin API (`--apikey`): one of three headers must carry it. Compared in constant time over digests,
// so that neither content nor length can be measured.
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Logger, RiftError } from '@rift-ts/engine';
import type { AdminRequest } from './request.js';

const keyMessage =
  'If you set the apiKey option, make sure you are sending the correct apiKey in the x-api-key header.';

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'latin1').digest();
}

export type KeyCheck = (request: AdminRequest) => RiftError | undefined;

/** The check for one key; without a key everybody passes. */
export function keyCheck(key: string | null | undefined, logger: Logger): KeyCheck {
  if (key === undefined || key === null || key === '') return () => undefined;
  const wanted = digest(Buffer.from(key, 'utf8').toString('latin1'));
  const matches = (value: string | undefined) => value !== undefined && timingSafeEqual(digest(value), wanted);
  return (request) => {
    const apiKey = request.header('x-api-key');
    const authorization = request.header('authorization');
    const bearer = authorization?.startsWith('Bearer ') === true ? authorization.slice('Bearer '.length) : undefined;
    // all three are compared every time: the answer must not tell which one was near
    const found = [matches(apiKey), matches(authorization), matches(bearer)];
    if (found.includes(true)) return undefined;
    if (apiKey === undefined && authorization !== undefined) {
      logger.error('The Authorization header value does not match the expected API key');
      return new RiftError('unauthorized', 'Invalid authorization token', {}, { riftOnly: true });
    }
    logger.error(
      apiKey === undefined
        ? 'The x-api-key header is required but was not provided'
        : 'The x-api-key header value does not match the expected API key',
    );
    return new RiftError('unauthorized', keyMessage);
  };
}

/** A browser cannot put a key on its preflight (Fetch standard, CORS-preflight request). */
export function isPreflight(request: AdminRequest): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.header('origin') !== undefined &&
    request.header('access-control-request-method') !== undefined
  );
}
