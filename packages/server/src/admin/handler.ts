// The admin API as a request handler of Node's http module, to be mounted under a path of somebody else's server. Paths
// and links are those below the mount: whoever mounts strips theirs from `request.url`, as Express does.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { splitTarget } from './request.js';
import { type AdminServerOptions, adminService } from './server.js';

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Clients of other addresses than `allows` says are cut off. */
export function adminHandler(options: AdminServerOptions): NodeHandler {
  const { service } = adminService(options, options.port, options.loggerFor(`mb:${options.port}`));
  const answer: (...args: Parameters<NodeHandler>) => Promise<void> = async (request, response) => {
    const { remoteAddress: address = '', remotePort: port = 0 } = request.socket;
    if (!options.allows(address)) {
      request.socket.destroy();
      return;
    }
    const target = request.url ?? '/';
    const reply = await service.handle({
      method: request.method ?? 'GET',
      target,
      ...splitTarget(target),
      header: (name) => {
        const value = request.headers[name];
        return Array.isArray(value) ? value[0] : value;
      },
      body: await text(request),
      peer: { address, port },
    });
    response.writeHead(reply.status, reply.headers.flat());
    if (reply.stream !== undefined) await pipeline(reply.stream, response);
    else {
      const { body } = reply;
      response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : Buffer.concat(body));
    }
  };
  return (request, response) => {
    answer(request, response).catch(() => response.destroy());
  };
}
