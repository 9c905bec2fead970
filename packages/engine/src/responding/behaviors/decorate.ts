// `decorate`: a user's function changes the response or makes a new one.

import vm from 'node:vm';
import { RiftError } from '../../errors.js';
import type { ResponseData } from '../../model/types.js';
import type { RequestView } from '../../request-view.js';
import { ScriptTimeout } from '../../scripting/script-errors.js';
import type { Behavior, BehaviorContext } from './context.js';
import { rhaiDecorator } from './rhai-decorator.js';

export function compileDecorate(value: unknown, context: BehaviorContext): Behavior {
  const { profile, strict, logger } = context;
  const decorate = decorator(String(value), context);
  return async (view, data, markers): Promise<ResponseData> => {
    try {
      return await decorate(view, data);
    } catch (error) {
      if (!(error instanceof RiftError) || profile === 'mountebank') throw error;
      const reason = String(error.extras.data ?? error.message);
      const timedOut = error instanceof ScriptTimeout;
      if (strict) {
        throw new RiftError(
          'behavior error',
          `decorate failed (strictBehaviors): ${reason}`,
          {},
          {
            ...error.answer,
            status: timedOut ? 504 : 500,
          },
        );
      }
      logger.warn('decorate failed, the response is served undecorated: %s', reason);
      markers.push('decorate-error');
      if (timedOut) markers.push('script-timeout');
      return data;
    }
  };
}

type Decorator = (view: RequestView, data: ResponseData) => Promise<ResponseData>;

function decorator(value: string, context: BehaviorContext): Decorator {
  const { scripts, profile } = context;
  const text = functionText(value);
  if (scripts === undefined) {
    const refusal = new RiftError('invalid injection', 'invalid decorator injection', { source: text });
    return () => Promise.reject(refusal);
  }
  if (text === value && !isFunctionExpression(text)) {
    const inRhai = rhaiDecorator(text, context, profile === 'mountebank' || functionStart.test(text));
    if (inRhai !== undefined) return inRhai;
  }
  return (view, data) => scripts.decorate(text, view.toJSON(), data);
}

/**
 * The JavaScript function in a `decorate` text. Rift also knows plain statements about `config.request` and
 * `config.response`, which Mountebank cannot run.
 */
function functionText(text: string): string {
  const statements = /\bconfig\.(request|response)\./.test(text) && !isFunctionExpression(text);
  return statements ? `function (config) { ${text}\n }` : text;
}

const functionStart = /^\s*(\(|function\b|async\b|[\w$]+\s*=>)/;

function isFunctionExpression(text: string): boolean {
  if (!functionStart.test(text)) return false;
  try {
    new vm.Script(`(${text})`);
    return true;
  } catch {
    return false;
  }
}
