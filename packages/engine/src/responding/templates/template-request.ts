// What templates can ask of the request they are filled for.

import { isUtf8 } from 'node:buffer';
import { isFastHttpView } from '../../matching/fast-http-view.js';
import { memberOf } from '../../matching/members.js';
import type { RequestView } from '../../request-view.js';
import type { PathPattern } from './path-pattern.js';

export class TemplateRequest {
  readonly view: RequestView;
  readonly #pattern: PathPattern | undefined;
  #now: Date | undefined;

  constructor(view: RequestView, pattern: PathPattern | undefined) {
    this.view = view;
    this.#pattern = pattern;
  }

  /** One moment for all of a response. */
  get now(): Date {
    this.#now ??= new Date();
    return this.#now;
  }

  get method(): string {
    return String(this.view.field('method') ?? '');
  }

  get path(): string {
    return String(this.view.field('path') ?? '');
  }

  /** As text; base64 when it is no text. */
  get body(): string {
    const text = String(this.view.field('body') ?? '');
    return text.includes('\ufffd') && !isUtf8(this.view.rawBody) ? this.view.rawBody.toString('base64') : text;
  }

  /** Values of a repeated name are joined by commas. */
  query(name: string): string | undefined {
    return joined(memberOf(this.view.field('query'), name), ',');
  }

  /** By its name in any case; values of repeated lines are joined as RFC 9110 section 5.2 allows. */
  header(name: string): string | undefined {
    const folded = name.toLowerCase();
    if (isFastHttpView(this.view)) return joined(this.view.foldedHeader(folded), ', ');
    const headers = this.view.field('headers');
    if (typeof headers !== 'object' || headers === null) return undefined;
    const found = Object.keys(headers).find((key) => key.toLowerCase() === folded);
    return found === undefined ? undefined : joined(memberOf(headers, found), ', ');
  }

  pathParam(name: string): string | undefined {
    return this.#pattern?.capture(this.path, name);
  }
}

function joined(value: unknown, separator: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) ? value.join(separator) : String(value);
}
