export { create, createApp, type MountebankOptions, type MountebankServer } from './embedding/mountebank.js';
export type { ProtocolTools } from './process/protofile.js';
export { version } from './version.js';
