// Wire limits of imposter listeners by profile, flag and environment (docs/command-line.md).
import { mountebankLimits, riftLimits, type WireLimits } from '@rift-ts/http';
import type { Settings } from '../cli/settings.js';

/** A bad value in the environment means the default, as documented for these variables. */
export function imposterLimits({ profile, maxBody }: Settings, env: NodeJS.ProcessEnv): WireLimits {
  const limits = profile === 'rift' ? riftLimits : mountebankLimits;
  const number = (name: string, least: number): number | undefined => {
    const value = Number(env[name]?.trim() || Number.NaN);
    return Number.isFinite(value) && value >= least ? value : undefined;
  };
  const seconds = (name: string): number | undefined => {
    const value = number(name, Number.MIN_VALUE);
    return value === undefined ? undefined : value * 1000;
  };
  return {
    maxHeadBytes: number('RIFT_HTTP_MAX_BUF', 8192) ?? limits.maxHeadBytes,
    maxHeaderLines: number('RIFT_MAX_HEADERS', 1) ?? limits.maxHeaderLines,
    maxBodyBytes: maxBody === undefined ? limits.maxBodyBytes : maxBody || undefined,
    headTimeoutMs: seconds('RIFT_HTTP_HEADER_TIMEOUT') ?? limits.headTimeoutMs,
    keepAliveTimeoutMs: seconds('RIFT_KEEP_ALIVE_TIMEOUT') ?? limits.keepAliveTimeoutMs,
    tlsHandshakeTimeoutMs: limits.tlsHandshakeTimeoutMs,
    maxConnections: number('RIFT_MAX_CONNECTIONS', 1),
  };
}
