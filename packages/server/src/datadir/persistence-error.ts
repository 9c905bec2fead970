// A change that could not be kept.
import { RiftError } from '@rift-ts/engine';

export function persistenceError(reason: unknown): RiftError {
  if (reason instanceof RiftError) return reason;
  const message = reason instanceof Error ? reason.message : String(reason);
  return new RiftError('unavailable', `Persistence error: ${message}`, {}, { status: 503 });
}
