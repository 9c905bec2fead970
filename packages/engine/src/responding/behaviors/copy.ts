// `copy`: values of the request are put in the place of tokens in the response.

import type { ResponseData } from '../../model/types.js';
import type { Behavior, BehaviorContext } from './context.js';
import { compileSelection, representative, type Using } from './selection.js';
import { substitute } from './substitution.js';

export function compileCopy(value: unknown, { profile, logger }: BehaviorContext): Behavior {
  const { from, into: token, using } = value as { from: unknown; into: string; using: Using };
  const select = compileSelection(from, using, logger);
  if (token === '') return (_view, data) => data;
  const fill = (data: ResponseData, values: readonly string[]): ResponseData => {
    if (values.length === 0) return profile === 'rift' ? substitute(data, (text) => withoutToken(text, token)) : data;
    const bare = representative(values, using, profile)!;
    return substitute(data, (text) => {
      if (!text.includes(token)) return text;
      let result = text;
      values.forEach((each, index) => {
        result = result.replaceAll(`${token}[${index}]`, () => each);
      });
      return result.replaceAll(token, () => bare);
    });
  };
  return (view, data) => {
    const values = select(view);
    return values instanceof Promise ? values.then((waited) => fill(data, waited)) : fill(data, values);
  };
}

/** Profile rift: a token without a value is removed, its index included. */
function withoutToken(text: string, token: string): string {
  if (!text.includes(token)) return text;
  const [start, ...rest] = text.split(token);
  return start + rest.map((part) => part.replace(/^\[\d+\]/, '')).join('');
}
