export type { ProtocolTools } from './process/protofile.js';
export { version } from './version.js';
