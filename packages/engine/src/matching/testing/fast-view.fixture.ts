// A fast http view of a request object, as simple as can be: what the fast paths are tested with.

import type { FamilyVisitor } from '@rift-ts/classifier';
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

function visitFolding(map: unknown, visitor: FamilyVisitor): void {
  for (const [name, value] of Object.entries((map ?? {}) as { [name: string]: Value })) {
    for (const text of typeof value === 'string' ? [value] : value) {
      if (visitor.name(name.toLowerCase())) visitor.text(text);
    }
  }
}

export function fastView(request: RequestJson): FastHttpView {
  return Object.assign(plainView(request), {
    method: String(request.method),
    path: String(request.path),
    foldedPath: String(request.path).toLowerCase(),
    foldedHeader: (name: string) => lastFolding(request.headers, name),
    visitHeaders: (visitor: FamilyVisitor) => visitFolding(request.headers, visitor),
    foldedQuery: (name: string) => lastFolding(request.query, name),
    visitQuery: (visitor: FamilyVisitor) => visitFolding(request.query, visitor),
    hasForm: request.form !== undefined,
    foldedForm: (name: string) => lastFolding(request.form, name),
    visitForm: (visitor: FamilyVisitor) => visitFolding(request.form, visitor),
    bodyReading: request.body === undefined ? undefined : new TextReading(String(request.body)),
  });
}
