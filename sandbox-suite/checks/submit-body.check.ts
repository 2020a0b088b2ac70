import { describe, expect, it } from 'vitest';
import { asEnvelope, consolidatedInvoice, creditNote, invoice, line, recipient, today } from '../documents.js';
import { DRY_RUN, dryRun, expectBroken, freeOfCharge, number, post, submit } from '../suite.js';

// These checks use dry runs, which apply the rules of submit free of charge.

const without = (object: object, member: string): object =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== member));
const buyer = (members: object): object => ({ recipient: { ...recipient, ...members } });
const noBuyer = (member: string): object => ({ recipient: without(recipient, member) });
const lines = (members: object): object => ({ lineItems: [{ ...line, ...members }] });
const noLine = (member: string): object => ({ lineItems: [without(line, member)] });

const DOCUMENT = '/documents/0';
const LINE = `${DOCUMENT}/lineItems/0`;
const BUYER = `${DOCUMENT}/recipient`;

/** Members that replace those of a valid invoice, and the expected error pointer. */
type Rule = readonly [title: string, members: object, pointer: string];

async function refuses(members: object, pointer: string): Promise<void> {
  expectBroken(await dryRun([invoice(number(), members)]), pointer);
}

describe('POST /v1/einvoice/submit', () => {
  const RULES: readonly Rule[] = [
    ['without documentType', { documentType: undefined }, `${DOCUMENT}/documentType`],
    ['with a documentType that does not exist', { documentType: 'receipt' }, `${DOCUMENT}/documentType`],
    ['without referenceId', { referenceId: undefined }, `${DOCUMENT}/referenceId`],
    ['with a blank referenceId', { referenceId: '   ' }, `${DOCUMENT}/referenceId`],
    ['with a referenceId of 51 characters', { referenceId: 'x'.repeat(51) }, `${DOCUMENT}/referenceId`],
    ['with a control character in referenceId', { referenceId: 'A\u0007B' }, `${DOCUMENT}/referenceId`],
    ['with a referenceId that is a number', { referenceId: 1001 }, `${DOCUMENT}/referenceId`],
    ['without a date', { document_date: undefined }, `${DOCUMENT}/document_date`],
    ['with a date that does not exist', { document_date: '2026-02-30' }, `${DOCUMENT}/document_date`],
    ['with a date in another form', { document_date: '31/01/2026' }, `${DOCUMENT}/document_date`],
    ['with a date in the future', { document_date: today(1) }, `${DOCUMENT}/document_date`],
    ['with two dates that differ', { documentDate: today(-1) }, `${DOCUMENT}/documentDate`],
    ['without lines', { lineItems: [] }, `${DOCUMENT}/lineItems`],
    ['with lines that are not a list', { lineItems: line }, `${DOCUMENT}/lineItems`],
    ['with a negative total discount', { totalDiscountAmount: -1 }, `${DOCUMENT}/totalDiscountAmount`],
    ['with a total discount above its lines', { totalDiscountAmount: 190.01 }, `${DOCUMENT}/totalDiscountAmount`],
    ['with a rounding of three decimals', { totalRoundingAmount: 0.001 }, `${DOCUMENT}/totalRoundingAmount`],
    ['with a negative payable amount', { totalRoundingAmount: -300 }, `${DOCUMENT}/totalRoundingAmount`],
    ['with a total that differs from the computed one', { totalPayableAmount: 1 }, `${DOCUMENT}/totalPayableAmount`],
    [
      'that is an invoice with a related invoice',
      { relatedInvoice: { referenceId: 'X' } },
      `${DOCUMENT}/relatedInvoice`,
    ],
  ];
  it.each(RULES)('rejects a document %s', (_, members, pointer) => refuses(members, pointer));
});

