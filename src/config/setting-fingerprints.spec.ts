import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ProcessRole, readConfiguration } from './configuration.js';
import { fingerprintSettings, findDifferentSettings, type SettingFingerprints } from './setting-fingerprints.js';

const SETTINGS = {
  DATABASE_URL: 'postgres://localhost/e',
  DATABASE_DISPATCHER_URL: 'postgres://localhost/e',
  AUTHORITY_SANDBOX_API_URL: 'https://authority.example',
  AUTHORITY_SANDBOX_CLIENT_ID: 'id',
  AUTHORITY_SANDBOX_CLIENT_SECRET: 'secret',
  SECRETS_KEY: 'a secret of at least thirty-two characters',
};

function read(change: Record<string, string> = {}, role: ProcessRole = 'dispatcher'): SettingFingerprints {
  return fingerprintSettings(readConfiguration(role, { ...SETTINGS, ...change }));
}

function pem(name: string): string {
  return readFileSync(new URL(`../../test/support/certificates/${name}.pem`, import.meta.url), 'utf8');
}

const signed = (certificate: string): Record<string, string> => ({
  AUTHORITY_SANDBOX_SIGNING_CERT: pem(`${certificate}.cert`),
  AUTHORITY_SANDBOX_SIGNING_KEY: pem(`${certificate}.key`),
});

describe('setting fingerprints', () => {
  it('are equal for equal settings', () => {
    expect(findDifferentSettings(read(), read())).toEqual([]);
    expect(findDifferentSettings(read(signed('signing')), read(signed('signing')))).toEqual([]);
  });

  it.each([
    ['AUTHORITY_SANDBOX_CLIENT_ID', { AUTHORITY_SANDBOX_CLIENT_ID: 'other' }],
    ['AUTHORITY_SANDBOX_CLIENT_SECRET', { AUTHORITY_SANDBOX_CLIENT_SECRET: 'other' }],
    ['AUTHORITY_SANDBOX_IDENTITY_URL', { AUTHORITY_SANDBOX_IDENTITY_URL: 'https://identity.example' }],
    ['AUTHORITY_SANDBOX_SIGNING_CERT', signed('signing')],
    ['SECRETS_KEY', { SECRETS_KEY: 'another one of at least thirty-two characters' }],
  ])('differ only in a changed %s', (name, change) => {
    expect(findDifferentSettings(read(), read(change))).toEqual([name]);
    expect(findDifferentSettings(read(change), read())).toEqual([name]);
  });

  it('differ for different signing certificates', () => {
    expect(findDifferentSettings(read(signed('signing')), read(signed('long')))).toEqual([
      'AUTHORITY_SANDBOX_SIGNING_CERT',
    ]);
  });

  it('ignore settings that the other process does not read', () => {
    expect(findDifferentSettings(read(signed('signing')), read({}, 'api'))).toEqual([]);
  });

  it('do not confirm a guess without the secrets key', () => {
    const prints = Object.values(read());
    const guesses = Object.entries(SETTINGS).flatMap(([name, value]) =>
      [value, name + value, JSON.stringify([name, value])].map((text) =>
        createHash('sha256').update(text).digest('hex').slice(0, 16),
      ),
    );
    expect(prints.filter((print) => print !== null && guesses.includes(print))).toEqual([]);
    const underAnotherKey = Object.values(read({ SECRETS_KEY: 'another one of at least thirty-two characters' }));
    expect(prints.filter((print) => print !== null && underAnotherKey.includes(print))).toEqual([]);
  });
});
