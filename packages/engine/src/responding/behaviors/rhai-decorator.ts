// `decorate` in Rhai: statements about `request` and `response` (docs/scripts.md). A text that Mountebank could run never gets
// here: it refuses everything that is no expression for a function.

import { RiftError } from '../../errors.js';
import { type Members, setMember } from '../../matching/members.js';
import type { ResponseData } from '../../model/types.js';
import type { RequestView } from '../../request-view.js';
import { hookExpression } from '../../scripting/hooks.js';
import type { DecorateInput } from '../../scripting/rift/rhai-decorate.js';
import { compileRhaiDecorate } from '../../scripting/rift/run-script.js';
import { ScriptTimeout } from '../../scripting/script-errors.js';
import type { BehaviorContext } from './context.js';

const defaultTimeoutMs = 5000;

/**
 * Undefined when the text is JavaScript after all: it loads a module, or (`orJavascript`) it is no Rhai, and the words of
 * JavaScript about it are the ones that are expected.
 */
export function rhaiDecorator(
  text: string,
  { logger, scriptTimeoutMs = defaultTimeoutMs }: BehaviorContext,
  orJavascript: boolean,
): ((view: RequestView, data: ResponseData) => Promise<ResponseData>) | undefined {
  if (/\brequire\s*\(/.test(text)) return undefined;
  const failure = (data: string): RiftError =>
    new RiftError(
      'invalid injection',
      'invalid decorator injection',
      { source: hookExpression('decorate', text), data },
      { markers: ['decorate-error'] },
    );
  let run: ReturnType<typeof compileRhaiDecorate>;
  try {
    run = compileRhaiDecorate(text);
  } catch (error) {
    if (orJavascript) return undefined;
    return () => Promise.reject(failure((error as Error).message));
  }
  return async (view, data) => {
    const input = inputOf(view, data);
    const result = await run(input, scriptTimeoutMs, ({ level, text: line }) => logger[level]('%s', line));
    if (result.kind === 'timeout') throw new ScriptTimeout('decorate', scriptTimeoutMs);
    if (result.kind === 'error') throw failure(result.message);
    const decorated: ResponseData = { ...data };
    const { response } = input;
    if (result.statusCode !== undefined && result.statusCode !== response.statusCode) {
      decorated.statusCode = result.statusCode;
    }
    if (result.body !== undefined && result.body !== response.body) decorated.body = result.body;
    const changed = result.headers.filter(
      ([name, value]) => !Object.hasOwn(response.headers, name) || response.headers[name] !== value,
    );
    if (changed.length > 0) {
      const headers: Members = { ...(data.headers as Members | undefined) };
      for (const [name, value] of changed) setMember(headers, name, value);
      decorated.headers = headers;
    }
    return decorated;
  };
}

function inputOf(view: RequestView, { statusCode, body, headers }: ResponseData): DecorateInput {
  const status = Number(statusCode ?? 200);
  return {
    request: {
      method: String(view.field('method') ?? ''),
      path: String(view.field('path') ?? ''),
      body: String(view.field('body') ?? view.field('data') ?? ''),
      query: texts(view.field('query')),
      headers: texts(view.field('headers')),
    },
    response: {
      statusCode: Number.isInteger(status) ? status : 200,
      body: typeof body === 'string' ? body : body === undefined || body === null ? '' : JSON.stringify(body),
      headers: texts(headers),
    },
  };
}

/** Repeated values joined with a comma. */
function texts(value: unknown): { readonly [name: string]: string } {
  const members: { [name: string]: string } = {};
  if (typeof value !== 'object' || value === null) return members;
  for (const [name, given] of Object.entries(value)) {
    setMember(members, name, Array.isArray(given) ? given.join(', ') : String(given));
  }
  return members;
}