describe('POST /v1/einvoice/submit', () => {
  const RULES: readonly Rule[] = [
    ['that is missing', { recipient: undefined }, BUYER],
    ['without name', noBuyer('name'), `${BUYER}/name`],
    ['with a name of 301 characters', buyer({ name: 'x'.repeat(301) }), `${BUYER}/name`],
    ['without addressLine1', noBuyer('addressLine1'), `${BUYER}/addressLine1`],
    ['with an address line of 151 characters', buyer({ addressLine2: 'x'.repeat(151) }), `${BUYER}/addressLine2`],
    ['without city', noBuyer('city'), `${BUYER}/city`],
    ['without postcode', noBuyer('postcode'), `${BUYER}/postcode`],
    ['in Malaysia with a postcode of 4 digits', buyer({ postcode: '4000' }), `${BUYER}/postcode`],
    ['in Malaysia without state', noBuyer('state'), `${BUYER}/state`],
    ['with a state that does not exist', buyer({ state: 'selangur' }), `${BUYER}/state`],
    ['with a country that does not exist', buyer({ country: 'XXQ' }), `${BUYER}/country`],
    ['without tin', noBuyer('tin'), `${BUYER}/tin`],
    ['with a malformed tin', buyer({ tin: '12345' }), `${BUYER}/tin`],
    ['with the TIN of consolidated documents', buyer({ tin: 'EI00000000010', brn: 'NA' }), `${BUYER}/tin`],
    ['without entity_type', noBuyer('entity_type'), `${BUYER}/entity_type`],
    ['with an entity_type that does not exist', buyer({ entity_type: 'club' }), `${BUYER}/entity_type`],
    ['with two entity types that differ', buyer({ entityType: 'individual' }), `${BUYER}/entityType`],
    ['that is a company without brn', noBuyer('brn'), `${BUYER}/brn`],
    ['that is an individual without nric', buyer({ entity_type: 'individual' }), `${BUYER}/nric`],
    ['with an nric of 11 digits', buyer({ entity_type: 'individual', nric: '90010114123' }), `${BUYER}/nric`],
    ['with a phone of letters', buyer({ phone: 'by mail' }), `${BUYER}/phone`],
    ['with an email without @', buyer({ email: 'pembeli.example' }), `${BUYER}/email`],
  ];
  it.each(RULES)('rejects a buyer %s', (_, members, pointer) => refuses(members, pointer));
});

describe('POST /v1/einvoice/submit', () => {
  const RULES: readonly Rule[] = [
    ['without description', noLine('description'), `${LINE}/description`],
    ['with a description of 301 characters', lines({ description: 'x'.repeat(301) }), `${LINE}/description`],
    ['without quantity', noLine('quantity'), `${LINE}/quantity`],
    ['with a quantity of 0', lines({ quantity: 0 }), `${LINE}/quantity`],
    ['with a negative quantity', lines({ quantity: -1 }), `${LINE}/quantity`],
    ['with a quantity of six decimals', lines({ quantity: 1.000001 }), `${LINE}/quantity`],
    ['with a quantity that is a string', lines({ quantity: '2' }), `${LINE}/quantity`],
    ['without unitPrice', noLine('unitPrice'), `${LINE}/unitPrice`],
    ['with a negative unitPrice', lines({ unitPrice: -1 }), `${LINE}/unitPrice`],
    ['with a unitPrice of 10¹³', lines({ unitPrice: 1e13 }), `${LINE}/unitPrice`],
    ['with a negative discount', lines({ discount: -0.01 }), `${LINE}/discount`],
    ['with a discount above its amount', lines({ discount: 200.01 }), `${LINE}/discount`],
    ['with a discount of three decimals', lines({ discount: 0.001 }), `${LINE}/discount`],
    ['with a lineTotal that differs by 0.02', lines({ lineTotal: 190.02 }), `${LINE}/lineTotal`],
    ['with a negative taxAmount', lines({ taxAmount: -1 }), `${LINE}/taxAmount`],
    ['with a taxAmount of three decimals', lines({ taxAmount: 1.005 }), `${LINE}/taxAmount`],
    ['with a taxType that does not exist', lines({ taxType: '99' }), `${LINE}/taxType`],
    ['that is exempt without a reason', lines({ taxType: 'E' }), `${LINE}/taxExemptionReason`],
    ['with a classification that does not exist', lines({ classification: '999' }), `${LINE}/classification`],
    ['with a unitCode that does not exist', lines({ unitCode: 'QQQ' }), `${LINE}/unitCode`],
  ];
  it.each(RULES)('rejects a line %s', (_, members, pointer) => refuses(members, pointer));
});

