// A request that did not come over the wire of its imposter but as JSON to the admin API, from a process that speaks the
// protocol (Mountebank docs: custom protocols).
import type { JsonObject, RequestView } from '@rift-ts/engine';

export class PostedRequest implements RequestView {
  readonly memo = new Map<unknown, unknown>();
  #rawBody: Buffer | undefined;

  constructor(private readonly json: JsonObject) {}

  fieldNames(): readonly string[] {
    return Object.keys(this.json);
  }

  field(name: string): unknown {
    return Object.hasOwn(this.json, name) ? this.json[name] : undefined;
  }

  toJSON(): JsonObject {
    return this.json;
  }

  get rawBody(): Buffer {
    const body = this.field('body') ?? this.field('data') ?? '';
    this.#rawBody ??= Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    return this.#rawBody;
  }
}
