// Date tokens in the body of a `defaultResponse`, profile `rift`.

import { isObject } from '../../model/shapes.js';
import type { Json, ResponseData } from '../../model/types.js';
import { substitute } from '../behaviors/substitution.js';
import { withDates } from './dates.js';

/** What makes the part of the default response that changes by the moment; undefined when nothing does. */
export function datedDefault(defaults: Json | undefined): (() => ResponseData) | undefined {
  if (!isObject(defaults) || defaults._mode === 'binary') return undefined;
  const { body } = defaults;
  const filled = (now: Date) => substitute(body, (text) => withDates(text, () => now));
  return filled(new Date()) === body ? undefined : () => ({ body: filled(new Date()) });
}
