import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from './simulator.js';
import { type ExampleOptions, exampleEntry } from './testing/example-documents.js';
import { type SubmitResponse, TestClient, supplierTin } from './testing/test-client.js';

// Each test changes one thing in a valid document and asserts the resulting errors. A service that violates a rule of
// the authority thus fails against the simulator and not with its first real invoice.

type Changes = Record<string, unknown>;

const supplier = 'AccountingSupplierParty.0.Party.0';
const buyer = 'AccountingCustomerParty.0.Party.0';
const recipient = 'Delivery.0.DeliveryParty.0';
const line = 'InvoiceLine.0';
const headerCategory = 'TaxTotal.0.TaxSubtotal.0.TaxCategory.0';
const lineCategory = `${line}.${headerCategory}`;
const incoterm = 'AdditionalDocumentReference.1.ID.0._';
const rateSource = 'TaxExchangeRate.0.SourceCurrencyCode.0._';
const buyerTin = 'C9876543210';

const toIdPath = (party: string, position: number) => `${party}.PartyIdentification.${position}.ID.0`;
const toPostcodePath = (party: string) => `${party}.PostalAddress.0.PostalZone.0._`;
const toStatePath = (party: string) => `${party}.PostalAddress.0.CountrySubentityCode.0._`;
const toCountryPath = (party: string) => `${party}.PostalAddress.0.Country.0.IdentificationCode.0._`;
const toNamePath = (party: string) => `${party}.PartyLegalEntity.0.RegistrationName.0._`;
const amount = (value: number) => [{ _: value, currencyID: 'MYR' }];
const text = (value: string) => [{ _: value }];

const delivery = [
  {
    DeliveryParty: [
      {
        PartyIdentification: [{ ID: [{ _: 'C9876543210', schemeID: 'TIN' }] }],
        PostalAddress: [
          {
            CityName: text('Kajang'),
            PostalZone: text('43000'),
            CountrySubentityCode: text('10'),
            AddressLine: [{ Line: text('1 Jalan Stor') }],
            Country: [{ IdentificationCode: text('MYS') }],
          },
        ],
        PartyLegalEntity: [{ RegistrationName: text('Stor Contoh') }],
      },
    ],
  },
];

/** Adds a shipping recipient, customs references, an exchange rate and an exempt line to the example. */
const good: Changes = {
  AdditionalDocumentReference: [
    { ID: text('E12345678912'), DocumentType: text('CustomsImportForm') },
    { ID: text('CIF') },
  ],
  TaxExchangeRate: [{ SourceCurrencyCode: text('MYR'), TargetCurrencyCode: text('MYR'), CalculationRate: [{ _: 1 }] }],
  Delivery: delivery,
  [`${headerCategory}.ID.0._`]: 'E',
  [`${headerCategory}.TaxExemptionReason`]: text('Schedule A'),
  [`${lineCategory}.ID.0._`]: 'E',
  [`${lineCategory}.TaxExemptionReason`]: text('Schedule A'),
};

const toPublic = (scheme: string, id: string): Changes => ({
  [`${toIdPath(buyer, 0)}._`]: 'EI00000000010',
  [toIdPath(buyer, 1)]: { _: id, schemeID: scheme },
});
const selfBilledFrom = (tin: string, scheme: string, id: string): Changes => ({
  'InvoiceTypeCode.0._': '11',
  [`${toIdPath(supplier, 0)}._`]: tin,
  [toIdPath(supplier, 1)]: { _: id, schemeID: scheme },
});
/** Replaces all currencies of the document. */
const inDollars = (json: string) =>
  json
    .replaceAll('"currencyID":"MYR"', '"currencyID":"USD"')
    .replace(
      '"DocumentCurrencyCode":[{"_":"MYR"}],"TaxCurrencyCode":[{"_":"MYR"}]',
      '"DocumentCurrencyCode":[{"_":"USD"}],"TaxCurrencyCode":[{"_":"USD"}]',
    );

