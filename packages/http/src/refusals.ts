// What a request that never became an exchange is answered with, unless the user of the server says otherwise: the
// bytes that Node's http server (and so Mountebank) sends.
import { httpDate } from './http-date.js';
import type { Refusal } from './types.js';

const bare = (status: string): Buffer => Buffer.from(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`, 'latin1');

const badRequest = bare('400 Bad Request');
const headTooLarge = bare('431 Request Header Fields Too Large');
const bodyTooLarge = bare('413 Payload Too Large');
const timeout = bare('408 Request Timeout');

const NO_BODY = 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n';

/** The default answer to a refused request; `head`: to HEAD, `kept`: the connection may be kept. */
export function refusalBytes(refusal: Refusal, head = false, kept = true): Buffer {
  const end = head ? '\r\n' : NO_BODY;
  switch (refusal) {
    case 'head-too-large':
      return headTooLarge;
    case 'body-too-large':
    case 'extensions-too-large':
      return bodyTooLarge;
    case 'head-timeout':
      return timeout;
    case 'missing-host':
      return Buffer.from(`HTTP/1.1 400 Bad Request\r\nConnection: close\r\nDate: ${httpDate()}\r\n${end}`);
    case 'expectation-failed': {
      const connection = kept ? 'keep-alive\r\nKeep-Alive: timeout=5' : 'close';
      return Buffer.from(
        `HTTP/1.1 417 Expectation Failed\r\nDate: ${httpDate()}\r\nConnection: ${connection}\r\n${end}`,
      );
    }
    default:
      return badRequest;
  }
}
