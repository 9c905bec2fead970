// The request of a tcp imposter: Mountebank's object with `requestFrom`, `ip` and `data`.

import type { RequestJson } from '../../model/types.js';
import type { RequestView } from '../../request-view.js';
import type { TcpEncoding } from './framing.js';

/** The other end of a connection. */
export interface Peer {
  readonly ip: string;
  /** `ip:port`. */
  readonly requestFrom: string;
}

const FIELD_NAMES = ['requestFrom', 'ip', 'data'];

export class TcpRequestView implements RequestView {
  readonly rawBody: Buffer;
  readonly #peer: Peer;
  readonly #encoding: TcpEncoding;
  #data: string | undefined;
  #json: RequestJson | undefined;
  #memo: Map<unknown, unknown> | undefined;

  constructor(peer: Peer, message: Buffer, encoding: TcpEncoding) {
    this.#peer = peer;
    this.rawBody = message;
    this.#encoding = encoding;
  }

  /** UTF-8 text, or base64 in binary mode. */
  get data(): string {
    this.#data ??= this.rawBody.toString(this.#encoding);
    return this.#data;
  }

  get memo(): Map<unknown, unknown> {
    this.#memo ??= new Map();
    return this.#memo;
  }

  fieldNames(): readonly string[] {
    return FIELD_NAMES;
  }

  field(name: string): unknown {
    switch (name) {
      case 'data':
        return this.data;
      case 'ip':
      case 'requestFrom':
        return this.#peer[name];
      default:
        return undefined;
    }
  }

  toJSON(): RequestJson {
    this.#json ??= { requestFrom: this.#peer.requestFrom, ip: this.#peer.ip, data: this.data };
    return this.#json;
  }
}
