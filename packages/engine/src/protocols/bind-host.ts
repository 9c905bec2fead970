// Where an imposter listens. Mountebank takes a `host` that is no address (a number, an object, the empty text) for none.

import type { ImposterJson } from '../model/types.js';

/** The imposter's own `host`, else that of the process; undefined: all interfaces, dual stack. */
export function bindHost({ host }: ImposterJson, ofProcess: string | undefined): string | undefined {
  return typeof host === 'string' && host !== '' ? host : ofProcess;
}
