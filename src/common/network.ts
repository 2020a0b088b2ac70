import { isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/** Returns the network that a rate limit counts. One customer usually has a whole IPv6 /64. */
export function toNetwork(address: string): string {
  const [, ipv4] = MAPPED_IPV4.exec(address) ?? [];
  if (ipv4 !== undefined) return ipv4;
  const [bare] = address.split('%', 1);
  if (!isIPv6(bare)) return address;
  const [head, tail] = bare.split('::', 2).map((part) => (part === '' ? [] : part.split(':')));
  // A trailing IPv4 address counts as two groups.
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, GROUPS - head.length - tail.length) }, () => '0');
  const groups = [...head, ...zeros, ...(tail ?? [])].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
