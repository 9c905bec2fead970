// An smtp imposter on the wire. Commands, STARTTLS and the end of a message are `smtp-server`'s; what a message is
// answered with is decided by the stubs.

import type { Socket } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { plainView } from '../../matching/plain-view.js';
import { AcceptLoop, AcceptMeter } from '../../metering/accept-meter.js';
import type { ResponseData } from '../../model/types.js';
import { defaultKeyPair } from '../http/certificate.js';
import type { ImposterCore, Listener } from '../types.js';
import { mailRequest } from './mail.js';

export interface SmtpListenOptions {
  readonly host: string | undefined;
  readonly port: number;
  readonly backlog?: number;
  readonly accepts?: AcceptMeter;
  readonly graceMs: number;
}

/** The answer to a message: the code of the reply and its text. */
interface Reply {
  readonly code: number;
  readonly message: string;
}

const ACCEPTED: Reply = { code: 250, message: 'OK: message queued' };
const SWITCHED_OFF: Reply = { code: 421, message: 'Switched off for now' };
/** Commands that a client may send without logging in, which it never has to. */
const MAX_COMMANDS = 1000;

export async function listenSmtp(core: ImposterCore, options: SmtpListenOptions): Promise<Listener> {
  const listener = new SmtpListener(core, options);
  await listener.listen();
  return listener;
}

class SmtpListener implements Listener {
  readonly #core: ImposterCore;
  readonly #options: SmtpListenOptions;
  readonly #server: SMTPServer;
  readonly #sockets = new Set<Socket>();
  readonly #accepts: AcceptLoop;
  #port = 0;
  /** Messages that are not answered yet. */
  #unanswered = 0;
  #answered = (): void => {};

  constructor(core: ImposterCore, options: SmtpListenOptions) {
    this.#core = core;
    this.#options = options;
    this.#accepts = new AcceptLoop(options.accepts ?? new AcceptMeter(), () => core.logger);
    this.#server = new SMTPServer({
      ...defaultKeyPair(),
      authOptional: true,
      maxAllowedUnauthenticatedCommands: MAX_COMMANDS,
      disableReverseLookup: true,
      // what Mountebank's server does not offer
      hideENHANCEDSTATUSCODES: true,
      hideDSN: true,
      hideREQUIRETLS: true,
      onConnect: (session, callback) => {
        if (core.logger.enabled('debug')) core.logger.debug(`${clientOf(session)} ESTABLISHED`);
        if (!core.enabled) callback(replyError(SWITCHED_OFF));
        else if (core.allows(session.remoteAddress)) callback();
        else callback(replyError({ code: 554, message: 'Your address may not send mail here' }));
      },
      onData: (stream, session, callback) => {
        this.#receive(stream, session).then(
          (reply) => (reply.code === ACCEPTED.code ? callback(null, reply.message) : callback(replyError(reply))),
          (error: unknown) => callback(replyError(this.#refusal(error, session))),
        );
      },
    } as ConstructorParameters<typeof SMTPServer>[0]);
    this.#server.on('error', (error) => core.logger.debug(error.message));
    this.#server.server.on('connection', (socket) => {
      this.#accepts.accepted();
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Also after the end: whoever removes the imposter is shown its last state. */
  get port(): number {
    return this.#port;
  }

  listen(): Promise<void> {
    const { port, host, backlog } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.server.once('error', reject);
      this.#server.server.listen({ port, host, backlog }, () => {
        this.#server.server.off('error', reject);
        this.#server.server.on('error', (error) => this.#accepts.failed(error));
        this.#port = (this.#server.server.address() as { port: number }).port;
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    this.#accepts.closed();
    const closed = new Promise<void>((resolve) => this.#server.server.close(() => resolve()));
    if (this.#options.graceMs > 0 && this.#unanswered > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#options.graceMs);
        this.#answered = () => {
          clearTimeout(timer);
          // the reply goes out in this turn
          setImmediate(resolve);
        };
      });
    }
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Reply> {
    this.#unanswered++;
    try {
      const request = await mailRequest(stream, session);
      if (!this.#core.enabled) return SWITCHED_OFF;
      const { logger } = this.#core;
      const client = clientOf(session);
      this.#core.logRequest(
        () => `${client} => Envelope from: ${JSON.stringify(request.from)} to: ${JSON.stringify(request.to)}`,
      );
      if (logger.enabled('debug')) logger.debug(`${client} => ${JSON.stringify(request)}`);
      const outcome = await this.#core.handle(plainView(request));
      if (outcome.kind === 'fault' && outcome.injected) this.#cutOff(session);
      const reply = outcome.kind === 'response' ? replyOf(outcome.data) : ACCEPTED;
      if (logger.enabled('debug')) {
        logger.debug(`${client} <= ${JSON.stringify(outcome.kind === 'response' ? outcome.data : {})}`);
      }
      return reply;
    } finally {
      this.#unanswered--;
      if (this.#unanswered === 0) this.#answered();
    }
  }

  /** `_rift.fault.tcp`: the connection ends instead of the reply. */
  #cutOff({ remotePort }: SMTPServerSession): void {
    for (const socket of this.#sockets) if (socket.remotePort === remotePort) socket.destroy();
  }

  #refusal(error: unknown, session: SMTPServerSession): Reply {
    const message = error instanceof Error ? error.message : String(error);
    this.#core.logger.error(`${clientOf(session)} X=> ${message}`);
    return { code: 451, message };
  }
}

/** What a stub answers with: 250, unless its `is` has a `code`, which Mountebank's does not look at. */
function replyOf({ code, message }: ResponseData): Reply {
  const given = Number(code);
  const number = Number.isInteger(given) && given >= 200 && given <= 599 ? given : ACCEPTED.code;
  return { code: number, message: message ? String(message) : usualText(number) };
}

function usualText(code: number): string {
  if (code < 400) return ACCEPTED.message;
  return code < 500 ? 'Try again later' : 'Message refused';
}

function replyError({ code, message }: Reply): Error {
  return Object.assign(new Error(message), { responseCode: code });
}

function clientOf({ remoteAddress, remotePort }: SMTPServerSession): string {
  return `${remoteAddress}:${remotePort}`;
}
