// Where one tcp message ends: at the end of each chunk that the network delivers, or, with an `endOfRequestResolver`,
// where the user's function says that what was collected so far is complete. Mountebank docs: protocols/tcp.

import type { JsonObject } from '../../model/types.js';
import type { ImposterCore } from '../types.js';

export type TcpEncoding = 'utf8' | 'base64';

/** How an imposter cuts bytes into messages and shows them as text; the same for its clients and its upstreams. */
export interface Framing {
  readonly encoding: TcpEncoding;
  /** Absent: every chunk is a message. */
  readonly isComplete?: (collected: Buffer) => Promise<boolean>;
}

export function encodingOf({ mode }: JsonObject): TcpEncoding {
  return mode === 'binary' ? 'base64' : 'utf8';
}

export function framingOf({ creation, scripts }: ImposterCore): Framing {
  const encoding = encodingOf(creation);
  const resolver = creation.endOfRequestResolver as JsonObject | undefined;
  const source = resolver?.inject;
  if (!source) return { encoding };
  return {
    encoding,
    isComplete: (collected) =>
      scripts.endOfRequest(String(source), encoding === 'utf8' ? collected.toString('utf8') : collected),
  };
}

/** Makes messages of chunks, in order. The function is asked about one chunk after the other, as they came. */
export class MessageCollector {
  readonly #framing: Framing;
  readonly #onMessage: (message: Buffer) => void;
  /** Called when chunks that waited for the function are used up. */
  readonly #onIdle: () => void;
  readonly #waiting: Buffer[] = [];
  #collected: Buffer[] = [];
  #asking = false;
  /** Bytes that wait for the function. */
  waitingBytes = 0;

  constructor(framing: Framing, onMessage: (message: Buffer) => void, onIdle: () => void) {
    this.#framing = framing;
    this.#onMessage = onMessage;
    this.#onIdle = onIdle;
  }

  get idle(): boolean {
    return !this.#asking;
  }

  push(chunk: Buffer): void {
    const { isComplete } = this.#framing;
    if (isComplete === undefined) {
      this.#onMessage(chunk);
      return;
    }
    this.#waiting.push(chunk);
    this.waitingBytes += chunk.length;
    if (!this.#asking) void this.#ask(isComplete);
  }

  async #ask(isComplete: (collected: Buffer) => Promise<boolean>): Promise<void> {
    this.#asking = true;
    for (let chunk = this.#waiting.shift(); chunk !== undefined; chunk = this.#waiting.shift()) {
      this.waitingBytes -= chunk.length;
      this.#collected.push(chunk);
      const message = this.#collected.length === 1 ? chunk : Buffer.concat(this.#collected);
      this.#collected = [message];
      if (await isComplete(message)) {
        this.#collected = [];
        this.#onMessage(message);
      }
    }
    this.#asking = false;
    this.#onIdle();
  }
}
