import { describe, expect, it } from 'vitest';
import { readTrustedProxies } from './proxy-settings.js';
import { SettingsError, SettingsReader } from './settings-reader.js';

function readProxies(value: string): readonly string[] {
  const settings = new SettingsReader({ TRUSTED_PROXIES: value });
  const proxies = readTrustedProxies(settings);
  settings.assertNoProblems();
  return proxies;
}

describe('TRUSTED_PROXIES', () => {
  it.each([
    ['', []],
    ['10.0.0.5', ['10.0.0.5']],
    ['127.0.0.1, 192.168.0.0/16,fd00::/8 , ::1', ['127.0.0.1', '192.168.0.0/16', 'fd00::/8', '::1']],
    ['2a06:98c0::/29,fe80::/10,FD00::/8', ['2a06:98c0::/29', 'fe80::/10', 'FD00::/8']],
    ['10.0.0.0/8, fc00::/7, ::ffff:10.0.0.0/104', ['10.0.0.0/8', 'fc00::/7', '::ffff:10.0.0.0/104']],
  ])('reads %j as %j', (value, proxies) => {
    expect(readProxies(value)).toEqual(proxies);
  });

  it.each([
    'true',
    '10.0.0',
    'proxy.internal',
    '10.0.0.0/33',
    'fd00::/129',
    '0.0.0.0/0',
    '0.0.0.0/1,128.0.0.0/1',
    '::/1,8000::/1',
    '2000::/7',
    '2a00::/15',
    '::/8',
    '0:0::/32',
    '::ffff:0.0.0.0/96',
    '10.0.0.5/',
    '10.0.0.5:80',
    ',',
  ])('rejects %j with the fix', (value) => {
    expect(() => readProxies(value)).toThrow(SettingsError);
    expect(() => readProxies(value)).toThrow(
      'TRUSTED_PROXIES must be addresses or networks separated by commas, such as',
    );
  });
});
