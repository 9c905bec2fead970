// Reads the body of an upstream's answer: whole, or, where only the client needs it, as a stream with flat memory.
// A streamed body is held back at first, so that an upstream that dies early is still a clean error.

import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** What is held back before a body becomes a stream. */
const HELD_BYTES = 65_536;
const HELD_MS = 1000;

/**
 * The whole body, or (only if `mayStream`) the message itself with nothing of its body taken away. Rejects when the
 * upstream ends too early or the body is longer than `maxBytes` and cannot be streamed.
 */
export function readBody(
  message: IncomingMessage,
  mayStream: boolean,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Buffer | Readable> {
  if (mayStream && /^text\/event-stream/i.test(message.headers['content-type'] ?? '')) {
    message.on('error', () => {});
    return Promise.resolve(message);
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = mayStream ? setTimeout(toStream, HELD_MS) : undefined;
    message.on('data', onData);
    message.once('end', onEnd);
    // stays for good: an error that comes before somebody reads the stream must not end the process
    message.on('error', onError);

    function onData(chunk: Buffer): void {
      chunks.push(chunk);
      length += chunk.length;
      if (mayStream) {
        if (length > HELD_BYTES) toStream();
      } else if (length > maxBytes) message.destroy(new Error(`the body is longer than ${maxBytes} bytes`));
    }
    function onEnd(): void {
      clearTimeout(timer);
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length));
    }
    function onError(error: Error): void {
      clearTimeout(timer);
      reject(error);
    }
    function toStream(): void {
      clearTimeout(timer);
      message.pause();
      message.removeListener('data', onData);
      message.removeListener('end', onEnd);
      if (length > 0) message.unshift(Buffer.concat(chunks, length));
      resolve(message);
    }
  });
}
