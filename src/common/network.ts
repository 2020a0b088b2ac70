import { isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/**
 * The network that an address is counted by: an IPv4 address itself; of IPv6 the /64, all of whose addresses one
 * customer has.
 */
export function toNetwork(address: string): string {
  const [, ipv4] = MAPPED_IPV4.exec(address) ?? [];
  if (ipv4 !== undefined) return ipv4;
  // Without the zone of a link-local address.
  const [bare] = address.split('%', 1);
  if (!isIPv6(bare)) return address;
  const [head, tail] = bare.split('::', 2).map((part) => (part === '' ? [] : part.split(':')));
  // An IPv4 address at the end stands for two groups, and is never in the first four unless they are all zero.
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, GROUPS - head.length - tail.length) }, () => '0');
  const groups = [...head, ...zeros, ...(tail ?? [])].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
