import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import {
  type ExampleOptions,
  creditNoteFor,
  buildEntry,
  exampleEntry,
  newNumber,
} from './testing/example-documents.js';
import { type SubmitResponse, TestClient, control, parseError, supplierTin } from './testing/test-client.js';

const dayMs = 24 * 60 * 60_000;
const buyer = 'AccountingCustomerParty.0.Party.0';
const supplier = 'AccountingSupplierParty.0.Party.0';

describe('Submit Documents', () => {
  let simulator: Simulator;
  let client: TestClient;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  beforeEach(async () => {
    await control(simulator.url, 'reset');
    client = await TestClient.login(simulator.url);
  });
  afterAll(() => simulator.close());

  it('returns ids of 26 upper-case characters on both submit paths', async () => {
    for (const path of ['documentsubmissions', 'documentsubmissions/']) {
      const body = JSON.stringify({ documents: [exampleEntry({ number: newNumber('A') })] });
      const response = await client.call(path, 'POST', body);
      expect(response.status).toBe(202);
      expect(response.headers.get('correlationid')).toMatch(/^[0-9A-Z]{13}:[0-9A-F]{8}$/);
      const { submissionUid, acceptedDocuments } = response.json() as SubmitResponse;
      expect(submissionUid).toMatch(/^[0-9A-Z]{26}$/);
      expect(acceptedDocuments[0]?.uuid).toMatch(/^[0-9A-Z]{26}$/);
    }
  });

  it('validates the three published examples as Valid', async () => {
    const number = newNumber();
    const invoice = await client.accept(exampleEntry({ number }));
    const note = await client.accept(creditNoteFor(invoice, { parentNumber: number }));
    const consolidated = await client.accept(exampleEntry({ example: 'consolidated' }));
    await control(simulator.url, 'clock', { advanceSeconds: 2 });
    for (const uuid of [invoice, note, consolidated]) {
      expect(await client.listErrorCodes(uuid)).toEqual([]);
      expect(await client.readStatus(uuid)).toBe('Valid');
    }
  });

  it('accepts the valid documents of a submission that also has rejected ones', async () => {
    const bad = exampleEntry({ set: { [`${buyer}.Contact.0.Telephone`]: undefined } });
    const response = (await client.submit(exampleEntry(), bad)).json() as SubmitResponse;
    expect(response.acceptedDocuments).toHaveLength(1);
    expect(response.rejectedDocuments).toEqual([
      {
        invoiceCodeNumber: bad.codeNumber,
        error: {
          code: '3',
          message: 'Validation Error',
          target: bad.codeNumber,
          propertyPath: null,
          details: [
            {
              code: 'CF349',
              message: 'Contact number is required - BUYER',
              target: 'Telephone',
              propertyPath: 'Invoice.AccountingCustomerParty.Party.Contact.Telephone',
              details: null,
            },
          ],
        },
      },
    ]);
  });

  it('returns no submission uid when every document is rejected', async () => {
    const response = await client.submit(exampleEntry({ issuedAt: Date.now() + dayMs }));
    expect(response.status).toBe(202);
    expect(response.json()).toMatchObject({ submissionUid: null, acceptedDocuments: [] });
  });

  it.each([
    ['malformed JSON', '{', 'JSON is not valid'],
    ['a body without documents', '{}', 'Invalid structure'],
    ['an empty list', '{"documents":[]}', 'There are no documents'],
    ['an entry without its fields', '{"documents":[{"format":"JSON"}]}', 'Invalid structure'],
  ])('rejects %s as a whole', async (_title, body, message) => {
    const response = await client.call('documentsubmissions', 'POST', body);
    expect(response.status).toBe(400);
    expect(parseError(response)).toMatchObject({ message, details: null });
  });

  it('rejects more than 100 documents or 5 MB', async () => {
    const small = buildEntry('A', '{}');
    const many = await client.submit(...Array.from({ length: 101 }, () => small));
    expect([many.status, parseError(many).code]).toEqual([400, 'MaximumSizeExceeded']);
    const large = await client.submit({ ...small, document: 'A'.repeat(5_000_000) });
    expect([large.status, parseError(large).code]).toEqual([400, 'MaximumSizeExceeded']);
  });

  it('rejects the whole submission if one document belongs to another taxpayer', async () => {
    const other = exampleEntry({ set: { [`${supplier}.PartyIdentification.0.ID.0._`]: 'C9999999990' } });
    const response = await client.submit(exampleEntry(), other);
    expect(response.status).toBe(400);
    expect(parseError(response)).toEqual({
      code: 'ValidationError',
      message: null,
      target: null,
      details: [
        {
          code: 'submission',
          target: 'submission',
          message: 'The authenticated TIN and documents TIN is not matching ',
        },
      ],
    });
  });

  it('accepts a sole proprietor with a BRN only if the login states the BRN', async () => {
    const tin = 'IG12345678912';
    const document = () => exampleEntry({ set: { [`${supplier}.PartyIdentification.0.ID.0._`]: tin } });
    expect((await (await TestClient.login(simulator.url, tin)).submit(document())).status).toBe(400);
    expect((await (await TestClient.login(simulator.url, `${tin}:201901234567`)).submit(document())).status).toBe(202);
  });

  it('rejects a repeated payload for ten minutes with 422', async () => {
    const entry = exampleEntry();
    expect((await client.submit(entry)).status).toBe(202);
    await control(simulator.url, 'clock', { advanceSeconds: 100 });
    const again = await client.submit(entry);
    expect(again.status).toBe(422);
    expect(parseError(again).code).toBe('DuplicateSubmission');
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(490);
    expect(Number(again.headers.get('retry-after'))).toBeLessThanOrEqual(500);
    await control(simulator.url, 'clock', { advanceSeconds: 500 });
    expect((await client.submit(entry)).status).toBe(202);
  });

  it('accepts the same payload after its rejection as a whole', async () => {
    await control(simulator.url, 'taxpayers', { tin: supplierTin, appointed: false });
    const entry = exampleEntry();
    expect((await client.submit(entry)).status).toBe(403);
    await control(simulator.url, 'taxpayers', { tin: supplierTin, appointed: true });
    expect((await client.submit(entry)).status).toBe(202);
  });

  it('rejects a document with a wrong hash, base64 encoding or number', async () => {
    const entry = exampleEntry();
    const wrong = [
      { ...entry, documentHash: '0'.repeat(64) },
      { ...entry, document: `${entry.document}!` },
      { ...entry, codeNumber: 'OTHER' },
    ];
    const targets = [];
    for (const document of wrong) targets.push((await client.reject(document))[0]?.target);
    expect(targets).toEqual(['documentHash', 'document', 'codeNumber']);
  });

  it('rejects a document of more than 300,000 bytes', async () => {
    const description = 'InvoiceLine.0.Item.0.Description.0._';
    const details = await client.reject(exampleEntry({ set: { [description]: 'x'.repeat(300_000) } }));
    expect(details[0]?.code).toBe('MaximumSizeExceeded');
  });

  it('counts an emoji as one character', async () => {
    const number = `${'😀'.repeat(40)}${newNumber()}`.slice(0, 90);
    await client.accept(exampleEntry({ number }));
    expect(await client.reject(exampleEntry({ number: '😀'.repeat(51) }))).not.toEqual([]);
  });

  it.each<[string, ExampleOptions, string]>([
    [
      'an unknown member next to Invoice',
      { rewrite: (text) => text.replace('{', '{"UBLExtensions":[],') },
      '#/UBLExtensions',
    ],
    [
      'an unknown member in Invoice',
      { set: { Extra: [{ _: 'x' }] } },
      'NoAdditionalPropertiesAllowed: #/Invoice[0].Extra',
    ],
    [
      'an element that is not an array',
      { set: { DocumentCurrencyCode: { _: 'MYR' } } },
      'ArrayExpected: #/Invoice[0].DocumentCurrencyCode',
    ],
    [
      'a missing element',
      { set: { LegalMonetaryTotal: undefined } },
      'PropertyRequired: #/Invoice[0].LegalMonetaryTotal',
    ],
    [
      'an empty date',
      { set: { InvoicePeriod: [{ StartDate: [{ _: '' }] }] } },
      'DateExpected: #/Invoice[0].InvoicePeriod[0].StartDate[0]',
    ],
    [
      'a date that does not exist',
      { set: { 'IssueDate.0._': '2026-02-30' } },
      'DateExpected: #/Invoice[0].IssueDate[0]',
    ],
    ['a local time', { set: { 'IssueTime.0._': '10:00:00+08:00' } }, 'TimeExpected: #/Invoice[0].IssueTime[0]'],
    [
      'an amount as text',
      { set: { 'LegalMonetaryTotal.0.PayableAmount.0._': '195.20' } },
      'NumberExpected: #/Invoice[0].LegalMonetaryTotal[0].PayableAmount[0]',
    ],
    ['an unknown type', { set: { 'InvoiceTypeCode.0._': '09' } }, 'NotInEnumeration: #/Invoice[0].InvoiceTypeCode[0]'],
    [
      'an exponent',
      { rewrite: (text) => text.replace('"_":195.2', '"_":1.952e2') },
      'exponents are not allowed in 1.952e2',
    ],
    ['a byte order mark', { rewrite: (text) => `\uFEFF${text}` }, 'could not be converted'],
  ])('rejects %s as a structure error', async (_title, options, text) => {
    const details = await client.reject(exampleEntry(options));
    expect(details[0]?.code).toBeNull();
    expect(details[0]?.message).toContain(text);
  });

  it('accepts an exponent inside a string', async () => {
    const set = { 'InvoiceLine.0.Item.0.Description.0._': 'Model 1e5 "x"' };
    expect(((await client.submit(exampleEntry({ set }))).json() as SubmitResponse).acceptedDocuments).toHaveLength(1);
  });

  it.each<[string, ExampleOptions, string]>([
    ['issued in the future', { issuedAt: Date.now() + 60_000 }, 'CF321'],
    ['older than 72 hours', { issuedAt: Date.now() - 3 * dayMs - 60_000 }, 'CF321'],
    ['without a buyer name', { set: { [`${buyer}.PartyLegalEntity.0.RegistrationName.0._`]: '' } }, 'CF333'],
    ['without a supplier name', { set: { [`${supplier}.PartyLegalEntity`]: undefined } }, 'CF334'],
    ['without a buyer country', { set: { [`${buyer}.PostalAddress.0.Country`]: undefined } }, 'CF337'],
    ['without a buyer city', { set: { [`${buyer}.PostalAddress.0.CityName.0._`]: ' ' } }, 'CF340'],
    ['without a buyer state', { set: { [`${buyer}.PostalAddress.0.CountrySubentityCode`]: undefined } }, 'CF343'],
    ['without a buyer address', { set: { [`${buyer}.PostalAddress.0.AddressLine`]: undefined } }, 'CF346'],
    [
      'with an address line of 151 characters',
      { set: { [`${buyer}.PostalAddress.0.AddressLine.0.Line.0._`]: 'x'.repeat(151) } },
      'CF346',
    ],
    ['without a supplier telephone', { set: { [`${supplier}.Contact.0.Telephone.0._`]: '' } }, 'CF348'],
    ['with the telephone NA', { set: { [`${buyer}.Contact.0.Telephone.0._`]: 'NA' } }, 'CF349'],
    ['with a telephone of 7 digits', { set: { [`${buyer}.Contact.0.Telephone.0._`]: '1234567' } }, 'CF401'],
    ['with a telephone of + and 6 digits', { set: { [`${buyer}.Contact.0.Telephone.0._`]: '+123456' } }, 'CF401'],
    [
      'with a telephone of + and 20 digits',
      { set: { [`${buyer}.Contact.0.Telephone.0._`]: `+${'1'.repeat(20)}` } },
      'CF401',
    ],
    ['with the buyer e-mail NA', { set: { [`${buyer}.Contact.0.ElectronicMail`]: [{ _: 'NA' }] } }, 'CF403'],
    ['with the supplier e-mail NA', { set: { [`${supplier}.Contact.0.ElectronicMail`]: [{ _: 'NA' }] } }, 'CF403'],
    [
      'with a hidden character in the TIN',
      { set: { [`${buyer}.PartyIdentification.0.ID.0._`]: 'C98765\u200B43210' } },
      'CF358',
    ],
    [
      'with hyphens in the NRIC',
      { set: { [`${buyer}.PartyIdentification.1.ID.0`]: { _: '800101-14-5678', schemeID: 'NRIC' } } },
      'CF324',
    ],
    ['without a classification', { set: { 'InvoiceLine.0.Item.0.CommodityClassification': undefined } }, 'CF364'],
    ['without a currency', { set: { DocumentCurrencyCode: undefined } }, 'CF378'],
  ])('rejects a document %s with %s', async (_title, options, code) => {
    expect((await client.reject(exampleEntry(options))).map((detail) => detail.code)).toEqual([code]);
  });

  it.each(['+6834002', '12345678', `+${'1'.repeat(19)}`])('accepts the telephone %s', async (telephone) => {
    const set = { [`${buyer}.Contact.0.Telephone.0._`]: telephone };
    expect((await client.submit(exampleEntry({ set }))).json()).toMatchObject({ rejectedDocuments: [] });
  });

  it('accepts the e-mail NA of the consolidated buyer', async () => {
    expect((await client.submit(exampleEntry({ example: 'consolidated' }))).json()).toMatchObject({
      rejectedDocuments: [],
    });
  });

  it('accepts a document that is almost 72 hours old', async () => {
    expect((await client.submit(exampleEntry({ issuedAt: Date.now() - 3 * dayMs + 60_000 }))).json()).toMatchObject({
      rejectedDocuments: [],
    });
  });
});