describe('POST /v1/einvoice/submit', () => {
  it.each([
    ['without submission_type', { documents: [invoice('A')] }, '/submission_type'],
    ['with a submission_type that does not exist', asEnvelope([invoice('A')], 'monthly'), '/submission_type'],
    ['without documents', { submission_type: 'consolidated' }, '/documents'],
    ['with an empty list of documents', asEnvelope([]), '/documents'],
    ['with documents that are not a list', asEnvelope(invoice('A')), '/documents'],
    ['with a document that is not an object', asEnvelope(['A']), '/documents/0'],
    ['with a repeated document', asEnvelope([invoice('A'), invoice('A')]), '/documents/1/referenceId'],
  ])('rejects a request %s', async (_, body, pointer) => {
    expectBroken(await post(DRY_RUN, body, { key: null }), pointer);
  });

  it('rejects a request with 101 documents', async () => {
    const documents = Array.from({ length: 101 }, () => consolidatedInvoice(number()));
    expectBroken(await dryRun(documents, { type: 'consolidated' }), '/documents');
  });

  it('reports all violations of all documents', async () => {
    const documents = [invoice('A-1', lines({ quantity: 0 })), invoice('A-2', noBuyer('city'))];
    const { body } = await dryRun(documents);
    expect(body.details).toMatchObject([
      { pointer: '/documents/0/lineItems/0/quantity', documentIndex: 0, referenceId: 'A-1' },
      { pointer: '/documents/1/recipient/city', documentIndex: 1, referenceId: 'A-2' },
    ]);
    expect(body.errors).toHaveLength(2);
    expect(body.errors[0]).toContain('documents[0].lineItems[0].quantity');
    expect(body.errors[1]).toContain('documents[1].recipient.city');
  });

  it('rejects a request free of charge if one of its documents is invalid', async () => {
    const good = consolidatedInvoice(number());
    const options = { type: 'consolidated' } as const;
    const response = await freeOfCharge(() =>
      submit([good, consolidatedInvoice(number(), { lineItems: [] })], options),
    );
    expectBroken(response, '/documents/1/lineItems');
    expect((await dryRun([good], options)).status).toBe(200);
  });
});

describe('POST /v1/einvoice/submit', () => {
  it.each<[title: string, members: object]>([
    ['with documentDate instead of document_date', { document_date: undefined, documentDate: today() }],
    ['with both spellings of the date if they are equal', { documentDate: today() }],
    ['with a referenceId of 50 characters', { referenceId: 'x'.repeat(50) }],
    ['with entityType instead of entity_type', buyer({ entity_type: undefined, entityType: 'company' })],
    ['with an individual buyer and an nric', buyer({ entity_type: 'individual', nric: '900101-14-1234' })],
    ['with a lower-case buyer TIN that contains spaces', buyer({ tin: ' c98 7654 3210 ' })],
    ['with a foreign buyer and postcode', buyer({ country: 'SGP', postcode: '018956-A', state: undefined })],
    ['with a lineTotal that differs by 0.01', lines({ lineTotal: 190.01 })],
    ['with a quantity of five decimals', lines({ quantity: 1.00001, discount: 0 })],
    ['with a line without discount and tax', { lineItems: [without(without(line, 'discount'), 'taxAmount')] }],
    ['with a negative rounding', { totalRoundingAmount: -0.02 }],
    ['with an exempt line and a reason', lines({ taxType: 'E', taxExemptionReason: 'Sales to the government' })],
  ])('accepts a document %s', async (_, members) => {
    const { status, text } = await dryRun([invoice(number(), members)]);
    expect(status, text).toBe(200);
  });

  it('accepts a consolidated request without a buyer', async () => {
    const { status, text } = await dryRun([consolidatedInvoice(number())], { type: 'consolidated' });
    expect(status, text).toBe(200);
  });

  it('accepts a consolidated request with any buyer', async () => {
    const { status, text } = await dryRun([consolidatedInvoice(number(), { recipient: { tin: '?' } })], {
      type: 'consolidated',
    });
    expect(status, text).toBe(200);
  });

  it('accepts submissionType instead of submission_type', async () => {
    const body = { submissionType: 'consolidated', documents: [consolidatedInvoice(number())] };
    expect((await post(DRY_RUN, body, { key: null })).status).toBe(200);
  });
});

