import { describe, expect, it } from 'vitest';
import { type Intermediary, readConfiguration } from './configuration.js';

const BASE = {
  DATABASE_URL: 'postgres://localhost/a',
  AUTHORITY_SANDBOX_API_URL: 'http://localhost:1',
  AUTHORITY_SANDBOX_CLIENT_ID: 'id',
  AUTHORITY_SANDBOX_CLIENT_SECRET: 'secret',
  SECRETS_KEY: 'a-key-for-tests-of-at-least-32-characters',
};

function intermediaryIn(environment: Record<string, string>): Intermediary | null {
  return readConfiguration('api', { ...BASE, ...environment }).intermediary;
}

describe('intermediary settings', () => {
  it('may be omitted', () => {
    expect(intermediaryIn({ INTERMEDIARY_TIN: ' ' })).toBeNull();
  });

  it('are rejected unless they are complete', () => {
    const some = { INTERMEDIARY_TIN: 'C20830570210', INTERMEDIARY_NAME: 'Example Sdn Bhd' };
    expect(intermediaryIn({ ...some, INTERMEDIARY_BRN: '202001234567' })).toEqual({
      tin: 'C20830570210',
      brn: '202001234567',
      name: 'Example Sdn Bhd',
    });
    expect(() => intermediaryIn(some)).toThrow('INTERMEDIARY_BRN must be set');
  });
});
