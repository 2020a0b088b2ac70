import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkSignature } from './checks/signature.js';
import { type Simulator, startSimulator } from './simulator.js';
import { type ExampleOptions, exampleEntry } from './testing/example-documents.js';
import { TestClient, control, supplierTin } from './testing/test-client.js';
import type { UblNode } from './ubl.js';

// The authority's public sample of a signed document, with a certificate from 2024.
const sample = readFileSync(new URL('./testing/documents/signed-invoice.json', import.meta.url), 'utf8');
const compact = JSON.stringify(JSON.parse(sample));

function findCodes(text: string, trustSelfSigned = true): string[] {
  const { Invoice } = JSON.parse(text) as { Invoice: UblNode[] };
  return checkSignature(Buffer.from(text), Invoice[0] ?? {}, { trustSelfSigned });
}

const signedInfo = /"SignedInfo".*/;
const digestMethod = '"Algorithm":"http://www.w3.org/2001/04/xmlenc#sha256"';
const otherMethod = digestMethod.replace('sha256', 'sha512');

describe('signature check', () => {
  it("accepts the authority's signed sample in any layout and member order", () => {
    expect(findCodes(sample)).toEqual([]);
    expect(findCodes(sample, false)).toEqual([]);
    expect(findCodes(compact)).toEqual([]);
    const { Invoice, ...rest } = JSON.parse(compact) as { Invoice: UblNode[] };
    const { UBLExtensions, Signature, ...content } = Invoice[0] ?? {};
    expect(findCodes(JSON.stringify({ ...rest, Invoice: [{ UBLExtensions, ...content, Signature }] }))).toEqual([]);
  });

  it.each<[string, string[], (text: string) => string]>([
    ['no signature', ['DS301'], (text) => text.replace('"UBLExtensions"', '"UBLExtension"')],
    ['two signatures', ['DS302'], (text) => text.replace('"Signature":[', '"Signature":[{},')],
    ['no signing time', ['DS303', 'DS320'], (text) => text.replace('2024-07-23T15:14:54Z', '')],
    ['a late signing time', ['DS304', 'DS320'], (text) => text.replace('2024-07-23T15:14:54Z', '2024-09-07T15:14:54Z')],
    ['a local signing time', ['DS336', 'DS320'], (text) => text.replace('15:14:54Z', '15:14:54')],
    ['no certificate', ['DS305'], (text) => text.replace('"MIIFl', '"MIIxx')],
    ['another method for the certificate', ['DS313', 'DS320'], (text) => text.replace(digestMethod, otherMethod)],
    [
      'other methods for the document and the properties',
      ['DS314', 'DS315'],
      (text) => text.replace(signedInfo, (rest) => rest.replaceAll(digestMethod, otherMethod)),
    ],
    ['another signature method', ['DS316'], (text) => text.replace('more#rsa-sha256', 'more#rsa-sha512')],
    ['no certificate digest', ['DS317', 'DS320'], (text) => text.replace(/"KKBSTyi[^"]+"/, '""')],
    ['another certificate digest', ['DS318', 'DS320'], (text) => text.replace('"KKBSTyi', '"KKBSTyj')],
    ['no properties digest', ['DS319'], (text) => text.replace(/"Rzuzz[^"]+"/, '""')],
    ['another properties digest', ['DS320'], (text) => text.replace('"Rzuzz', '"Rzuzy')],
    ['another target', ['DS320'], (text) => text.replace('"Target":"signature"', '"Target":"signed"')],
    ['no document digest', ['DS321'], (text) => text.replace(/"vMs[^"]+"/, '""')],
    ['another document digest', ['DS322'], (text) => text.replace('"vMs', '"vMt')],
    ['another document', ['DS322', 'DS333'], (text) => text.replace('JSON-INV12345', 'JSON-INV12346')],
    ['another namespace', ['DS322', 'DS333'], (text) => text.replace('xsd:Invoice-2', 'xsd:Invoice-3')],
    [
      'the same amount in a different notation',
      ['DS322', 'DS333'],
      (text) => text.replace('"_":1460.5,', '"_":1460.50,'),
    ],
    ['a space in a text', ['DS322', 'DS333'], (text) => text.replace('Laptop Peri', 'Laptop  Peri')],
    ['another kind of signature', ['DS323'], (text) => text.replace(/xades"(?=\}\]\}\]\}\]\}$)/, 'xades2"')],
    ['no issuer', ['DS320', 'DS324'], (text) => text.replace(/("X509IssuerName":\[\{"_":")[^"]+/, '$1')],
    ['no serial number', ['DS320', 'DS325'], (text) => text.replace(/("X509SerialNumber":\[\{"_":")\d+/, '$1')],
    ['an issuer in reverse order', ['DS320', 'DS326'], (text) => text.replace('"CN=Trial', '"C=MY, CN=Trial')],
    ['a serial number in hexadecimal', ['DS320', 'DS327'], (text) => text.replace('"1628802', '"7AFF')],
    ['another serial number', ['DS320', 'DS328'], (text) => text.replace('"1628802', '"1628803')],
    ['no signature value', ['DS332'], (text) => text.replace(/"QTvntg[^"]+"/, '""')],
    ['another signature value', ['DS333'], (text) => text.replace('"QTvntg', '"QTvntf')],
  ])('reports %s with %j', (_title, codes, change) => {
    const changed = change(compact);
    expect(changed).not.toBe(compact);
    expect(findCodes(changed)).toEqual(codes);
  });
});

describe('signature validation step', () => {
  let simulator: Simulator;
  let client: TestClient;
  beforeAll(async () => {
    simulator = await startSimulator({ settings: { validationDelayMs: 0 } });
    client = await TestClient.login(simulator.url);
  });
  afterAll(() => simulator.close());

  const asVersion = (version: string): ExampleOptions => ({ set: { 'InvoiceTypeCode.0.listVersionID': version } });

  it.each(['1.1', '1.3'])('rejects an unsigned document of version %s', async (version) => {
    const uuid = await client.accept(exampleEntry(asVersion(version)));
    const { status, validationResults } = await client.details(uuid);
    expect(status).toBe('Invalid');
    expect(validationResults.validationSteps.at(-1)).toMatchObject({
      name: 'Step08-Document Signature Validator',
      status: 'Invalid',
      error: { innerError: [{ errorCode: 'DS301', error: 'Signature not found.' }] },
    });
  });

  it.each(['1.0', '1.2'])('accepts an unsigned document of version %s', async (version) => {
    expect(await client.readStatus(await client.accept(exampleEntry(asVersion(version))))).toBe('Valid');
  });

  it('reports all errors of a signature from another document', async () => {
    const { Invoice } = JSON.parse(compact) as { Invoice: UblNode[] };
    const { UBLExtensions, Signature } = Invoice[0] ?? {};
    const set = { 'InvoiceTypeCode.0.listVersionID': '1.1', UBLExtensions, Signature };
    expect(await client.listErrorCodes(await client.accept(exampleEntry({ set })))).toEqual(['DS322', 'DS333']);
  });

  it('accepts only a boolean for the setting trustSelfSigned', async () => {
    expect((await control(simulator.url, 'settings', { trustSelfSigned: false })).json()).toMatchObject({
      trustSelfSigned: false,
    });
    expect((await control(simulator.url, 'settings', { trustSelfSigned: 1 })).status).toBe(400);
  });

  it.each([
    ['1.0', []],
    ['1.1', ['DS301', 'SIM-APPOINTMENT']],
  ])('reports for version %s, issued before the appointment, the codes %j', async (version, codes) => {
    for (const appointed of [false, true]) await control(simulator.url, 'taxpayers', { tin: supplierTin, appointed });
    const uuid = await client.accept(exampleEntry(asVersion(version)));
    expect(await client.listErrorCodes(uuid)).toEqual(codes);
  });

  it('accepts a document issued in the same second as the appointment', async () => {
    for (const appointed of [false, true]) await control(simulator.url, 'taxpayers', { tin: supplierTin, appointed });
    const issuedAt = Date.now();
    await control(simulator.url, 'clock', { advanceSeconds: 60 });
    const uuid = await client.accept(exampleEntry({ ...asVersion('1.1'), issuedAt }));
    expect(await client.listErrorCodes(uuid)).toEqual(['DS301']);
  });
});
