// One client of a tcp imposter. Messages are independent of each other: while one waits for its answer, the next is
// already handled, and answers go out when they are ready, as in Mountebank.

import type { Socket } from 'node:net';
import { tcpFault } from '../../responding/faults/tcp-faults.js';
import type { Outcome } from '../../responding/types.js';
import type { ImposterCore } from '../types.js';
import { type Framing, MessageCollector } from './framing.js';
import { type Peer, TcpRequestView } from './request-view.js';
import { errorText, type TcpAnswer, tcpAnswer } from './response.js';

/** Bytes that may wait for the user's function, or for a client that does not read, before we stop reading. */
const HIGH_WATER_BYTES = 16 * 1024 * 1024;
/** How long a connection that we ended may stay open at the client's end. */
const LINGER_MS = 2000;
/** Characters of a request that its log line shows. */
const LOGGED = 20;

export class TcpConnection {
  readonly socket: Socket;
  readonly #core: ImposterCore;
  readonly #framing: Framing;
  readonly #peer: Peer;
  readonly #messages: MessageCollector;
  /** Messages whose answers are not there yet. */
  #unanswered = 0;
  /** Nothing more is read or answered. */
  #over = false;
  /** The connection ends once everything is answered: the client ended its side, or the imposter stops. */
  #leaving = false;

  constructor(socket: Socket, core: ImposterCore, framing: Framing) {
    this.socket = socket;
    this.#core = core;
    this.#framing = framing;
    const ip = socket.remoteAddress ?? '';
    this.#peer = { ip, requestFrom: `${ip}:${socket.remotePort ?? ''}` };
    this.#messages = new MessageCollector(
      framing,
      (message) => this.#receive(message),
      () => this.#settle(),
    );
    this.#debug(() => 'ESTABLISHED');
    if (!core.enabled) this.#drop();
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('drain', () => this.#settle());
    socket.on('end', () => {
      this.#debug(() => 'LAST-ACK');
      this.leave();
    });
    socket.on('error', (error) => this.#debug(() => `ended: ${error.message}`));
    socket.on('close', () => {
      this.#over = true;
      this.#debug(() => 'CLOSED');
    });
  }

  /** Whether nothing waits for an answer. */
  get idle(): boolean {
    return this.#unanswered === 0 && this.#messages.idle;
  }

  /** Ends the connection as soon as everything received is answered. */
  leave(): void {
    this.#leaving = true;
    this.#settle();
  }

  #read(chunk: Buffer): void {
    if (this.#over) return;
    this.#messages.push(chunk);
    if (this.#overloaded) this.socket.pause();
  }

  get #overloaded(): boolean {
    return this.#messages.waitingBytes > HIGH_WATER_BYTES || this.socket.writableLength > HIGH_WATER_BYTES;
  }

  #settle(): void {
    if (this.#over) return;
    if (this.#leaving && this.idle) this.#end();
    else if (this.socket.isPaused() && !this.#overloaded) this.socket.resume();
  }

  #receive(message: Buffer): void {
    if (this.#over) return;
    const view = new TcpRequestView(this.#peer, message, this.#framing.encoding);
    this.#core.logRequest(() => `${this.#peer.requestFrom} => ${beginning(view.data)}`);
    if (!this.#core.enabled || !this.#core.allows(this.#peer.ip)) {
      this.#drop();
      return;
    }
    this.#debug(() => `=> ${JSON.stringify(view.data)}`);
    try {
      const outcome = this.#core.handle(view);
      if (outcome instanceof Promise) void this.#answerLater(outcome);
      else this.#answer(outcome);
    } catch (error) {
      this.#answerError(error);
    }
  }

  async #answerLater(outcome: Promise<Outcome>): Promise<void> {
    this.#unanswered++;
    try {
      this.#answer(await outcome);
    } catch (error) {
      this.#answerError(error);
    }
    this.#unanswered--;
    this.#settle();
  }

  #answer(outcome: Outcome): void {
    if (this.#over) return;
    if (outcome.kind === 'response') {
      const { slot } = outcome;
      const kept = slot?.serialized as TcpAnswer | undefined;
      const { creation } = this.#core;
      const answer =
        kept ??
        tcpAnswer(outcome.data, creation.defaultResponse as typeof creation | undefined, this.#framing.encoding);
      if (slot !== undefined) slot.serialized = answer;
      this.#debug(() => `<= ${JSON.stringify(answer.bytes.toString(this.#framing.encoding))}`);
      if (answer.close) this.#end(answer.bytes);
      else if (answer.bytes.length > 0) this.socket.write(answer.bytes);
    } else if (outcome.kind === 'fault') {
      this.#break(outcome.fault, outcome.injected);
    } else {
      this.#drop();
    }
  }

  #drop(): void {
    this.#over = true;
    this.socket.destroy();
  }

  #break(name: string, injected?: boolean): void {
    const fault = tcpFault(name, this.#core.profile, injected);
    if (fault === undefined) {
      this.#core.logger.error(
        `Unexpected fault type [${name}], expected either CONNECTION_RESET_BY_PEER or RANDOM_DATA_THEN_CLOSE`,
      );
    } else if (fault === 'reset') {
      this.#over = true;
      this.socket.resetAndDestroy();
    } else {
      this.#end(fault.bytes);
    }
  }

  #answerError(error: unknown): void {
    const text = errorText(error);
    if (this.#core.logger.enabled('error')) this.#core.logger.error(`${this.#peer.requestFrom} X=> ${text}`);
    if (!this.#over) this.socket.write(text);
  }

  /** Sends FIN after the bytes, then drops what the client may still send: a reset would take the bytes with it. */
  #end(bytes?: Buffer): void {
    this.#over = true;
    const { socket } = this;
    if (bytes !== undefined && bytes.length > 0) socket.end(bytes);
    else socket.end();
    socket.resume();
    socket.setTimeout(LINGER_MS, () => socket.destroy());
  }

  #debug(line: () => string): void {
    if (this.#core.logger.enabled('debug')) this.#core.logger.debug(`${this.#peer.requestFrom} ${line()}`);
  }
}

function beginning(data: string): string {
  return data.length > LOGGED ? `${data.slice(0, LOGGED)}...` : data;
}
