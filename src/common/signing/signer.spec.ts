import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createSigner, SigningMaterialError } from './signer.js';

function pem(name: string): string {
  return readFileSync(new URL(`../../../test/support/certificates/${name}.pem`, import.meta.url), 'utf8');
}

const NOW = new Date('2026-07-23T00:30:00Z');
const buildSigner = (certificate = 'signing', key = 'signing', now = NOW) =>
  createSigner({ certificatePem: pem(`${certificate}.cert`), privateKeyPem: pem(`${key}.key`) }, now);

function catchProblems(make: () => unknown): readonly string[] {
  try {
    make();
  } catch (error) {
    if (error instanceof SigningMaterialError) return error.problems;
    throw error;
  }
  return [];
}

describe('createSigner', () => {
  it('signs with RSA PKCS#1 v1.5 over SHA-256', () => {
    const bytes = Buffer.from('é手😀');
    const signature = buildSigner().sign(bytes);
    expect(verify('sha256', bytes, createPublicKey(pem('signing.cert')), signature)).toBe(true);
  });

  it("describes the certificate in the authority's format", () => {
    const { certificate } = buildSigner();
    const der = Buffer.from(pem('signing.cert').replace(/-----[A-Z ]+-----/g, ''), 'base64');
    expect(certificate).toEqual({
      derBase64: der.toString('base64'),
      sha256Base64: createHash('sha256').update(der).digest('base64'),
      issuerName: 'CN=Test Sub CA V1, OU=Terms of use at ca.example, O=Contoh\\, Pusat Ujian é, C=MY',
      serialNumber: BigInt('0x7FD08EC9749CD626301159D521779529582D5C2F').toString(),
      validFrom: new Date('2025-01-01T00:00:00Z'),
      validTo: new Date('2074-12-31T00:00:00Z'),
    });
  });

  it('accepts a key of 4096 bits', () => {
    expect(buildSigner('long', 'long').sign(Buffer.from('a'))).toHaveLength(512);
  });

  it.each([
    ['2074-12-30T00:00:00Z', 1],
    ['2074-12-30T23:59:59Z', 0],
    ['2074-12-01T00:00:00Z', 30],
  ])('counts the whole days until expiry at %s', (now, days) => {
    expect(buildSigner('signing', 'signing', new Date(now)).expiresInDays).toBe(days);
  });

  it.each([
    ['expired', 'signing', /expired on 2021-01-01: configure its successor/],
    ['no-key-usage', 'signing', /lacks the key usage nonRepudiation: ask the certification authority/],
    ['no-non-repudiation', 'signing', /lacks the key usage nonRepudiation: ask the certification authority/],
    ['no-document-signing', 'signing', /lacks the extended key usage document signing .*: ask the certification/],
    ['ec', 'ec', /key is not RSA: ask the certification authority/],
    ['signing', 'other', /the key does not belong to the certificate: configure the two that were issued together/],
  ])('rejects the certificate "%s" with the key "%s" for one reason', (certificate, key, text) => {
    expect(catchProblems(() => buildSigner(certificate, key))).toEqual([expect.stringMatching(text)]);
  });

  it('rejects a certificate before its validity starts', () => {
    const problems = catchProblems(() => buildSigner('signing', 'signing', new Date('2024-12-31T23:59:59Z')));
    expect(problems).toEqual(["the certificate is not valid before 2025-01-01: check this machine's clock"]);
  });

  it('reports all problems together', () => {
    const unreadable = () => createSigner({ certificatePem: 'no certificate', privateKeyPem: 'no key' }, NOW);
    expect(catchProblems(unreadable)).toHaveLength(2);
    expect(catchProblems(() => buildSigner('no-key-usage', 'other', new Date(0)))).toHaveLength(3);
  });

  it('does not expose its key', () => {
    const key = pem('signing.key').split('\n')[1];
    const signer = buildSigner();
    expect(JSON.stringify(signer) + inspect(signer, { depth: null, showHidden: true })).not.toContain(key);
    expect(Object.keys(signer)).toEqual(['certificate', 'expiresInDays', 'sign']);
  });
});
