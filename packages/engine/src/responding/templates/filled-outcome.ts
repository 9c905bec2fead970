// The outcome of an `is` response with tokens and no behaviors. The response object is made only for those who look at
// it; a protocol that knows the pattern needs the values alone.

import type { ResponseData } from '../../model/types.js';
import type { Filling, ResponseOutcome } from '../types.js';
import type { ResponseTemplate } from './response-template.js';

export class FilledOutcome implements ResponseOutcome, Filling {
  readonly kind = 'response';
  readonly origin = 'is';
  readonly pattern: ResponseTemplate;
  readonly values: readonly string[];

  constructor(pattern: ResponseTemplate, values: readonly string[]) {
    this.pattern = pattern;
    this.values = values;
  }

  get filling(): Filling {
    return this;
  }

  get data(): ResponseData {
    return this.pattern.filled(this.values);
  }
}
