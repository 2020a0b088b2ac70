import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSigner, type Signer } from '../common/signing/signer.js';
import { type AuthorityDocumentInput, buildAuthorityDocument } from './authority-document.js';
import { SIGNATURE_BYTES_MAX, signDocument, verifyDocument } from './signature.js';
import type { Supplier } from './simplified-document.js';

function read(path: string): Buffer {
  return readFileSync(new URL(path, import.meta.url));
}

const pem = (name: string): string => read(`../../test/support/certificates/${name}.pem`).toString('utf8');
const golden = (name: string): unknown => JSON.parse(read(`./golden/${name}.json`).toString('utf8'));

const NOW = new Date('2026-07-23T00:31:00.789Z');

function readSigner(name: string, key = name): Signer {
  return createSigner({ certificatePem: pem(`${name}.cert`), privateKeyPem: pem(`${key}.key`) }, NOW);
}

const signer = readSigner('signing');
// The authority's public sample of a signed document.
const sample = read('./golden/official-signed-sample.json');
const sampleText = JSON.stringify(JSON.parse(sample.toString('utf8')));

/** A golden invoice with several scripts and amounts with fewer than two decimals. */
function unsignedInvoice(): Buffer {
  const input = golden('invoice.input') as Omit<AuthorityDocumentInput, 'issuedAt'> & { issuedAt: string };
  const [first] = input.document.lineItems;
  const lineItems = [
    { ...first, description: 'Kopi "é" 手 😀 \\ \u2028', quantity: 2, unitPrice: 718.25, lineTotal: 1436.5 },
  ];
  return buildAuthorityDocument({
    ...input,
    document: { ...input.document, lineItems },
    issuedAt: new Date(input.issuedAt),
    supplier: golden('supplier') as Supplier,
    version: '1.1',
  });
}

const unsigned = unsignedInvoice();
const signed = signDocument(unsigned, signer, NOW);

const computeDigest = (text: string | Buffer): string => createHash('sha256').update(text).digest('base64');

/** Removes the signature independently of the tested code. */
function readParts(text: string) {
  const root = JSON.parse(text);
  const [invoice] = root.Invoice;
  const [information] =
    invoice.UBLExtensions[0].UBLExtension[0].ExtensionContent[0].UBLDocumentSignatures[0].SignatureInformation;
  const [signature] = information.Signature;
  return { invoice, signature, properties: signature.Object[0].QualifyingProperties[0] };
}

/** `npm run check -- random` changes each byte, `npm test` some bytes of every member. */
const STRIDE = process.env.RANDOM_FACTOR === undefined ? 7 : 1;

describe('signDocument', () => {
  it('adds the signature after the lines without changing other bytes', () => {
    expect(signed.subarray(0, unsigned.length - 3).equals(unsigned.subarray(0, -3))).toBe(true);
    const { invoice } = readParts(signed.toString('utf8'));
    expect(Object.keys(invoice).slice(-3)).toEqual(['InvoiceLine', 'UBLExtensions', 'Signature']);
    delete invoice.UBLExtensions;
    delete invoice.Signature;
    expect({ ...JSON.parse(unsigned.toString('utf8')), Invoice: [invoice] }).toEqual(
      JSON.parse(unsigned.toString('utf8')),
    );
  });

  it('signs exactly the bytes of the document', () => {
    const { signature, properties } = readParts(signed.toString('utf8'));
    const [ofProperties, ofDocument] = signature.SignedInfo[0].Reference;
    expect(ofDocument.DigestValue[0]._).toBe(computeDigest(unsigned));
    expect(ofProperties.DigestValue[0]._).toBe(computeDigest(JSON.stringify(properties)));
    const value = Buffer.from(signature.SignatureValue[0]._, 'base64');
    expect(verify('sha256', unsigned, createPublicKey(pem('signing.cert')), value)).toBe(true);
  });

  it('signs bytes that parsing and serialising would not change', () => {
    const text = signed.toString('utf8');
    expect(text).toContain('"_":1436.5,');
    expect(text).toContain('Kopi \\"é\\" 手 😀 \\\\ ');
    expect(JSON.stringify(JSON.parse(text))).toBe(text);
  });

  it('has the structure of the official sample, member by member', () => {
    const describeShape = (text: string): string =>
      JSON.stringify(readParts(text).invoice.UBLExtensions, (name, value: unknown) =>
        name === '_' ? typeof value : value,
      );
    expect(describeShape(signed.toString('utf8'))).toBe(describeShape(sampleText));
    expect(readParts(signed.toString('utf8')).invoice.Signature).toEqual(readParts(sampleText).invoice.Signature);
  });

  it('includes the signing time in whole seconds and the issuer', () => {
    const { signature, properties } = readParts(signed.toString('utf8'));
    expect(properties.SignedProperties[0].SignedSignatureProperties[0].SigningTime[0]._).toBe('2026-07-23T00:31:00Z');
    expect(signature.KeyInfo[0].X509Data[0].X509SubjectName[0]._).toBe(signer.certificate.issuerName);
  });

  // RSA PKCS#1 v1.5 is deterministic, so the signature is always the same.
  it('builds the committed signed document', async () => {
    const indented = JSON.stringify(JSON.parse(signed.toString('utf8')), null, 2);
    await expect(`${indented}\n`).toMatchFileSnapshot('./golden/signed-invoice.built.json');
  });

  it('returns equal bytes for equal document, certificate and time', () => {
    expect(signDocument(unsigned, signer, NOW).equals(signed)).toBe(true);
  });

  it('rejects a signed document', () => {
    expect(() => signDocument(Buffer.from('{"Invoice":[]}'), signer, NOW)).toThrow('Only a minified document');
  });

  it('adds at most SIGNATURE_BYTES_MAX bytes', () => {
    const long = signDocument(unsigned, readSigner('long'), NOW).length - unsigned.length;
    expect(signed.length - unsigned.length).toBeLessThan(long);
    expect(long).toBeLessThan(SIGNATURE_BYTES_MAX);
    expect(SIGNATURE_BYTES_MAX).toBeLessThan(2 * long);
  });
});

