// Which flow a request belongs to: what a header of it says, or the imposter's port for all.

import type { RequestJson } from '../model/types.js';
import type { RequestView } from '../request-view.js';

export class FlowIdSource {
  /** The header that names the flow, in lower case; undefined: the port does. */
  readonly header: string | undefined;

  /** `source`: `_rift.flowState.flowIdSource`; anything but `header:NAME` means the port. */
  constructor(source: unknown) {
    const name = typeof source === 'string' ? /^header:(.+)$/s.exec(source)?.[1] : undefined;
    this.header = name?.trim().toLowerCase();
  }

  /** The flow of a request that is being served. */
  of(view: RequestView, port: number): string {
    return this.named(view) ?? String(port);
  }

  /** What the header of a request that is being served says; undefined as for `headerOf`. */
  named(view: RequestView): string | undefined {
    const { header } = this;
    if (header === undefined) return undefined;
    return view.header === undefined ? firstValue(view.field('headers'), header) : view.header(header);
  }

  /** What the header of a recorded request says; undefined when it has none, or when the port is the source. */
  headerOf(request: RequestJson): string | undefined {
    return this.header === undefined ? undefined : firstValue(request.headers, this.header);
  }

  /** The flow of a recorded request. */
  ofRecorded(request: RequestJson, port: number): string {
    return this.headerOf(request) ?? String(port);
  }
}

function firstValue(headers: unknown, lowerName: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() !== lowerName) continue;
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return first === undefined || first === null ? undefined : String(first);
  }
  return undefined;
}
