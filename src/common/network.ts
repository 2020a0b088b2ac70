import { isIP } from 'node:net';

const GROUPS = 8;
/** An IPv6 customer gets a /64 at least, with 2^64 addresses to choose from. */
const NETWORK_GROUPS = 4;
const MAPPED_IPV4 = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;

/** Whom a limit takes for one: an IPv4 address, or the /64 of an IPv6 one; the same text however it is written. */
export function toNetwork(address: string): string {
  const [plain = ''] = address.split('%');
  if (isIP(plain) !== 6) return plain;
  // URL writes each address in one way.
  const text = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [, high, low] = MAPPED_IPV4.exec(text) ?? [];
  if (high !== undefined && low !== undefined) return toIpv4(Number.parseInt(high, 16), Number.parseInt(low, 16));
  const [head = [], tail] = text.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const groups = tail === undefined ? head : [...head, ...Array<string>(GROUPS - head.length - tail.length).fill('0')];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

function toIpv4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
