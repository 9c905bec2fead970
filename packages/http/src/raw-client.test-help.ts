// A client for tests that sees the wire as it is: sends bytes, collects bytes.
import { connect, type Socket } from 'node:net';

/** Dates differ by run: they become `Date: D`. */
export function withoutDate(text: string): string {
  return text.replace(/^Date: .*GMT(?=\r\n)/gm, 'Date: D');
}

export class RawClient {
  readonly socket: Socket;
  received = '';
  /** `end` (FIN), `ECONNRESET` …, or undefined while the server has not closed. */
  closedBy: string | undefined;
  private watchers: (() => void)[] = [];

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    this.socket.on('data', (data) => {
      this.received += data.toString('latin1');
      this.changed();
    });
    this.socket.on('end', () => this.close('end'));
    this.socket.on('error', (error: NodeJS.ErrnoException) => this.close(error.code ?? error.message));
    this.socket.on('close', () => this.close('close'));
  }

  send(bytes: Buffer | string): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Everything received until the server closed the connection. */
  async untilClosed(): Promise<string> {
    await this.until(() => this.closedBy !== undefined);
    this.socket.destroy();
    return this.received;
  }

  /** Everything received once it contains `text`. */
  async untilReceived(text: string): Promise<string> {
    await this.until(() => this.received.includes(text) || this.closedBy !== undefined);
    return this.received;
  }

  private close(by: string): void {
    this.closedBy ??= by;
    this.changed();
  }

  private changed(): void {
    const { watchers } = this;
    this.watchers = [];
    for (const watcher of watchers) watcher();
  }

  private async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.watchers.push(resolve));
  }
}

/** Sends bytes on a new connection and gives back all that comes until the server closes. */
export async function roundTrip(port: number, bytes: Buffer | string): Promise<string> {
  const client = new RawClient(port);
  client.send(bytes);
  return withoutDate(await client.untilClosed());
}
