import { describe, expect, it } from 'vitest';
import { readConfiguration } from './configuration.js';

const read = (url: string): string => readConfiguration('operator', { DATABASE_OWNER_URL: url }).databaseUrl;

describe('DATABASE_OWNER_URL', () => {
  it.each([
    'postgres://o:secret@a:5432/einvoice?target_session_attrs=read-write',
    'postgresql://o:a,b@db-1:5433/einvoice?options=-c%20a,b',
    'postgres://o@[::1]:5432/einvoice',
  ])('accepts %s', (url) => {
    expect(read(url)).toBe(url);
  });

  it.each([
    'postgres://o:secret@a:5432,b:5432/einvoice?target_session_attrs=read-write',
    'postgresql://o@a,b/einvoice',
    'postgres://a:5432,b:5432',
    'postgres://o@a:5432,/einvoice',
  ])('rejects the hosts of %s with the fix', (url) => {
    expect(() => read(url)).toThrow(
      'DATABASE_OWNER_URL must name one host: of several servers, let HAProxy find the primary ' +
        '(deploy/haproxy/postgres.cfg), and name the host of HAProxy',
    );
  });

  it('rejects target_session_attrs=any', () => {
    expect(() => read('postgres://o@a:5432/einvoice?target_session_attrs=any')).toThrow(
      'DATABASE_OWNER_URL must have target_session_attrs=read-write, or none, not "any"',
    );
  });
});
