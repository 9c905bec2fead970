// The wire layer alone: answers every request with one constant. Usage: RUNTIME constant-server.mjs PORT
import { createWireServer, PreparedResponse } from '../../packages/http/dist/index.js';

const answer = new PreparedResponse({
  statusCode: 200,
  headers: [['Content-Type', 'application/json']],
  body: '{"status":"ok","n":123}',
  framing: 'content-length',
  connection: 'keep',
});
const server = createWireServer({
  limits: {
    maxHeadBytes: 65_536,
    maxHeaderLines: 2000,
    maxBodyBytes: 10_485_760,
    headTimeoutMs: 30_000,
    bodyTimeoutMs: 300_000,
    keepAliveTimeoutMs: 75_000,
    tlsHandshakeTimeoutMs: 10_000,
    maxConnections: undefined,
  },
  onRequest: (exchange) => exchange.send(answer),
});
await server.listen({ port: Number(process.argv[2]), host: '127.0.0.1' });
console.log('ready');
