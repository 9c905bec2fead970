// Reads creation-cases.txt: what a creation request answers in profile `mountebank`.

import { readFileSync } from 'node:fs';
import type { JsonObject } from './types.js';

export interface CreationCase {
  /** The row as it is written, and whether scripts are allowed: the name of a test. */
  readonly name: string;
  readonly allowInjection: boolean;
  /** Mountebank answers differently. */
  readonly fix: boolean;
  readonly post: unknown;
  /** The elements of `errors`; undefined when the imposter is created. */
  readonly errors: object[] | undefined;
}

const row = /^(?:(allow|deny) )?(FIX )?([ISRBP]) (.*?) -> (.*)$/;
const errorText = /^(INJECTION )?(.*?)(?: @(.*?))?(?: \+(\{.*\}))?$/;

function imposter(kind: string, part: unknown): unknown {
  const http = (stub: unknown) => ({ protocol: 'http', stubs: [stub] });
  switch (kind) {
    case 'S':
      return http(part);
    case 'R':
      return http({ responses: [part] });
    case 'B':
      return http({ responses: [{ is: {}, behaviors: [part] }] });
    case 'P':
      return http({ predicates: [part], responses: [{ is: {} }] });
    default:
      return part;
  }
}

function sourceOf(word: string, post: unknown): unknown {
  const stub = (post as { stubs?: JsonObject[] } | null)?.stubs?.[0];
  const response = () => (stub!.responses as JsonObject[])[0]!;
  switch (word) {
    case 'stub':
      return stub;
    case 'text':
      return JSON.stringify(stub);
    case 'response':
      return response();
    case 'behavior':
      return (response().behaviors as JsonObject[])[0];
    default:
      return JSON.parse(word);
  }
}

function errorOf(text: string, post: unknown): object {
  const [, injection, message, source, extras] = errorText.exec(text)!;
  return {
    code: injection === undefined ? 'bad data' : 'invalid injection',
    message,
    ...(source === undefined ? {} : { source: sourceOf(source, post) }),
    ...(extras === undefined ? {} : JSON.parse(extras)),
  };
}

export function creationCases(): CreationCase[] {
  const text = readFileSync(new URL('../../src/model/creation-cases.txt', import.meta.url), 'utf8');
  const cases: CreationCase[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const match = row.exec(line);
    if (match === null) throw new Error(`not a row: ${line}`);
    const [, only, fix, kind, input, answer] = match;
    const post = imposter(kind!, JSON.parse(input!));
    const errors = answer === 'created' ? undefined : answer!.split(' || ').map((part) => errorOf(part, post));
    for (const allowInjection of only === undefined ? [true, false] : [only === 'allow']) {
      const name = `${allowInjection ? 'with' : 'without'} injection: ${line}`;
      cases.push({ name, allowInjection, fix: fix !== undefined, post, errors });
    }
  }
  return cases;
}
