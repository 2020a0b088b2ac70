import { isIP } from 'node:net';
import type { SettingsReader } from './settings-reader.js';

// A wider network would take everybody's word, whole or cut in two: private networks are at most 10.0.0.0/8 and fc00::/7.
const PREFIX_BITS: Readonly<Record<number, readonly [number, number]>> = { 4: [8, 32], 6: [7, 128] };
// Of an IPv6 address that begins with zeros: IPv4 addresses are written so as well, 96 bits longer.
const MAPPED_PREFIX_BITS_MIN = 104;

/**
 * The proxies in front of the API whose word on a client's address and protocol is taken: addresses and networks,
 * several separated by commas. None unless set, since anybody can send these headers.
 */
export function readTrustedProxies(settings: SettingsReader): readonly string[] {
  if (!settings.isSet('TRUSTED_PROXIES')) return [];
  const proxies = settings
    .text('TRUSTED_PROXIES')
    .split(',')
    .map((entry) => entry.trim());
  for (const wrong of proxies.filter((entry) => !isAddressOrNetwork(entry))) {
    settings.problem(
      `TRUSTED_PROXIES must be addresses or networks separated by commas, such as 10.0.0.5, 192.168.0.0/16, at most 10.0.0.0/8 or fc00::/7; "${wrong}" is none`,
    );
  }
  return proxies;
}

function isAddressOrNetwork(entry: string): boolean {
  const [, address = '', prefix] = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/.exec(entry) ?? [];
  const bits = PREFIX_BITS[isIP(address)];
  if (bits === undefined || prefix === undefined) return bits !== undefined;
  const [least, most] = bits;
  return Number(prefix) >= (/^0*:/.test(address) ? MAPPED_PREFIX_BITS_MIN : least) && Number(prefix) <= most;
}
