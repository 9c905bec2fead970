// What Mountebank's documentation promises of http and https imposters, as examples of our own: their shape.

import type { Json, JsonObject } from '../model/types.js';

/** A request and what the documentation says of its answer; or what an imposter shows afterwards. */
export type Step =
  | {
      readonly to?: string;
      readonly request: string;
      readonly status?: number;
      readonly headers?: JsonObject;
      readonly body?: string | RegExp;
    }
  | { readonly of?: string; readonly requests: readonly JsonObject[] }
  | {
      readonly of?: string;
      readonly stubs: readonly (readonly [predicates: Json | undefined, ...responses: Json[]])[];
    };

export interface Documented {
  /** Page of the documentation, and what it shows. */
  readonly name: string;
  /** By name; `http://NAME` in them is the address of the imposter of that name. The first gets requests without a name. */
  readonly imposters: { readonly [name: string]: JsonObject };
  /** Files in the working directory of the example: `FOLDER` in texts is its path. */
  readonly files?: { readonly [name: string]: string };
  readonly steps: readonly Step[];
}

export const stub = (body: Json, ...predicates: JsonObject[]): JsonObject => ({
  predicates,
  responses: [{ is: { body } }],
});
export const status = (statusCode: number, ...predicates: JsonObject[]): JsonObject => ({
  predicates,
  responses: [{ is: { statusCode } }],
});
export const one = (...stubs: JsonObject[]): { readonly it: JsonObject } => ({ it: { protocol: 'http', stubs } });
export const says = (
  body: string | RegExp,
  request: string,
  more: { status?: number; headers?: JsonObject } = {},
): Step => ({
  request,
  body,
  ...more,
});

export const BOOK = 'http://books.test/ns';
export const shelf = (titles: readonly string[], prefix = '', attributes: readonly string[] = ['', '', '']) =>
  `<shelf xmlns:b="${BOOK}" size="${titles.length}">${titles
    .map(
      (title, i) =>
        `<book><${prefix}title${attributes[i]}>${title}</${prefix}title><b:note>a fox and ${title}</b:note></book>`,
    )
    .join('')}</shelf>`;
export const TITLES = ['Watership Down', 'The Wind in the Willows', 'Charlotte'];
export const books = JSON.stringify({
  shelf: TITLES.map((title, i) => ({ title, note: `note ${i}`, author: `author ${i}` })),
});
