// Why an imposter could not start, in the words that Mountebank documents. Today's Mountebank shows the raw system
// error instead; clients were written against the documentation.

import { RiftError } from '../errors.js';

interface SystemError extends Error {
  code?: string;
  library?: string;
  reason?: string;
}

/** The error to report when listening on `port` failed with `error`. */
export function bindError(error: unknown, port: number): RiftError {
  if (error instanceof RiftError) return error;
  const { code, message, library, reason } = error as SystemError;
  switch (code) {
    case 'EADDRINUSE':
      return new RiftError('resource conflict', `Port ${port} is already in use`);
    case 'EACCES':
      return new RiftError('insufficient access', 'Run mb in superuser mode if you want access');
    default:
      return new RiftError(code ?? 'bad data', message, library === undefined ? {} : { library, reason });
  }
}
