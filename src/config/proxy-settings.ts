import { isIP } from 'node:net';
import type { SettingsReader } from './settings-reader.js';

const PREFIX_BITS_MAX: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

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
      `TRUSTED_PROXIES must be addresses or networks separated by commas, such as 10.0.0.5, 192.168.0.0/16; "${wrong}" is none`,
    );
  }
  return proxies;
}

/** `/0` is none: it would take everybody's word. */
function isAddressOrNetwork(entry: string): boolean {
  const [, address = '', prefix] = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/.exec(entry) ?? [];
  const bitsMax = PREFIX_BITS_MAX[isIP(address)];
  return bitsMax !== undefined && (prefix === undefined || Number(prefix) <= bitsMax);
}
