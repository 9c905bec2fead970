// Wire limits of imposter listeners by profile, flag and environment (docs/limits.md).
import type { WireLimits } from '@rift-ts/http';
import type { Settings } from '../cli/settings.js';

/** A bad value in the environment means the default, as documented for these variables. */
export function imposterLimits({ profile, maxBody }: Settings, env: NodeJS.ProcessEnv): WireLimits {
  const rift = profile === 'rift';
  const number = (name: string, least: number): number | undefined => {
    const value = Number(env[name]?.trim() || Number.NaN);
    return Number.isFinite(value) && value >= least ? value : undefined;
  };
  const seconds = (name: string): number | undefined => {
    const value = number(name, Number.MIN_VALUE);
    return value === undefined ? undefined : value * 1000;
  };
  return {
    maxHeadBytes: number('RIFT_HTTP_MAX_BUF', 8192) ?? (rift ? 65_536 : 16_384),
    maxHeaderLines: number('RIFT_MAX_HEADERS', 1) ?? 2000,
    maxBodyBytes: maxBody === undefined ? (rift ? 10_485_760 : undefined) : maxBody || undefined,
    headTimeoutMs: seconds('RIFT_HTTP_HEADER_TIMEOUT') ?? (rift ? 30_000 : 60_000),
    keepAliveTimeoutMs: seconds('RIFT_KEEP_ALIVE_TIMEOUT') ?? (rift ? 75_000 : 5_000),
    tlsHandshakeTimeoutMs: 10_000,
    maxConnections: number('RIFT_MAX_CONNECTIONS', 1),
  };
}
