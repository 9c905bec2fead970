// A fast http view of a request object, as simple as can be: what the fast paths are tested with.

import type { RequestJson } from '../../model/types.js';
import type { FastHttpView } from '../fast-http-view.js';
import { plainView } from '../plain-view.js';
import { TextReading } from '../text-reading.js';

type Value = string | readonly string[];

function lastFolding(map: unknown, folded: string): Value | undefined {
  let found: Value | undefined;
  for (const [name, value] of Object.entries((map ?? {}) as { [name: string]: Value })) {
    if (name.toLowerCase() === folded) found = value;
  }
  return found;
}

export function fastView(request: RequestJson): FastHttpView {
  return Object.assign(plainView(request), {
    method: String(request.method),
    path: String(request.path),
    foldedPath: String(request.path).toLowerCase(),
    foldedHeader: (name: string) => lastFolding(request.headers, name),
    visitHeaders(foldValues: boolean, visit: (name: string, value: string) => void) {
      const headers = Object.entries((request.headers ?? {}) as { [name: string]: Value });
      const names = new Set(headers.map(([name]) => name.toLowerCase()));
      if (names.size < headers.length || headers.some(([, value]) => typeof value !== 'string')) return false;
      for (const [name, value] of headers as [string, string][]) {
        visit(name.toLowerCase(), foldValues ? value.toLowerCase() : value);
      }
      return true;
    },
    foldedQuery: (name: string) => lastFolding(request.query, name),
    bodyReading: request.body === undefined ? undefined : new TextReading(String(request.body)),
  });
}