describe('POST /v1/einvoice/submit with an unknown field', () => {
  const unknown = { lineItem: [] };

  it('returns a warning', async () => {
    const { status, body } = await dryRun([invoice(number(), unknown)]);
    expect(status).toBe(200);
    expect(body.warnings).toMatchObject([{ rule: 'member_unknown', pointer: '/documents/0/lineItem' }]);
  });

  it('returns an error with Prefer: handling=strict', async () => {
    const headers = { Prefer: 'handling=strict' };
    expectBroken(await dryRun([invoice(number(), unknown)], { headers }), '/documents/0/lineItem', 'member_unknown');
  });
});

describe('POST /v1/einvoice/submit with an unknown field that would change the document', () => {
  it.each([
    ['currency', { currency: 'USD' }, `${DOCUMENT}/currency`],
    ['serviceCharge', { serviceCharge: 10 }, `${DOCUMENT}/serviceCharge`],
    ['the misspelt discout on a line', lines({ discout: 10 }), `${LINE}/discout`],
    ['vatRate on a line', lines({ vatRate: 8 }), `${LINE}/vatRate`],
  ])('returns an error for %s', async (_, members, pointer) => {
    expectBroken(await dryRun([invoice(number(), members)]), pointer, 'unsupported_member');
  });

  it('ignores a neutral value', async () => {
    const { status, text } = await dryRun([invoice(number(), { currency: 'MYR', exchangeRate: 1, serviceCharge: 0 })]);
    expect(status, text).toBe(200);
  });
});

describe('POST /v1/einvoice/submit with a repeated field', () => {
  const body = JSON.stringify(asEnvelope([consolidatedInvoice(number())], 'consolidated'));
  const text = body.replace('"documentType":', '"documentType":"invoice","documentType":');

  it('returns an error if the values differ', async () => {
    const different = body.replace('"documentType":', '"documentType":"credit_note","documentType":');
    const response = await post(DRY_RUN, different, { key: null });
    expectBroken(response, '/documents/0/documentType', 'repeated_member');
  });

  it('returns a warning if the values are equal', async () => {
    const { status, body } = await post(DRY_RUN, text, { key: null });
    expect(status).toBe(200);
    expect(body.warnings).toMatchObject([{ rule: 'member_repeated' }]);
  });

  it('returns an error with Prefer: handling=strict', async () => {
    const response = await post(DRY_RUN, text, { key: null, headers: { Prefer: 'handling=strict' } });
    expectBroken(response, '/documents/0/documentType', 'member_repeated');
  });
});

describe('POST /v1/einvoice/submit', () => {
  it('rejects a credit note without its invoice', async () => {
    const note = creditNote(number('CN'), {}, { relatedInvoice: undefined });
    expectBroken(await dryRun([note]), '/documents/0/relatedInvoice');
  });

  it("rejects a credit note without its invoice's number", async () => {
    expectBroken(await dryRun([creditNote(number('CN'), {})]), '/documents/0/relatedInvoice/referenceId');
  });

  it('rejects a credit note with a malformed uuid', async () => {
    const parent = { referenceId: 'A', authorityUuid: 'no uuid' };
    expectBroken(await dryRun([creditNote(number('CN'), parent)]), '/documents/0/relatedInvoice/authorityUuid');
  });

  it('rejects a credit note for an unknown invoice', async () => {
    const response = await dryRun([creditNote(number('CN'), { referenceId: number('NEVER') })]);
    expectBroken(response, '/documents/0/relatedInvoice/referenceId', 'related_invoice_unknown');
  });
});
