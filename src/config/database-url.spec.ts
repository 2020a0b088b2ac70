import { expect, it } from 'vitest';
import { readConfiguration } from './configuration.js';
import { splitHosts } from './database-url.js';
import { SettingsError } from './settings-reader.js';

it('splits the hosts of an address, each with its port or the usual one', () => {
  expect(splitHosts('postgres://app:p%40ss@db-1:5433,[::1],db-3.example/einvoice?sslmode=verify-full')).toEqual({
    url: 'postgres://app:p%40ss@db-1:5433/einvoice?sslmode=verify-full',
    hosts: [
      { host: 'db-1', port: 5433 },
      { host: '::1', port: 5432 },
      { host: 'db-3.example', port: 5432 },
    ],
  });
});

it('leaves an address with one host as it is', () => {
  const url = 'postgresql://app:a,b@db-1:5433/einvoice?options=-c%20a,b';
  expect(splitHosts(url)).toEqual({ url, hosts: [] });
});

const read = (url: string, more: NodeJS.ProcessEnv = {}): string =>
  readConfiguration('operator', { DATABASE_OWNER_URL: url, ...more }).databaseUrl;

it('DATABASE_…_URL takes several hosts and target_session_attrs=read-write', () => {
  const url = 'postgres://o:secret@a:5432,b:5432/einvoice?target_session_attrs=read-write';
  expect(read(url)).toBe(url);
});

it.each([
  ['a host that is none', 'postgres://o@a:5432,b:port/einvoice', 'DATABASE_OWNER_URL must be a URL'],
  ['an empty host', 'postgres://o@a:5432,/einvoice', 'DATABASE_OWNER_URL must be a URL'],
  [
    'other target_session_attrs',
    'postgres://o@a:5432,b:5432/einvoice?target_session_attrs=any',
    'DATABASE_OWNER_URL must have target_session_attrs=read-write, or none, not "any"',
  ],
])('refuses %s by the name of the setting', (_, url, message) => {
  expect(() => read(url)).toThrow(SettingsError);
  expect(() => read(url)).toThrow(message);
});

it('refuses unverified certificates in production also with several hosts', () => {
  const url = 'postgres://o@a:5432,b:5432/einvoice?sslmode=no-verify';
  expect(() => read(url, { NODE_ENV: 'production' })).toThrow('must not turn off the verification of certificates');
});
