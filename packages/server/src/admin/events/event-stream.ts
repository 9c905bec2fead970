// One reader of events, as server-sent events (WHATWG HTML, section 9.2). A reader that is slower than what happens gets
// what fits into its queue, then how many events it missed: neither traffic nor memory waits for it.
import { Readable } from 'node:stream';
import type { ImposterEvent } from '@rift-ts/engine';

/** Events that wait for a reader. */
const MOST_WAITING = 1024;
const PING_MS = 15_000;

interface Waiting {
  readonly event: ImposterEvent;
  readonly sequence: number;
}

export class EventStream extends Readable {
  readonly #wants: (event: ImposterEvent) => boolean;
  readonly #left: () => void;
  readonly #ping: NodeJS.Timeout;
  #waiting: Waiting[] = [];
  #missed = 0;
  /** The reader takes more. */
  #flowing = false;
  #ending = false;

  /** `left` is called when the reader has gone or the stream has ended. */
  constructor(wants: (event: ImposterEvent) => boolean, left: () => void) {
    super({ highWaterMark: 16_384 });
    this.#wants = wants;
    this.#left = left;
    this.#ping = setInterval(() => {
      if (this.#flowing && this.#waiting.length === 0) this.#write(': ping\n\n');
    }, PING_MS).unref();
  }

  begin(hello: object): void {
    this.push(frame('hello', undefined, hello));
  }

  offer(event: ImposterEvent, sequence: number): void {
    if (this.#ending || !this.#wants(event)) return;
    // once something was missed, everything is until that has been said
    if (this.#missed > 0 || this.#waiting.length === MOST_WAITING) this.#missed++;
    else this.#waiting.push({ event, sequence });
    this.#drain();
  }

  /** Ends the stream; what waits is not sent any more. */
  end(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#waiting = [];
    this.push(null);
    this.#over();
  }

  override _read(): void {
    this.#flowing = true;
    this.#drain();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#ending = true;
    this.#waiting = [];
    this.#over();
    callback(error);
  }

  #drain(): void {
    let at = 0;
    while (this.#flowing && !this.#ending && at < this.#waiting.length) this.#write(text(this.#waiting[at++]!));
    if (at > 0) this.#waiting.splice(0, at);
    if (!this.#flowing || this.#ending || this.#waiting.length > 0 || this.#missed === 0) return;
    const missed = this.#missed;
    this.#missed = 0;
    this.#write(frame('lagged', undefined, { missed }));
  }

  #write(chunk: string): void {
    this.#flowing = this.push(chunk);
  }

  #over(): void {
    clearInterval(this.#ping);
    this.#left();
  }
}

function frame(name: string, id: number | undefined, data: object): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

function text({ event, sequence }: Waiting): string {
  if (event.kind === 'lifecycle') {
    const { action, port } = event;
    return frame('imposter', sequence, port === undefined ? { action } : { action, port });
  }
  const { imposter, entry } = event;
  const flowId = imposter.flow.source.ofRecorded(entry.request, imposter.port);
  const data = { port: imposter.port, flowId, index: entry.index, request: entry.recorded() };
  return frame('request', sequence, data);
}