describe('valid document', () => {
  let simulator: Simulator;
  let asSupplier: TestClient;
  let asBuyer: TestClient;
  beforeAll(async () => {
    simulator = await startSimulator({ settings: { validationDelayMs: 0, visibilityDelayMs: 0 } });
    asSupplier = await TestClient.login(simulator.url, supplierTin);
    asBuyer = await TestClient.login(simulator.url, buyerTin);
  });
  afterAll(() => simulator.close());

  /** Returns all errors of submission and validation as `CODE text`. Errors without a code start with their path. */
  async function findingsIn({ set, ...options }: ExampleOptions = {}): Promise<string[]> {
    const client = set?.['InvoiceTypeCode.0._'] === '11' ? asBuyer : asSupplier;
    const response = await client.submit(exampleEntry({ ...options, set: structuredClone({ ...good, ...set }) }));
    const { acceptedDocuments, rejectedDocuments } = response.json() as SubmitResponse;
    const [accepted] = acceptedDocuments;
    if (accepted) {
      const errors = await client.listErrors(accepted.uuid);
      return errors.map(({ errorCode, error }) => `${errorCode} ${error}`);
    }
    const details = rejectedDocuments.flatMap(({ error }) => error.details);
    return details.map(({ code, propertyPath, message }) => `${code ?? String(propertyPath)} ${message}`);
  }

  it('has no errors', async () => {
    expect(await findingsIn()).toEqual([]);
  });

  it('has no errors if it is self-billed', async () => {
    expect(await findingsIn({ set: selfBilledFrom('EI00000000030', 'PASSPORT', 'A12345678') })).toEqual([]);
  });

  it.each<[string, Changes, RegExp]>([
    [
      'a postcode with a letter',
      { [toPostcodePath(supplier)]: '5048O' },
      /^Invoice\.AccountingSupplier.*PostalZone Postal/,
    ],
    [
      'a postcode of 6 digits',
      { [toPostcodePath(buyer)]: '504800' },
      /^Invoice\.AccountingCustomer.*PostalZone Postal/,
    ],
    [
      'a postcode without its leading zero',
      { [toPostcodePath(buyer)]: '5000' },
      /^Invoice\..*PostalZone Postal code must be 5/,
    ],
    ['a shipping postcode of 6 digits', { [toPostcodePath(recipient)]: '430000' }, /^Invoice\.Delivery\..*PostalZone/],
    [
      'an unknown shipping country',
      { [toCountryPath(recipient)]: 'XXX', [toStatePath(recipient)]: 'X' },
      /^CV302 .*XXX/,
    ],
    ['an unknown shipping state', { [toStatePath(recipient)]: '18' }, /^CV302 .* State Codes/],
    ['no state in a Malaysian shipping address', { [toStatePath(recipient)]: '17' }, /^CV317 .* Shipping Recipient/],
    [
      'a Malaysian state in a foreign shipping address',
      { [toCountryPath(recipient)]: 'SGP' },
      /^CV316 .* Shipping Recipient/,
    ],
    [
      'an SST number with a slash',
      { [`${toIdPath(supplier, 2)}._`]: 'W10/1808' },
      /SST registration number - SUPPLIER/,
    ],
    ['three SST numbers', { [`${toIdPath(buyer, 2)}._`]: 'A-1;A-2;A-3' }, /SST registration number - BUYER/],
    ['an SST number of 36 characters', { [`${toIdPath(buyer, 2)}._`]: 'A'.repeat(36) }, /StringTooLong/],
    ['a TTX number with a dot', { [`${toIdPath(supplier, 3)}._`]: '123.4567' }, /^CF407 .* SUPPLIER/],
    ['two TTX numbers', { [`${toIdPath(supplier, 3)}._`]: 'A-1;A-2' }, /^CF407 .* SUPPLIER/],
    ['a TTX number of 18 characters', { [`${toIdPath(buyer, 3)}._`]: 'A'.repeat(18) }, /^CF407 .* BUYER/],
    [
      'a buyer BRN of 21 characters',
      { [`${toIdPath(buyer, 1)}._`]: '1'.repeat(21) },
      /longer than 20 characters for BRN.* BUYER/,
    ],
    [
      'a supplier BRN of 21 characters',
      { [`${toIdPath(supplier, 1)}._`]: '1'.repeat(21) },
      /longer than 20.* SUPPLIER/,
    ],
    [
      'a passport number of 13 characters',
      { [toIdPath(buyer, 1)]: { _: 'A123456789012', schemeID: 'PASSPORT' } },
      /12 for PASSPORT/,
    ],
    [
      'an army number of 13 characters',
      { [toIdPath(buyer, 1)]: { _: 'T123456789012', schemeID: 'ARMY' } },
      /12 for PASSPORT and ARMY/,
    ],
    [
      'a total without a currency',
      { 'LegalMonetaryTotal.0.PayableAmount.0.currencyID': undefined },
      /PropertyRequired: .*PayableAmount\[0\]\.currencyID/,
    ],
    [
      'a tax amount without a currency',
      { 'TaxTotal.0.TaxAmount.0.currencyID': undefined },
      /PropertyRequired: .*TaxAmount\[0\]\.currencyID/,
    ],
    [
      'a price without a currency',
      { [`${line}.Price.0.PriceAmount.0.currencyID`]: undefined },
      /PropertyRequired: .*PriceAmount\[0\]\.currencyID/,
    ],
    [
      'a line exemption without a reason',
      { [`${lineCategory}.TaxExemptionReason`]: undefined },
      /^Invoice\.InvoiceLine.*TaxExemptionReason/,
    ],
    [
      'an exemption with a blank reason',
      { [`${headerCategory}.TaxExemptionReason.0._`]: ' ' },
      /^Invoice\.TaxTotal.*TaxExemptionReason/,
    ],
    ['an empty description', { [`${line}.Item.0.Description.0._`]: '' }, /Item\.Description Line description/],
    ['a blank description', { [`${line}.Item.0.Description.0._`]: ' ' }, /Item\.Description Line description/],
    [
      'a business activity without a name',
      { [`${supplier}.IndustryClassificationCode.0.name`]: undefined },
      /IndustryClassificationCode\.name Business activity/,
    ],
    [
      'a business activity of 301 characters',
      { [`${supplier}.IndustryClassificationCode.0.name`]: 'x'.repeat(301) },
      /IndustryClassificationCode\.name Business activity/,
    ],
    ['an incoterm of 4 letters', { [incoterm]: 'CIFF' }, /AdditionalDocumentReference\.ID Incoterms/],
    ['an incoterm with a dot', { [incoterm]: 'C.F' }, /AdditionalDocumentReference\.ID Incoterms/],
    ['an exchange rate from another currency', { [rateSource]: 'USD' }, /^DC510 /],
    ["the general public's TIN for a buyer with a passport", toPublic('PASSPORT', 'A12345678'), /^ERR237 /],
    ["the general public's TIN for a buyer with a BRN", toPublic('BRN', '202001234567'), /^ERR237 /],
    ["the foreign suppliers' TIN for the buyer", { [`${toIdPath(buyer, 0)}._`]: 'EI00000000030' }, /^ERR209 /],
    [
      'a foreign person without a passport',
      { [`${toIdPath(buyer, 0)}._`]: 'EI00000000020', [toIdPath(buyer, 1)]: { _: 'NA', schemeID: 'PASSPORT' } },
      /^ERR205 /,
    ],
    ["the foreign buyers' TIN for the supplier", selfBilledFrom('EI00000000020', 'PASSPORT', 'A12345678'), /^ERR208 /],
    ["the public bodies' TIN for the supplier", selfBilledFrom('EI00000000040', 'BRN', '202001234567'), /^ERR210 /],
    [
      "the general public's TIN for a supplier with a passport",
      selfBilledFrom('EI00000000010', 'PASSPORT', 'A12345678'),
      /^ERR210 /,
    ],
    [
      "the sample's placeholder name of a consolidated buyer",
      { [toNamePath(buyer)]: "Consolidated Buyer's" },
      /^CF333 /,
    ],
    ['two document numbers', { ID: [{ _: 'A' }, { _: 'B' }] }, /TooManyItems: #\/Invoice\[0\]\.ID/],
    ['an empty element', { PaymentMeans: [] }, /TooFewItems: #\/Invoice\[0\]\.PaymentMeans/],
    [
      'an element that UBL does not define',
      { [`${buyer}.Nickname`]: text('x') },
      /NoAdditionalPropertiesAllowed: .*Party\[0\]\.Nickname/,
    ],
    [
      'a misplaced UBL element',
      { [`${buyer}.DueDate`]: text('2026-01-01') },
      /NoAdditionalPropertiesAllowed: .*DueDate/,
    ],
    ['a malformed due date', { DueDate: text('soon') }, /DateExpected: .*DueDate/],
    ['a party name without a value', { [`${buyer}.PartyName`]: [{}] }, /PropertyRequired: .*PartyName\[0\]\.Name/],
  ])('has exactly one error with %s', async (_title, set, finding) => {
    const findings = await findingsIn({ set });
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(finding);
  });

  it.each(['Pembeli Contoh', "Consolidated Buyer's", ''])(
    'is rejected for the general public under the name %j',
    async (name) => {
      const set = { Delivery: undefined, [toNamePath(buyer)]: name };
      const entry = exampleEntry({ example: 'consolidated', set });
      expect((await asSupplier.reject(entry)).map(({ code }) => code)).toEqual(['CF333']);
    },
  );

  it.each<[string, ExampleOptions]>([
    [
      'the extension namespace',
      {
        rewrite: (json) =>
          json.replace('{', '{"_E":"urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2",'),
      },
    ],
    ['notes', { set: { Note: [{ _: 'a' }, { _: 'b', languageID: 'en' }], [`${line}.Note`]: text('c') } }],
    ['a UBL version', { set: { UBLVersionID: text('2.1'), CustomizationID: text('x'), ProfileID: text('y') } }],
    ['a due date and a tax date', { set: { DueDate: text('2026-12-31'), TaxPointDate: text('2026-12-01') } }],
    ['a line count', { set: { LineCountNumeric: [{ _: 1 }], CopyIndicator: [{ _: false }] } }],
    [
      'a buyer reference and an order',
      {
        set: { BuyerReference: text('x'), OrderReference: [{ ID: text('PO-1'), IssueTime: text('08:00:00.5+08:00') }] },
      },
    ],
    [
      'party names',
      {
        set: {
          [`${buyer}.PartyName`]: [{ Name: text('Contoh') }],
          [`${supplier}.PartyName`]: [{ Name: text('Kedai') }],
        },
      },
    ],
    [
      'more address fields',
      {
        set: {
          [`${buyer}.PostalAddress.0.StreetName`]: text('Jalan Contoh'),
          [`${buyer}.PostalAddress.0.CountrySubentity`]: text('Selangor'),
          [`${buyer}.PostalAddress.0.Country.0.Name`]: text('Malaysia'),
        },
      },
    ],
    [
      'more contact fields',
      { set: { [`${buyer}.Contact.0.Name`]: text('Aminah'), [`${buyer}.Contact.0.Telefax`]: text('1') } },
    ],
    [
      'a party tax scheme',
      { set: { [`${supplier}.PartyTaxScheme`]: [{ CompanyID: text('x'), TaxScheme: [{ ID: text('OTH') }] }] } },
    ],
    [
      'a company id of the legal entity',
      { set: { [`${supplier}.PartyLegalEntity.0.CompanyID`]: text('201901234567') } },
    ],
    [
      'a percentage in the tax category',
      {
        set: {
          [`${lineCategory}.Percent`]: [{ _: 8 }],
          [`${headerCategory}.Name`]: text('Exempt'),
          [`${headerCategory}.TaxScheme.0.Name`]: text('Other'),
        },
      },
    ],
    ['a tax rounding amount', { set: { 'TaxTotal.0.RoundingAmount': amount(0) } }],
    [
      'a tax per unit',
      {
        set: {
          [`${line}.TaxTotal.0.TaxSubtotal.0.PerUnitAmount`]: amount(10),
          [`${line}.TaxTotal.0.TaxSubtotal.0.BaseUnitMeasure`]: [{ _: 2, unitCode: 'C62' }],
        },
      },
    ],
    [
      'more item fields',
      {
        set: {
          [`${line}.Item.0.Name`]: text('Consulting'),
          [`${line}.Item.0.SellersItemIdentification`]: [{ ID: text('SKU-1') }],
          [`${line}.Item.0.AdditionalItemProperty`]: [{ Name: text('Colour'), Value: text('red') }],
        },
      },
    ],
    ['a base quantity in the price', { set: { [`${line}.Price.0.BaseQuantity`]: [{ _: 1, unitCode: 'C62' }] } }],
    [
      'a payment due date',
      {
        set: {
          PaymentMeans: [
            {
              PaymentMeansCode: text('03'),
              PaymentDueDate: text('2026-12-31'),
              PayeeFinancialAccount: [{ ID: text('1'), Name: text('x') }],
            },
          ],
        },
      },
    ],
    [
      'a discount base amount',
      {
        set: { 'AllowanceCharge.0.BaseAmount': amount(100), 'AllowanceCharge.0.AllowanceChargeReasonCode': text('95') },
      },
    ],
    ['a prepaid amount', { set: { 'LegalMonetaryTotal.0.PrepaidAmount': amount(1) } }],
    [
      'a delivery date',
      {
        set: {
          Delivery: [
            {
              ...delivery[0],
              ActualDeliveryDate: text('2026-12-01'),
              DeliveryLocation: [{ Address: [{ CityName: text('Kajang') }] }],
            },
          ],
        },
      },
    ],
    [
      'an attachment',
      {
        set: {
          'AdditionalDocumentReference.0.Attachment': [{ ExternalReference: [{ URI: text('https://kedai.example') }] }],
        },
      },
    ],
    [
      'two SST registration numbers',
      { set: { [`${toIdPath(supplier, 2)}._`]: 'W10-1808-32000001;W10-1808-32000002' } },
    ],
    ['a tourism tax registration number', { set: { [`${toIdPath(supplier, 3)}._`]: '123-4567-89012345' } }],
    ['no postcode', { set: { [`${buyer}.PostalAddress.0.PostalZone`]: undefined } }],
    [
      'a foreign postcode',
      { set: { [toCountryPath(buyer)]: 'GBR', [toStatePath(buyer)]: '17', [toPostcodePath(buyer)]: 'SW1A 1AA' } },
    ],
    ['no shipping address', { set: { [`${recipient}.PostalAddress`]: undefined } }],
    [
      'a foreign business without an id number',
      { set: { [`${toIdPath(buyer, 0)}._`]: 'EI00000000020', [`${toIdPath(buyer, 1)}._`]: 'NA' } },
    ],
    [
      'a foreigner with a passport',
      {
        set: {
          [`${toIdPath(buyer, 0)}._`]: 'EI00000000020',
          [toIdPath(buyer, 1)]: { _: 'A12345678', schemeID: 'PASSPORT' },
        },
      },
    ],
    ["the general public's TIN for a buyer with an army number", { set: toPublic('ARMY', 'T1234567') }],
    [
      "the general public's TIN for a supplier with an NRIC",
      { set: selfBilledFrom('EI00000000010', 'NRIC', '880101145678') },
    ],
    [
      'several parents in one billing reference',
      {
        set: {
          BillingReference: [
            { InvoiceDocumentReference: ['1', '2'].map((number) => ({ ID: text(number), UUID: text('x') })) },
          ],
        },
      },
    ],
  ])('has no errors with %s', async (_title, options) => {
    expect(await findingsIn(options)).toEqual([]);
  });

  it('in dollars requires an exchange rate from dollars', async () => {
    const fromDollars = (json: string) =>
      inDollars(json).replace('"SourceCurrencyCode":[{"_":"MYR"}]', '"SourceCurrencyCode":[{"_":"USD"}]');
    expect(await findingsIn({ rewrite: fromDollars })).toEqual([]);
    expect(await findingsIn({ rewrite: inDollars })).toEqual([expect.stringMatching(/^DC510 /)]);
  });
});
