export { freePort, freePorts } from './free-ports.js';
export { type Mountebank, startMountebank } from './mountebank.js';
export { type RawAnswer, type RawOptions, rawExchange } from './raw-exchange.js';
export { hasRedis, type Redis, startRedis } from './redis.js';
