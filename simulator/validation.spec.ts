import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { type ExampleOptions, creditNoteFor, exampleEntry, newNumber } from './testing/example-documents.js';
import { TestClient, control } from './testing/test-client.js';

const buyer = 'AccountingCustomerParty.0.Party.0';
const supplier = 'AccountingSupplierParty.0.Party.0';
const buyerState = `${buyer}.PostalAddress.0.CountrySubentityCode.0._`;
const buyerCountry = `${buyer}.PostalAddress.0.Country.0.IdentificationCode.0._`;
const buyerTin = `${buyer}.PartyIdentification.0.ID.0._`;
const buyerId = `${buyer}.PartyIdentification.1.ID.0`;
const lineClass = 'InvoiceLine.0.Item.0.CommodityClassification.0.ItemClassificationCode.0._';
const unknownUid = 'Z9JH44F9A9XXQQ30QFD7EXWJ10';

const toDollars = (text: string) =>
  text
    .replaceAll('"currencyID":"MYR"', '"currencyID":"USD"')
    .replaceAll('CurrencyCode":[{"_":"MYR"}]', 'CurrencyCode":[{"_":"USD"}]');

describe('validation', () => {
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

  const advance = (advanceSeconds: number) => control(simulator.url, 'clock', { advanceSeconds });

  /** Returns the error codes of one validated document. */
  async function findCodes(options: ExampleOptions): Promise<string[]> {
    const uuid = await client.accept(exampleEntry(options));
    await advance(2);
    return client.listErrorCodes(uuid);
  }

  async function validInvoice() {
    const number = newNumber();
    const uuid = await client.accept(exampleEntry({ number }));
    await advance(2);
    return { number, uuid };
  }

  it('keeps a document Submitted until the delay has passed on the simulated clock', async () => {
    await control(simulator.url, 'settings', { validationDelayMs: 600_000 });
    const uuid = await client.accept(exampleEntry());
    await advance(590);
    expect(await client.details(uuid)).toMatchObject({ status: 'Submitted', longId: '', dateTimeValidated: null });
    await advance(10);
    expect(await client.details(uuid)).toMatchObject({
      status: 'Valid',
      longId: expect.stringMatching(/^[0-9A-Z]{40,46}$/) as string,
      dateTimeValidated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
    });
  });

  it('reports an invalid document with the captured error structure', async () => {
    const uuid = await client.accept(exampleEntry({ set: { [buyerState]: 'NA' } }));
    await advance(2);
    const details = await client.details(uuid);
    expect(details).toMatchObject({ status: 'Invalid', longId: '' });
    expect(details.dateTimeValidated).not.toBeNull();
    expect(details.validationResults.status).toBe('Invalid');
    const names = details.validationResults.validationSteps.map(({ name }) => name);
    expect(names).toContain('Step03-Duplicated Submission Validator');
    expect(details.validationResults.validationSteps.filter(({ status }) => status !== 'Valid')).toEqual([
      {
        name: 'Step04-Code Field Validator',
        status: 'Invalid',
        error: {
          propertyName: null,
          propertyPath: null,
          errorCode: 'Error04',
          error: 'Step04-Invalid Code Field Validator',
          errorMs: 'Step04-Pengesah Medan Kod Tidak Sah',
          innerError: [
            {
              propertyName: 'CountrySubentityCode',
              propertyPath:
                '$.Invoice[*].AccountingCustomerParty[*].Party[*].PostalAddress[*].CountrySubentityCode[*]._',
              errorCode: 'CV302',
              error: 'ItemCode NA does not exist in CodeType State Codes',
              errorMs: 'ItemCode NA does not exist in CodeType State Codes',
              metaData: null,
              innerError: null,
            },
          ],
        },
      },
    ]);
  });

  it('rejects a second document with the same type, version, issue time, number and issuer', async () => {
    const issuedAt = Date.now() - 60_000;
    const number = newNumber();
    const first = await client.accept(exampleEntry({ number, issuedAt }));
    const set = { 'InvoiceLine.0.Item.0.Description.0._': 'Other content' };
    const second = await client.accept(exampleEntry({ number, issuedAt, set }));
    await advance(2);
    expect(await client.readStatus(first)).toBe('Valid');
    expect(await client.listErrors(second)).toMatchObject([
      {
        errorCode: 'DS302',
        error:
          `Duplicated submitted document with UUID ${second} where the values of configured attributes match with ` +
          `values for the document with UUID: ${first}`,
      },
    ]);
  });

  it.each([
    ['rejects a duplicate within two hours', 7190, ['DS302']],
    ['accepts a duplicate after two hours', 7210, []],
  ])('%s', async (_title, seconds, codes) => {
    const entry = exampleEntry();
    await client.accept(entry);
    await advance(seconds);
    client = await TestClient.login(simulator.url);
    const again = await client.accept(entry);
    await advance(2);
    expect(await client.listErrorCodes(again)).toEqual(codes);
  });

  it.each([
    ['rejects a duplicate of an invalid document', true, ['DS302', 'CV302']],
    ['accepts a duplicate of an invalid document without duplicatesOfInvalid', false, ['CV302']],
  ])('%s', async (_title, duplicatesOfInvalid, codes) => {
    await control(simulator.url, 'settings', { duplicatesOfInvalid });
    const invalid = { number: newNumber(), issuedAt: Date.now() - 60_000, set: { [buyerState]: 'NA' } };
    expect(await findCodes(invalid)).toEqual(['CV302']);
    const set = { ...invalid.set, 'InvoiceLine.0.Item.0.Description.0._': 'Other content' };
    expect(await findCodes({ ...invalid, set })).toEqual(codes);
  });

  it('accepts the same number with another issue time or without duplicate rules', async () => {
    const number = newNumber();
    const issuedAt = Date.now() - 60_000;
    const entry = exampleEntry({ number, issuedAt });
    await client.accept(entry);
    const otherInstant = await client.accept(exampleEntry({ number, issuedAt: issuedAt - 1000 }));
    await advance(2);
    await control(simulator.url, 'settings', { duplicateRules: false });
    const withoutRules = await client.accept(entry);
    await advance(2);
    for (const uuid of [otherInstant, withoutRules]) expect(await client.readStatus(uuid)).toBe('Valid');
  });

  it('reports duplicates with the code of the setting duplicateCode', async () => {
    await control(simulator.url, 'settings', { duplicateCode: 'DV302' });
    const number = newNumber();
    const issuedAt = Date.now() - 60_000;
    await client.accept(exampleEntry({ number, issuedAt }));
    const set = { 'InvoiceLine.0.Item.0.Description.0._': 'Other content' };
    expect(await findCodes({ number, issuedAt, set })).toEqual(['DV302']);
  });

  it.each<[string, ExampleOptions['set'], string]>([
    ['a Malaysian state in a foreign address', { [buyerState]: '10', [buyerCountry]: 'SGP' }, 'CV316'],
    ['no state in a Malaysian address', { [buyerState]: '17' }, 'CV317'],
    ['a retired state', { [buyerState]: '00' }, 'CV302'],
    ['an unknown country', { [buyerCountry]: 'XXX', [buyerState]: '17' }, 'CV302'],
    ['an unknown tax type', { 'InvoiceLine.0.TaxTotal.0.TaxSubtotal.0.TaxCategory.0.ID.0._': '09' }, 'CV302'],
    ['an unknown classification', { [lineClass]: '999' }, 'CV302'],
    ['an unknown unit', { 'InvoiceLine.0.InvoicedQuantity.0.unitCode': 'pieces' }, 'CV302'],
    ['an unknown activity', { [`${supplier}.IndustryClassificationCode.0._`]: '99999' }, 'CV302'],
    ["a taxpayer's TIN without an id number", { [buyerId]: { _: 'NA', schemeID: 'BRN' } }, 'ERR206'],
    [
      "the general public's TIN with an NRIC of twelve zeros",
      { [buyerTin]: 'EI00000000010', [buyerId]: { _: '000000000000', schemeID: 'NRIC' } },
      'ERR237',
    ],
    [
      "the general public's TIN with a passport",
      { [buyerTin]: 'EI00000000010', [buyerId]: { _: 'A12345678', schemeID: 'PASSPORT' } },
      'ERR237',
    ],
    ['an amount in another currency', { 'LegalMonetaryTotal.0.PayableAmount.0.currencyID': 'USD' }, 'DC502'],
    ['a tax amount in another currency', { 'TaxTotal.0.TaxAmount.0.currencyID': 'USD' }, 'DC501'],
  ])('rejects %s', async (_title, set, code) => {
    expect(await findCodes({ set })).toEqual([code]);
  });

  it("rejects the general public's TIN with NA outside of a consolidated invoice", async () => {
    const set = { [buyerTin]: 'EI00000000010', [buyerId]: { _: 'NA', schemeID: 'BRN' } };
    expect(await findCodes({ set })).toEqual(['ERR228', 'ERR236']);
  });

  it("accepts the general public's TIN with an NRIC", async () => {
    const set = { [buyerTin]: 'EI00000000010', [buyerId]: { _: '800101145678', schemeID: 'NRIC' } };
    expect(await findCodes({ set })).toEqual([]);
  });

  it('accepts a public body without an id number only in classification 004', async () => {
    const set = { [buyerTin]: 'EI00000000040', [buyerId]: { _: 'NA', schemeID: 'BRN' } };
    expect(await findCodes({ set })).toEqual(['ERR205']);
    expect(await findCodes({ set: { ...set, [lineClass]: '004' } })).toEqual([]);
  });

  it('requires an exchange rate to MYR for a document in another currency', async () => {
    expect(await findCodes({ rewrite: toDollars })).toEqual(['DC511']);
    const rate = [
      { SourceCurrencyCode: [{ _: 'USD' }], TargetCurrencyCode: [{ _: 'RATE' }], CalculationRate: [{ _: 4.2 }] },
    ];
    const withRate = (text: string) => toDollars(text).replace('"RATE"', '"MYR"');
    expect(await findCodes({ set: { TaxExchangeRate: rate }, rewrite: withRate })).toEqual([]);
  });

  describe('for credit notes', () => {
    it('accepts a valid parent of the same supplier and buyer', async () => {
      const { number, uuid } = await validInvoice();
      const note = await client.accept(creditNoteFor(uuid, { parentNumber: number }));
      await advance(2);
      expect(await client.listErrorCodes(note)).toEqual([]);
      expect(await client.readStatus(note)).toBe('Valid');
    });

    it('rejects a cancelled parent', async () => {
      const { number, uuid } = await validInvoice();
      await client.changeState(uuid, 'cancelled');
      const note = await client.accept(creditNoteFor(uuid, { parentNumber: number }));
      await advance(2);
      expect(await client.listErrors(note)).toMatchObject([
        { errorCode: 'DR303', error: `The status of referenced document uuid ${uuid} is Cancelled` },
      ]);
    });

    it('rejects a parent with another buyer', async () => {
      const { number, uuid } = await validInvoice();
      const note = await client.accept(
        creditNoteFor(uuid, { parentNumber: number, set: { [buyerTin]: 'C1111111110' } }),
      );
      await advance(2);
      expect(await client.listErrorCodes(note)).toEqual(['DR308']);
    });

    it('rejects a parent of another supplier as unknown', async () => {
      const { number, uuid } = await validInvoice();
      client = await TestClient.login(simulator.url, 'C2222222220');
      const set = { [`${supplier}.PartyIdentification.0.ID.0._`]: 'C2222222220' };
      const note = await client.accept(creditNoteFor(uuid, { parentNumber: number, set }));
      await advance(2);
      expect(await client.listErrorCodes(note)).toEqual(['DR301']);
    });

    it('accepts the parent NA for invoices issued before e-invoicing', async () => {
      for (const parentNumber of ['PAPER-1', 'NA']) {
        const note = await client.accept(creditNoteFor('NA', { parentNumber, set: { [buyerTin]: 'C1111111110' } }));
        await advance(2);
        expect(await client.listErrorCodes(note)).toEqual([]);
      }
    });

    it('rejects an unknown parent unless the settings allow it', async () => {
      const refused = await client.accept(creditNoteFor(unknownUid, { parentNumber: 'X' }));
      await advance(2);
      expect(await client.listErrorCodes(refused)).toEqual(['DR301']);
      await control(simulator.url, 'settings', { unknownParents: 'accepted' });
      const accepted = await client.accept(creditNoteFor(unknownUid, { parentNumber: 'X' }));
      await advance(2);
      expect(await client.readStatus(accepted)).toBe('Valid');
    });
  });
});
