import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openToken, sealToken, type TokenKey } from './token-cipher.js';

const SECRET = randomBytes(32);
const KEY: TokenKey = {
  tenantId: '019a8b5e-7c1f-7000-8000-000000000001',
  environment: 'sandbox',
  clientId: 'client',
  onBehalfOf: 'C25845632020',
};
const TOKEN = { accessToken: 'eyJ.abc.def', lifetimeSeconds: 3600 };

describe('token cipher', () => {
  it('decrypts an encrypted token', () => {
    const sealed = sealToken(SECRET, KEY, TOKEN);
    expect(openToken(SECRET, KEY, sealed)).toEqual(TOKEN);
    expect(sealed.toString('latin1')).not.toContain(TOKEN.accessToken);
  });

  it('encrypts equal tokens differently', () => {
    expect(sealToken(SECRET, KEY, TOKEN).equals(sealToken(SECRET, KEY, TOKEN))).toBe(false);
  });

  it('rejects a modified or truncated token', () => {
    const sealed = sealToken(SECRET, KEY, TOKEN);
    for (let index = 0; index < sealed.length; index += 1) {
      const tampered = Buffer.from(sealed);
      tampered[index] = (tampered[index] ?? 0) ^ 1;
      expect(openToken(SECRET, KEY, tampered)).toBeNull();
      expect(openToken(SECRET, KEY, sealed.subarray(0, index))).toBeNull();
    }
  });

  it('rejects another secret', () => {
    expect(openToken(randomBytes(32), KEY, sealToken(SECRET, KEY, TOKEN))).toBeNull();
  });

  it('rejects another key with the same concatenated value', () => {
    const sealed = sealToken(SECRET, { ...KEY, clientId: 'client|C2', onBehalfOf: 'C3' }, TOKEN);
    expect(openToken(SECRET, { ...KEY, clientId: 'client', onBehalfOf: 'C2|C3' }, sealed)).toBeNull();
  });

  it.each<[string, Partial<TokenKey>]>([
    ['tenant', { tenantId: '019a8b5e-7c1f-7000-8000-000000000002' }],
    ['environment', { environment: 'production' }],
    ['client id', { clientId: 'other' }],
    ['represented taxpayer', { onBehalfOf: 'C25845632021' }],
  ])('rejects the row of another %s', (_, change) => {
    expect(openToken(SECRET, { ...KEY, ...change }, sealToken(SECRET, KEY, TOKEN))).toBeNull();
  });
});
