// Who may connect at all (`--localOnly`, `--ipWhitelist`): the same gate stands before the admin port and, per request,
// before every imposter. Whole addresses only; an IPv4 address and its IPv4-mapped form (RFC 4291 section 2.5.5.2) are equal.
import { networkInterfaces } from 'node:os';

export interface IpGateOptions {
  readonly localOnly: boolean;
  /** Addresses, or `*` for everybody; ignored with `localOnly`. */
  readonly ipWhitelist: readonly string[];
}

function canonical(address: string): string {
  const lower = address.toLowerCase();
  const zone = lower.indexOf('%');
  const plain = zone < 0 ? lower : lower.slice(0, zone);
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/.test(plain) ? plain.slice('::ffff:'.length) : plain;
}

/** Whether a client's address may use this server; the set is computed once. */
export function ipGate({ localOnly, ipWhitelist }: IpGateOptions): (address: string) => boolean {
  if (!localOnly && ipWhitelist.includes('*')) return () => true;
  const allowed = new Set<string>();
  for (const addresses of Object.values(networkInterfaces())) {
    for (const { internal, address } of addresses ?? []) if (internal) allowed.add(canonical(address));
  }
  if (!localOnly) for (const entry of ipWhitelist) allowed.add(canonical(entry));
  return (address) => allowed.has(canonical(address));
}
