// All open event streams of the admin server. What happens is numbered while somebody listens, and handed to every stream
// that wants it; without a stream nothing is made and nothing is numbered.
import type { Imposter, ImposterEvent, Imposters } from '@rift-ts/engine';
import { matchTest } from '../match-clauses.js';
import { EventStream } from './event-stream.js';

export type Family = 'requests' | 'lifecycle';

export interface Wish {
  readonly types: readonly Family[];
  /** Events of this imposter only. */
  readonly port: number | undefined;
  /** `match` clauses for request events. */
  readonly clauses: readonly string[];
}

export class EventHub {
  readonly #imposters: Imposters;
  readonly #version: string;
  readonly #streams = new Set<EventStream>();
  #sequence = 0;
  #stop: (() => void) | undefined;

  constructor(imposters: Imposters, version: string) {
    this.#imposters = imposters;
    this.#version = version;
  }

  /** A stream that begins with `hello`. @throws RiftError 400 for a clause that is none */
  open(wish: Wish): EventStream {
    const wants = wanted(wish);
    const { types, port } = wish;
    const stream = new EventStream(wants, () => this.#leave(stream));
    stream.begin({ engineVersion: this.#version, seq: this.#sequence, types, port: port ?? null });
    this.#streams.add(stream);
    this.#stop ??= this.#imposters.events.listen((event) => this.#tell(event));
    return stream;
  }

  /** Ends all streams. */
  close(): void {
    for (const stream of [...this.#streams]) stream.end();
  }

  #tell(event: ImposterEvent): void {
    this.#sequence++;
    for (const stream of this.#streams) stream.offer(event, this.#sequence);
  }

  #leave(stream: EventStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }
}

/** Which events a stream gets. */
function wanted({ types, port, clauses }: Wish): (event: ImposterEvent) => boolean {
  matchTest(clauses, { header: undefined, port: 0 }); // clauses that are none are refused now
  const tests = new WeakMap<Imposter, ReturnType<typeof matchTest>>();
  const matches = (imposter: Imposter, event: Extract<ImposterEvent, { kind: 'request' }>): boolean => {
    if (clauses.length === 0) return true;
    let test = tests.get(imposter);
    if (test === undefined) {
      const source = { header: imposter.flow.source.header, port: imposter.port, absentIsPort: true };
      test = matchTest(clauses, source)!;
      tests.set(imposter, test);
    }
    return test(event.entry.request);
  };
  return (event) => {
    if (event.kind === 'lifecycle') {
      return types.includes('lifecycle') && (port === undefined || event.port === undefined || event.port === port);
    }
    const { imposter } = event;
    return types.includes('requests') && (port === undefined || imposter.port === port) && matches(imposter, event);
  };
}