describe('verifyDocument', () => {
  it("accepts the authority's signed sample with any white space", () => {
    expect(verifyDocument(sample)).toEqual({ ok: true });
    expect(verifyDocument(Buffer.from(sampleText))).toEqual({ ok: true });
  });

  it.each(['signing', 'long'])('accepts a signature with the certificate "%s"', (name) => {
    expect(verifyDocument(signDocument(unsigned, readSigner(name), NOW))).toEqual({ ok: true });
  });

  it.each([
    ['ours', signed],
    ['the sample', Buffer.from(sampleText)],
  ])(
    'rejects %s if any byte is changed',
    (_title, original) => {
      const accepted: number[] = [];
      for (let offset = 0; offset < original.length; offset += STRIDE) {
        const changed = Buffer.from(original);
        changed.writeUInt8(changed.readUInt8(offset) ^ 1, offset);
        if ('ok' in verifyDocument(changed)) accepted.push(offset);
      }
      expect(accepted).toEqual([]);
    },
    120_000,
  );

  it.each([
    ['no JSON', 'DS300', (text: string) => text.slice(1)],
    ['no signature', 'DS301', () => unsigned.toString('utf8')],
    ['another quantity', 'DS322', (text: string) => text.replace('"_":1436.5', '"_":1436.4')],
    ['the same amount in other digits', 'DS322', (text: string) => text.replace('"_":1436.5', '"_":1436.50')],
    ['another signing time', 'DS320', (text: string) => text.replace('00:31:00Z"', '00:31:01Z"')],
    ['no certificate', 'DS305', (text: string) => text.replace(/("X509Certificate":\[\{"_":")[^"]+/, '$1')],
    ['another signature', 'DS333', (text: string) => text.replace(/("SignatureValue":\[\{"_":")./, '$1!')],
    ['another subject name', 'DS335', (text: string) => text.replace('"X509SubjectName":[{"_":"CN=', '$&x')],
  ])('returns the problem: %s', (_title, problem, change) => {
    expect(verifyDocument(Buffer.from(change(signed.toString('utf8'))))).toEqual({ problem });
  });

  it.each([
    ['the certificate digest', 'DS318', { sha256Base64: computeDigest('another') }],
    ['the issuer', 'DS326', { issuerName: 'C=MY, O=Contoh' }],
    ['the serial number', 'DS328', { serialNumber: '1' }],
  ])('detects a %s from another certificate', (_title, problem, facts) => {
    const other: Signer = { ...signer, certificate: { ...signer.certificate, ...facts } };
    expect(verifyDocument(signDocument(unsigned, other, NOW))).toEqual({ problem });
  });

  it.each(['2024-12-31T23:59:59Z', '2074-12-31T00:00:01Z'])(
    'rejects a signing time outside the validity: %s',
    (time) => {
      expect(verifyDocument(signDocument(unsigned, signer, new Date(time)))).toEqual({ problem: 'DS304' });
    },
  );

  it('rejects a signature made with a different key', () => {
    const other: Signer = { ...signer, sign: readSigner('long').sign };
    expect(verifyDocument(signDocument(unsigned, other, NOW))).toEqual({ problem: 'DS333' });
  });
});
