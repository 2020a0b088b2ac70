import { isIP } from 'node:net';
import type { SettingsReader } from './settings-reader.js';

const BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

const FORM =
  'TRUSTED_PROXIES must be addresses or networks separated by commas, such as 10.0.0.5, 192.168.0.0/16, fd00::/8: ' +
  'IPv4 networks, written as such, of at least /8, IPv6 ones of at least /16, private ones (fc00::/7) of at least /7';

/** Reads the trusted proxies. None by default, because any client can send forwarding headers. */
export function readTrustedProxies(settings: SettingsReader): readonly string[] {
  if (!settings.isSet('TRUSTED_PROXIES')) return [];
  const proxies = settings
    .text('TRUSTED_PROXIES')
    .split(',')
    .map((entry) => entry.trim());
  for (const wrong of proxies.filter((entry) => !isAddressOrNetwork(entry))) {
    settings.problem(`${FORM}; "${wrong}" is none`);
  }
  return proxies;
}

function isAddressOrNetwork(entry: string): boolean {
  const [, address = '', prefix] = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/.exec(entry) ?? [];
  const bits = BITS[isIP(address)];
  if (bits === undefined || prefix === undefined) return bits !== undefined;
  return Number(prefix) >= prefixMin(address) && Number(prefix) <= bits;
}

/** Returns the minimum prefix length. A wider network, whole or in two halves, would trust every client. */
function prefixMin(address: string): number {
  if (isIP(address) === 4) return 8;
  if (/^0*:/.test(address)) return 104;
  return /^f[cde]/i.test(address) ? 7 : 16;
}
