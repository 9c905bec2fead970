// Lines of a child process's output, as they come.

import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Longest line kept: what goes on without an end is cut. */
const MAX_LINE = 1024 * 1024;

/**
 * Calls back with every line, without its end; the last one also when it has no end. `isWhole` may say of text without
 * an end yet that it is a line already; what follows of it is then a line of its own.
 */
export function eachLine(output: Readable, onLine: (line: string) => void, isWhole?: (text: string) => boolean): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const flush = (): void => {
    const line = rest;
    rest = '';
    if (line !== '') onLine(line);
  };
  output.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split(/\r?\n/);
    rest = lines.pop()!;
    for (const line of lines) onLine(line);
    if (rest.length > MAX_LINE || (rest !== '' && isWhole?.(rest))) flush();
  });
  output.on('end', flush);
  output.on('error', () => {});
}
