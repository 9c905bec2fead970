// An `is` response whose header values or body have tokens.

import type { JsonObject, ResponseData } from '../../model/types.js';
import type { RequestView } from '../../request-view.js';
import type { PathPattern } from './path-pattern.js';
import { compileTemplate, type Template, type TemplateOptions } from './template.js';
import { TemplateRequest } from './template-request.js';

/** One header value or the body: its template, and where its values begin among those of the response. */
interface Place {
  readonly template: Template;
  readonly from: number;
}

interface HeaderPlace extends Place {
  readonly name: string;
  /** Position among several values of the header. */
  readonly index: number | undefined;
}

export class ResponseTemplate {
  /** As configured. */
  readonly is: JsonObject;
  readonly slot: { serialized: unknown } = { serialized: undefined };
  readonly #fills: Template['fills'];
  readonly #headers: readonly HeaderPlace[];
  readonly #body: Place | undefined;
  readonly #pattern: PathPattern | undefined;

  /**
   * @param bodyText The body as the text to fill; undefined when it has none.
   * @returns undefined when nothing in the response changes by the request.
   */
  static of(
    is: JsonObject,
    bodyText: string | undefined,
    pattern: PathPattern | undefined,
    options: TemplateOptions,
    headerOptions: TemplateOptions = options,
  ): ResponseTemplate | undefined {
    const fills: Template['fills'][number][] = [];
    const place = (template: Template): Place => {
      const from = fills.length;
      fills.push(...template.fills);
      return { template, from };
    };
    const headers: HeaderPlace[] = [];
    for (const { name, index, value } of headerValues(is.headers)) {
      const template = compileTemplate(value, headerOptions, 'header');
      if (template.fills.length > 0) headers.push({ ...place(template), name, index });
    }
    const template =
      bodyText === undefined
        ? undefined
        : compileTemplate(bodyText, options, typeof is.body === 'string' ? 'plain' : 'json');
    const body = template !== undefined && template.fills.length > 0 ? place(template) : undefined;
    return fills.length === 0 ? undefined : new ResponseTemplate(is, fills, headers, body, pattern);
  }

  private constructor(
    is: JsonObject,
    fills: Template['fills'],
    headers: readonly HeaderPlace[],
    body: Place | undefined,
    pattern: PathPattern | undefined,
  ) {
    this.is = is;
    this.#fills = fills;
    this.#headers = headers;
    this.#body = body;
    this.#pattern = pattern;
  }

  /** Number of values that a filling has. */
  get size(): number {
    return this.#fills.length;
  }

  /** What the tokens stand for, for this request. */
  values(view: RequestView): string[] | Promise<string[]> {
    const fills = this.#fills;
    const request = new TemplateRequest(view, this.#pattern);
    const values = new Array<string>(fills.length);
    for (let i = 0; i < fills.length; i++) {
      const value = fills[i](request);
      if (value instanceof Promise) return this.#waited(request, values, i, value);
      values[i] = value;
    }
    return values;
  }

  async #waited(request: TemplateRequest, values: string[], at: number, first: Promise<string>): Promise<string[]> {
    values[at] = await first;
    for (let i = at + 1; i < values.length; i++) values[i] = await this.#fills[i](request);
    return values;
  }

  /** The response with those values; the body is text where it has tokens. */
  filled(values: readonly string[]): ResponseData {
    const data: ResponseData = { ...this.is };
    if (this.#headers.length > 0) data.headers = this.#filledHeaders(values);
    if (this.#body !== undefined) data.body = filledText(this.#body, values);
    return data;
  }

  #filledHeaders(values: readonly string[]): { [name: string]: unknown } {
    const headers: { [name: string]: unknown } = { ...(this.is.headers as JsonObject) };
    for (const place of this.#headers) {
      const { name, index } = place;
      const text = filledText(place, values);
      if (index === undefined) headers[name] = text;
      else headers[name] = (headers[name] as unknown[]).with(index, text);
    }
    return headers;
  }
}

function filledText({ template: { literals }, from }: Place, values: readonly string[]): string {
  let text = literals[0];
  for (let i = 1; i < literals.length; i++) text += values[from + i - 1] + literals[i];
  return text;
}

function* headerValues(headers: unknown): Generator<{ name: string; index: number | undefined; value: string }> {
  if (typeof headers !== 'object' || headers === null) return;
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') yield { name, index: undefined, value };
    else if (Array.isArray(value)) {
      for (const [index, element] of value.entries())
        if (typeof element === 'string') yield { name, index, value: element };
    }
  }
}
