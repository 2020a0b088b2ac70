import 'reflect-metadata';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Problem, toSentence } from '../errors/problem.js';
import { STATE_SLUGS } from '../documents/code-lists.js';
import { PROBLEMS_MAX } from '../errors/api-error.js';
import { SUBMIT_RULE_IDS, SUBMIT_WARNING_IDS, type SubmitBody, readSubmitBody } from './submit-body.js';
import { WARNINGS_LISTED_MAX, type Warning } from '../validation/warning-list.js';

type Members = Record<string, unknown>;

// 07:30 on 21 November in Malaysia, where it is still the 20th in UTC.
const NOW = new Date('2026-11-20T23:30:00Z');

const RECIPIENT = {
  name: 'Pembeli Contoh Sdn Bhd',
  addressLine1: '12 Jalan Contoh',
  addressLine2: 'Seksyen 7',
  postcode: '40000',
  state: 'selangor',
  city: 'Shah Alam',
  tin: 'C9876543210',
  brn: '202001234567',
  entity_type: 'company',
};
const PERSON = { ...RECIPIENT, brn: undefined, entity_type: 'individual', tin: 'IG12345678901', nric: '880101145678' };
const FOREIGNER = { ...RECIPIENT, country: 'SGP', postcode: 'SW1A 2AA', state: undefined };
const LINE = { description: 'Consulting', quantity: 2, unitPrice: 100, discount: 10, lineTotal: 190, taxAmount: 15.2 };
const PARENT = { referenceId: 'INV-0', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };

function documentWith(change: Members = {}): Members {
  return {
    documentType: 'invoice',
    referenceId: 'INV-1',
    document_date: '2026-11-20',
    recipient: RECIPIENT,
    lineItems: [LINE],
    ...change,
  };
}

function buildBody(...documents: unknown[]): Members {
  return { submission_type: 'non-consolidated', documents };
}

const recipient = (change: Members, base: Members = RECIPIENT): Members =>
  buildBody(documentWith({ recipient: { ...base, ...change } }));
const line = (change: Members): Members => buildBody(documentWith({ lineItems: [{ ...LINE, ...change }] }));
const creditNote = (change: Members): Members =>
  buildBody(documentWith({ documentType: 'credit_note', relatedInvoice: PARENT, ...change }));

/** The body as it comes over the wire: without the members that are undefined. */
function findProblems(body: unknown): Problem[] {
  const result = readSubmitBody(JSON.parse(JSON.stringify(body)), NOW);
  return 'problems' in result ? result.problems : [];
}

function findSentences(body: unknown): string[] {
  return findProblems(body).map(toSentence);
}

function accepted(body: unknown): SubmitBody {
  const result = readSubmitBody(JSON.parse(JSON.stringify(body)), NOW);
  if ('problems' in result) throw new Error(result.problems.map(toSentence).join('\n'));
  return result;
}

const STATES = STATE_SLUGS.filter((slug) => slug !== 'not_applicable').join(', ');
const D = 'documents[0]';
const R = `${D}.recipient`;
const L = `${D}.lineItems[0]`;

type Row = readonly [body: unknown, ...sentences: string[]];

const BROKEN: Record<string, readonly Row[]> = {
  body: [
    [null, 'the body must be a JSON object'],
    [[], 'the body must be a JSON object'],
    ['text', 'the body must be a JSON object'],
    [{}, 'submission_type is required', 'documents is required'],
  ],
  submission_type: [
    [{ documents: [documentWith()] }, 'submission_type is required'],
    [
      { submission_type: 'retail', documents: [documentWith()] },
      'submission_type must be one of: consolidated, non-consolidated',
    ],
    [
      { ...buildBody(documentWith()), submissionType: 'consolidated' },
      'submissionType must equal submission_type when both are sent',
    ],
    [
      { submission_type: 5, documents: [documentWith({ recipient: { ...RECIPIENT, postcode: '4' } })] },
      'submission_type must be one of: consolidated, non-consolidated',
      `${R}.postcode must be 5 digits`,
    ],
  ],
  documents: [
    [buildBody(), 'documents must have at least 1 item'],
    [{ submission_type: 'consolidated', documents: {} }, 'documents must be an array'],
    [buildBody(...Array.from({ length: 101 }, () => documentWith())), 'documents must have at most 100 items'],
    [buildBody(documentWith(), 7, null), 'documents[1] must be an object', 'documents[2] must be an object'],
    [
      buildBody(documentWith(), documentWith({ referenceId: ' INV-1 ' })),
      'documents[1].referenceId is the referenceId of documents[0] too, of the same documentType',
    ],
  ],
  documentType: [
    [buildBody(documentWith({ documentType: undefined })), `${D}.documentType is required`],
    [buildBody(documentWith({ documentType: 'refund' })), `${D}.documentType must be one of: invoice, credit_note`],
  ],
  referenceId: [
    [buildBody(documentWith({ referenceId: undefined })), `${D}.referenceId is required`],
    [buildBody(documentWith({ referenceId: '  ' })), `${D}.referenceId is required`],
    [buildBody(documentWith({ referenceId: 12 })), `${D}.referenceId must be a string`],
    [buildBody(documentWith({ referenceId: 'x'.repeat(51) })), `${D}.referenceId must be at most 50 characters`],
    [buildBody(documentWith({ referenceId: 'A\tB' })), `${D}.referenceId must not contain control characters`],
    [buildBody(documentWith({ referenceId: 'A\u0000' })), `${D}.referenceId must not contain control characters`],
  ],
  documentDate: [
    [buildBody(documentWith({ document_date: undefined })), `${D}.document_date is required`],
    [buildBody(documentWith({ document_date: '20/11/2026' })), `${D}.document_date must be a date written YYYY-MM-DD`],
    [buildBody(documentWith({ document_date: '2026-02-30' })), `${D}.document_date must be a real calendar date`],
    [
      buildBody(documentWith({ document_date: undefined, documentDate: '2025-02-29' })),
      `${D}.documentDate must be a real calendar date`,
    ],
    [
      buildBody(documentWith({ document_date: '2026-11-22' })),
      `${D}.document_date must not be in the future: today is 2026-11-21 in Malaysia`,
    ],
    [buildBody(documentWith({ document_date: '1999-12-31' })), `${D}.document_date must not be before 2000-01-01`],
    [
      buildBody(documentWith({ document_date: undefined, documentDate: '0026-11-20' })),
      `${D}.documentDate must not be before 2000-01-01`,
    ],
    [
      buildBody(documentWith({ documentDate: '2026-11-19' })),
      `${D}.documentDate must equal document_date when both are sent`,
    ],
  ],
  recipient: [
    [buildBody(documentWith({ recipient: undefined })), `${R} is required unless submission_type is consolidated`],
    [buildBody(documentWith({ recipient: null })), `${R} is required unless submission_type is consolidated`],
    [buildBody(documentWith({ recipient: 'Ali' })), `${R} must be an object`],
  ],
  'recipient texts': [
    [recipient({ name: undefined }), `${R}.name is required`],
    [recipient({ name: 'x'.repeat(301) }), `${R}.name must be at most 300 characters`],
    [recipient({ addressLine1: '' }), `${R}.addressLine1 is required`],
    [recipient({ addressLine1: 'x'.repeat(151) }), `${R}.addressLine1 must be at most 150 characters`],
    [recipient({ addressLine2: 'x'.repeat(151) }), `${R}.addressLine2 must be at most 150 characters`],
    [recipient({ addressLine3: 'x'.repeat(151) }), `${R}.addressLine3 must be at most 150 characters`],
    [recipient({ city: undefined }), `${R}.city is required`],
    [recipient({ city: 'x'.repeat(51) }), `${R}.city must be at most 50 characters`],
    [recipient({ name: 'A\u0000' }), `${R}.name must not contain control characters other than tabs and line breaks`],
  ],
  'recipient.postcode': [
    [recipient({ postcode: undefined }), `${R}.postcode is required`],
    [recipient({ postcode: '4000' }), `${R}.postcode must be 5 digits`],
    [recipient({ postcode: '4000A', country: 'MYS' }), `${R}.postcode must be 5 digits`],
    [recipient({ postcode: 40000 }), `${R}.postcode must be a string`],
    [recipient({ postcode: 'x'.repeat(51) }, FOREIGNER), `${R}.postcode must be at most 50 characters`],
  ],
  'recipient.state': [
    [recipient({ state: undefined }), `${R}.state is required for an address in Malaysia`],
    [recipient({ state: 'Selangor' }), `${R}.state must be the slug of a Malaysian state, such as selangor`],
    [
      recipient({ state: 'not_applicable' }),
      `${R}.state must be a state of Malaysia: not_applicable is for an address outside Malaysia`,
    ],
    [
      recipient({ state: '10' }, FOREIGNER),
      `${R}.state must be the name of the state abroad: codes 01 to 16 are states of Malaysia`,
    ],
    [recipient({ state: 10 }), `${R}.state must be a string`],
    [
      recipient({ state: '00' }, FOREIGNER),
      `${R}.state must be the name of the state abroad: code 00 is no longer accepted`,
    ],
  ],
  'recipient.country': [
    [recipient({ country: 'MY' }), `${R}.country must be an ISO 3166-1 alpha-3 code, such as MYS`],
    // Nothing else is judged by a country that is not known.
    [recipient({ country: 'Malaysia', postcode: 'x', state: undefined }), `${R}.country must be at most 3 characters`],
  ],
  'recipient.tin': [
    [recipient({ tin: undefined }), `${R}.tin is required`],
    [recipient({ tin: 'ABC123456' }), `${R}.tin must be one or two letters followed by 6 to 12 digits`],
    [recipient({ tin: 'C12345' }), `${R}.tin must be one or two letters followed by 6 to 12 digits`],
    [recipient({ tin: 'C1234567890123' }), `${R}.tin must be one or two letters followed by 6 to 12 digits`],
    [
      recipient({ tin: 'ei00000000010', brn: 'NA' }),
      `${R}.tin must be the company's own TIN: EI00000000010 is for consolidated documents`,
    ],
    [recipient({ tin: 'EI00000000010', nric: 'NA' }, PERSON), `${R}.nric must be 12 digits`],
    // ERR237: the stand-in for a number needs a TIN of one's own.
    [
      recipient({ tin: 'EI00000000010', nric: '000000000000' }, PERSON),
      `${R}.nric must be the buyer's own when the TIN is EI00000000010`,
    ],
    // ERR205, ERR206, ERR228: NA with any TIN but that of foreign companies.
    [recipient({ brn: 'na' }), `${R}.brn must be the buyer's own number, not NA`],
    [recipient({ brn: 'NA', tin: 'EI00000000030' }), `${R}.brn must be the buyer's own number, not NA`],
    [
      recipient({ nric: undefined, passport: 'NA', tin: 'EI00000000020' }, PERSON),
      `${R}.passport must be the buyer's own number, not NA`,
    ],
    [recipient({ brn: 'NA', tin: 'EI00000000040' }), `${R}.brn must be the buyer's own number, not NA`],
    [
      recipient({ nric: undefined, passport: 'NA', tin: 'EI00000000010' }, PERSON),
      `${R}.passport must be the buyer's own number, not NA`,
    ],
    [recipient({ nric: undefined, army: 'N-A' }, PERSON), `${R}.army must be the buyer's own number, not NA`],
  ],
  'recipient.entity_type': [
    [recipient({ entity_type: undefined }), `${R}.entity_type is required`],
    [recipient({ entity_type: 'firm' }), `${R}.entity_type must be one of: company, individual`],
    [recipient({ entityType: 'individual' }), `${R}.entityType must equal entity_type when both are sent`],
    [recipient({ brn: undefined }), `${R}.brn is required for a company`],
    [recipient({ brn: 'x'.repeat(21) }), `${R}.brn must be at most 20 characters`],
    [
      recipient({ nric: undefined }, PERSON),
      `${R}.nric is required for an individual, unless passport or army is given`,
    ],
    [recipient({ nric: '12345678901' }, PERSON), `${R}.nric must be 12 digits`],
    [recipient({ nric: 880101145678 }, PERSON), `${R}.nric must be a string`],
    [
      recipient({ nric: undefined, passport: 'A123456789012' }, PERSON),
      `${R}.passport must be 1 to 12 letters and digits`,
    ],
    [recipient({ nric: undefined, army: 'T/1' }, PERSON), `${R}.army must be 1 to 12 letters and digits`],
  ],
  'recipient.phone': [
    [recipient({ phone: '0312345678' }, FOREIGNER), `${R}.phone must be + and 8 to 20 digits`],
    [recipient({ phone: '6591234567' }, FOREIGNER), `${R}.phone must be + and 8 to 20 digits`],
    [recipient({ phone: '+1234567' }), `${R}.phone must be + and 8 to 20 digits`],
    [recipient({ phone: '+60 3-1234' }), `${R}.phone must be + and 8 to 20 digits`],
    [recipient({ phone: '031234567/8' }), `${R}.phone must be + and 8 to 20 digits`],
    [recipient({ phone: '+60312345678 0139876543' }), `${R}.phone must be + and 8 to 20 digits`],
    [recipient({ phone: '03-1234 5678 ext 9' }), `${R}.phone must be + and 8 to 20 digits`],
    [recipient({ phone: '0312345678', country: 'Singapore' }), `${R}.country must be at most 3 characters`],
  ],
  'recipient.email and sstNumber': [
    [recipient({ email: 'nobody' }), `${R}.email must be an e-mail address`],
    [recipient({ email: `${'x'.repeat(320)}@a.b` }), `${R}.email must be at most 320 characters`],
    [recipient({ sstNumber: 'x'.repeat(36) }), `${R}.sstNumber must be at most 35 characters`],
    [
      recipient({ sstNumber: 'A;B;C' }),
      `${R}.sstNumber must be letters, digits and hyphens; two numbers are separated by a semicolon`,
    ],
  ],
  lineItems: [
    [buildBody(documentWith({ lineItems: undefined })), `${D}.lineItems is required`],
    [buildBody(documentWith({ lineItems: [] })), `${D}.lineItems must have at least 1 item`],
    [buildBody(documentWith({ lineItems: ['x'] })), `${L} must be an object`],
    [
      buildBody(documentWith({ lineItems: Array.from({ length: 1_001 }, () => LINE) })),
      `${D}.lineItems must have at most 1000 items: the authority takes 300,000 bytes, here more than 300,300`,
    ],
  ],
  'line description': [
    [line({ description: undefined }), `${L}.description is required`],
    [line({ description: 'x'.repeat(301) }), `${L}.description must be at most 300 characters`],
  ],
  'line amounts': [
    [line({ quantity: undefined }), `${L}.quantity is required`],
    [line({ quantity: 0 }), `${L}.quantity must be greater than 0`],
    [line({ quantity: -2 }), `${L}.quantity must be greater than 0`],
    [line({ quantity: 2.000001 }), `${L}.quantity must be a number with at most 5 decimals`],
    [line({ quantity: '2' }), `${L}.quantity must be a JSON number, not a text`],
    [line({ unitPrice: undefined }), `${L}.unitPrice is required`],
    [line({ unitPrice: -1 }), `${L}.unitPrice must be at least 0`],
    [line({ unitPrice: 0.000001 }), `${L}.unitPrice must be a number with at most 5 decimals`],
    [line({ unitPrice: 1e13 }), `${L}.unitPrice must be below 10,000,000,000,000 in absolute value`],
    [line({ unitPrice: 12345678901.23456 }), `${L}.unitPrice must have at most 15 significant digits`],
    [line({ taxAmount: -0.01 }), `${L}.taxAmount must be at least 0`],
    [line({ taxAmount: 0.001 }), `${L}.taxAmount must be a number with at most 2 decimals`],
  ],
  'line discount': [
    [line({ discount: -1 }), `${L}.discount must be at least 0`],
    [line({ discount: 0.001 }), `${L}.discount must be a number with at most 2 decimals`],
    [line({ discount: 200.01 }), `${L}.discount must not be above quantity × unitPrice`],
    // 9.996, which rounds to 10.00, is still below the discount.
    [
      line({ quantity: 1, unitPrice: 9.996, discount: 10, lineTotal: undefined }),
      `${L}.discount must not be above quantity × unitPrice`,
    ],
  ],
  'line lineTotal': [
    [
      line({ lineTotal: 190.02 }),
      `${L}.lineTotal must be within 0.01 of quantity × unitPrice − discount, which is 190`,
    ],
    [
      line({ lineTotal: 189.98 }),
      `${L}.lineTotal must be within 0.01 of quantity × unitPrice − discount, which is 190`,
    ],
    // Within the tolerance, and still below nothing.
    [line({ unitPrice: 0, discount: 0, taxAmount: 0, lineTotal: -0.01 }), `${L}.lineTotal must be at least 0`],
    [line({ lineTotal: 190.001 }), `${L}.lineTotal must be a number with at most 2 decimals`],
    [line({ lineTotal: '190' }), `${L}.lineTotal must be a JSON number, not a text`],
  ],
  'line tax by unit': [
    [line({ taxPerUnit: 0 }), `${L}.taxPerUnit must be greater than 0`],
    [line({ taxPerUnit: 0.000001 }), `${L}.taxPerUnit must be a number with at most 5 decimals`],
    [line({ taxPerUnit: '10' }), `${L}.taxPerUnit must be a JSON number, not a text`],
    [line({ taxPerUnit: 10, taxUnitCount: -1 }), `${L}.taxUnitCount must be greater than 0`],
    [line({ taxUnitCount: 2 }), `${L}.taxPerUnit is required with taxUnitCount`],
    [line({ taxPerUnit: 10 }), `${L}.taxAmount must be within 0.01 of taxPerUnit × quantity, which is 20`],
    [
      line({ taxPerUnit: 0.58621, taxUnitCount: 30.5, taxAmount: 17.9 }),
      `${L}.taxAmount must be within 0.01 of taxPerUnit × taxUnitCount, which is 17.88`,
    ],
    // What the units come to is not said while they are broken.
    [line({ taxPerUnit: 10, quantity: 'x', lineTotal: undefined }), `${L}.quantity must be a JSON number, not a text`],
    [line({ taxPerUnit: 10, taxAmount: -1 }), `${L}.taxAmount must be at least 0`],
  ],
  'line codes': [
    [
      line({ taxType: '07' }),
      `${L}.taxType must be a tax type code, such as 01 (sales tax), 02 (service tax), 06 (not applicable) or E (exempt)`,
    ],
    [line({ taxType: 'E' }), `${L}.taxExemptionReason is required when taxType is E`],
    [line({ taxType: 'E', taxExemptionReason: 5 }), `${L}.taxExemptionReason must be a string`],
    [line({ classification: '999' }), `${L}.classification must be a classification code, such as 022 (others)`],
    [line({ classification: 22 }), `${L}.classification must be a string`],
    [line({ unitCode: 'XX9' }), `${L}.unitCode must be a UN/ECE unit code, such as C62 (one) or KGM (kilogram)`],
  ],
  totalDiscountAmount: [
    [buildBody(documentWith({ totalDiscountAmount: -1 })), `${D}.totalDiscountAmount must be at least 0`],
    [
      buildBody(documentWith({ totalDiscountAmount: 190.01 })),
      `${D}.totalDiscountAmount must not be above the sum of the line totals, 190`,
    ],
  ],
  totalRoundingAmount: [
    [
      buildBody(documentWith({ totalRoundingAmount: 0.005 })),
      `${D}.totalRoundingAmount must be a number with at most 2 decimals`,
    ],
    [
      buildBody(documentWith({ totalRoundingAmount: -205.21 })),
      `${D}.totalRoundingAmount must not make totalPayableAmount negative, here -0.01`,
    ],
  ],
  relatedInvoice: [
    [creditNote({ relatedInvoice: undefined }), `${D}.relatedInvoice is required`],
    [creditNote({ relatedInvoice: 'INV-0' }), `${D}.relatedInvoice must be an object`],
    [creditNote({ relatedInvoice: {} }), `${D}.relatedInvoice.referenceId is required`],
    [buildBody(documentWith({ relatedInvoice: PARENT })), `${D}.relatedInvoice must not be sent with an invoice`],
    [buildBody(documentWith({ relatedInvoice: {} })), `${D}.relatedInvoice must not be sent with an invoice`],
    [
      creditNote({ relatedInvoice: { ...PARENT, authorityUuid: 'F9D425P6DS7D8IU' } }),
      `${D}.relatedInvoice.authorityUuid must be 26 letters and digits, or a UUID; or NA for an invoice from before e-invoicing`,
    ],
  ],
  'any amount': [
    [
      line({ quantity: 9e12, unitPrice: 9e12, lineTotal: undefined }),
      `${D}.lineItems must not add up to 10,000,000,000,000 or more`,
    ],
    // Exempted tax is in no total, and is stated all the same.
    [
      line({ taxAmount: undefined, taxType: 'E', taxExemptionReason: 'Order', taxPerUnit: 9e12, taxUnitCount: 9e12 }),
      `${D}.lineItems must not add up to 10,000,000,000,000 or more`,
    ],
    [
      buildBody(documentWith({ lineItems: [{ ...LINE, taxAmount: 9_999_999_999_999.99 }] })),
      `${D}.lineItems must not add up to 10,000,000,000,000 or more`,
    ],
  ],
  'one mistake, one problem': [
    // A sum over a broken amount, or a broken id before another, is not judged.
    [
      buildBody(
        documentWith({ lineItems: [{ ...LINE, quantity: 'x', lineTotal: undefined }], totalDiscountAmount: 5 }),
      ),
      `${L}.quantity must be a JSON number, not a text`,
    ],
    [
      buildBody(documentWith({ lineItems: [{ ...LINE, taxAmount: -1 }], totalRoundingAmount: -195 })),
      `${L}.taxAmount must be at least 0`,
    ],
    [
      buildBody(documentWith({ lineItems: [{ ...LINE, lineTotal: 1 }], totalDiscountAmount: 150 })),
      `${L}.lineTotal must be within 0.01 of quantity × unitPrice − discount, which is 190`,
    ],
    [buildBody(documentWith({ lineItems: [null], totalDiscountAmount: 5 })), `${L} must be an object`],
    [
      buildBody(documentWith({ totalDiscountAmount: '5', totalRoundingAmount: -300 })),
      `${D}.totalDiscountAmount must be a JSON number, not a text`,
    ],
    [recipient({ nric: 880101145678, passport: 'T/1' }, PERSON), `${R}.nric must be a string`],
    [
      recipient({ entityType: 'individual', brn: undefined }),
      `${R}.entityType must equal entity_type when both are sent`,
    ],
  ],
};

describe.each(Object.entries(BROKEN))('body rules, %s', (_row, rows) => {
  it.each(rows.map(([body, ...sentences]) => ({ body, sentences })))('$sentences', ({ body, sentences }) => {
    expect(findSentences(body)).toEqual(sentences);
  });
});

describe('body rules, what is taken', () => {
  const consolidated = (change: Members): Members => ({
    submission_type: 'consolidated',
    documents: [documentWith(change)],
  });
  it.each<[string, unknown]>([
    [
      'the spellings submissionType, documentDate, entityType',
      {
        submissionType: 'non-consolidated',
        documents: [
          documentWith({
            document_date: undefined,
            documentDate: '2026-11-20',
            recipient: { ...RECIPIENT, entity_type: undefined, entityType: 'company' },
          }),
        ],
      },
    ],
    ['two equal spellings', buildBody(documentWith({ documentDate: '2026-11-20' }))],
    ['today in Malaysia, which is tomorrow in UTC', buildBody(documentWith({ document_date: '2026-11-21' }))],
    ['29 February of a leap year', buildBody(documentWith({ document_date: '2024-02-29' }))],
    [
      'one number for an invoice and a credit note',
      buildBody(documentWith(), documentWith({ documentType: 'credit_note', relatedInvoice: PARENT })),
    ],
    ['a consolidated document without a recipient', consolidated({ recipient: undefined })],
    ['a consolidated document with any recipient', consolidated({ recipient: { name: 5, tin: ['\u0000'] } })],
    ['a consolidated document with a recipient of any type', consolidated({ recipient: 'shop' })],
    ['empty optional texts', recipient({ addressLine2: '', email: ' ', phone: null })],
    ['any postcode and no state abroad', recipient({}, FOREIGNER)],
    ['no postcode abroad', recipient({ postcode: undefined }, FOREIGNER)],
    ['the first date that is taken', buildBody(documentWith({ document_date: '2000-01-01' }))],
    ['not_applicable abroad', recipient({ state: 'not_applicable' }, FOREIGNER)],
    ['an alias of a state', recipient({ state: 'penang' })],
    ['a passport instead of an NRIC', recipient({ nric: undefined, passport: 'a 1234-567' }, PERSON)],
    ['an army number instead of an NRIC', recipient({ nric: undefined, army: 'T1234567' }, PERSON)],
    ["the general TIN beside an individual's own id", recipient({ tin: 'EI00000000010' }, PERSON)],
    ["twelve zeros beside a person's own TIN", recipient({ nric: '000000000000' }, PERSON)],
    [
      'NA of a government body when every line has classification 004',
      buildBody(
        documentWith({
          recipient: { ...RECIPIENT, tin: 'EI00000000040', brn: 'NA' },
          lineItems: [{ ...LINE, classification: '004' }],
        }),
      ),
    ],
    ['an unused nric of a company', recipient({ nric: 'x' })],
    ['a phone of 8 digits', recipient({ phone: '+12345678' })],
    ['a phone of 20 digits', recipient({ phone: `+${'1'.repeat(20)}` })],
    ['two SST numbers', recipient({ sstNumber: 'W10-1808-32000001;NA' })],
    ['a line total one sen off', line({ lineTotal: 190.01 })],
    ['a discount of the whole line', line({ discount: 200, lineTotal: 0 })],
    ['a price of 0', line({ unitPrice: 0, discount: 0, lineTotal: 0, taxAmount: 0 })],
    ['exemption with its reason', line({ taxType: 'E', taxExemptionReason: 'Medicine' })],
    ['a discount of the whole document', buildBody(documentWith({ totalDiscountAmount: 190 }))],
    ['rounding down to nothing', buildBody(documentWith({ totalRoundingAmount: -205.2 }))],
    [
      'an RFC 4122 UUID of the parent',
      creditNote({ relatedInvoice: { ...PARENT, authorityUuid: '0190d6f4-1111-7abc-8def-0123456789ab' } }),
    ],
    ['a parent without a UUID', creditNote({ relatedInvoice: { referenceId: 'INV-0', authorityUuid: '' } })],
    [
      '100 documents',
      buildBody(...Array.from({ length: 100 }, (_, index) => documentWith({ referenceId: `INV-${index}` }))),
    ],
  ])('%s', (_name, body) => {
    expect(findSentences(body)).toEqual([]);
  });
});

describe('body rules, all at once', () => {
  it('reports every broken rule of every document, in the order of the documents', () => {
    const first = documentWith({
      referenceId: '',
      recipient: { ...RECIPIENT, postcode: '1', tin: 5 },
      totalDiscountAmount: 1_000,
    });
    const second = documentWith({ document_date: '2030-01-01', lineItems: [{ ...LINE, quantity: 'x', taxType: 'Q' }] });
    expect(findSentences(buildBody(first, second))).toEqual([
      'documents[0].referenceId is required',
      'documents[0].recipient.tin must be a string',
      'documents[0].totalDiscountAmount must not be above the sum of the line totals, 190',
      'documents[0].recipient.postcode must be 5 digits',
      'documents[1].lineItems[0].quantity must be a JSON number, not a text',
      'documents[1].document_date must not be in the future: today is 2026-11-21 in Malaysia',
      'documents[1].lineItems[0].taxType must be a tax type code, such as 01 (sales tax), 02 (service tax), 06 (not applicable) or E (exempt)',
    ]);
  });

  it('keeps the first 500', () => {
    const empty = { ...documentWith(), lineItems: Array.from({ length: 400 }, () => ({ description: 'x' })) };
    const problems = findProblems(buildBody(empty, empty));
    expect(problems).toHaveLength(PROBLEMS_MAX);
    expect(problems.at(-1)?.pointer).toBe('/documents/0/lineItems/249/unitPrice');
  });

  it('gives pointer, rule, message and hint', () => {
    expect(findProblems(recipient({ postcode: '4000', state: 'x' }))).toEqual([
      {
        pointer: '/documents/0/recipient/postcode',
        rule: 'recipient_postcode_format',
        message: 'must be 5 digits',
        hint: 'use 40000, not 4000, if the last zero is missing; for an address outside Malaysia send country too',
      },
      {
        pointer: '/documents/0/recipient/state',
        rule: 'recipient_state_unknown',
        message: 'must be the slug of a Malaysian state, such as selangor',
        hint: `one of: ${STATES}`,
      },
    ]);
  });

  it('refuses a document that would be too long, with its size', () => {
    const lineItems = Array.from({ length: 400 }, () => ({ ...LINE, description: 'x'.repeat(200) }));
    const [problem, ...others] = findProblems(
      buildBody(documentWith({ lineItems }), documentWith({ referenceId: 'INV-2' })),
    );
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ pointer: '/documents/0', rule: 'document_size' });
    expect(problem?.message).toMatch(
      /^must be at most 300,000 bytes in the authority's form, here at least \d{3},\d{3}$/,
    );
  });
});

// In the caller's own values where that can be said.
describe('hints', () => {
  it.each<[body: unknown, hint: string | undefined]>([
    [
      recipient({ postcode: '5048' }),
      'use 50480, not 5048, if the last zero is missing; for an address outside Malaysia send country too',
    ],
    [recipient({ postcode: 'AB1' }), 'such as 50480, not AB1; for an address outside Malaysia send country too'],
    [recipient({ postcode: '50 480' }), 'use 50480, not 50 480'],
    [recipient({ postcode: '40000 Shah Alam' }), 'use 40000 alone'],
    [recipient({ postcode: '5200', state: 'kedah' }), 'use 05200, not 5200'],
    [recipient({ postcode: '1000', state: 'perlis' }), 'use 01000, not 1000'],
    [recipient({ postcode: 40000 }), 'write "40000", with quotation marks'],
    [recipient({ state: 'Selangor' }), 'did you mean selangor?'],
    [recipient({ state: 'selangr' }), 'did you mean selangor?'],
    [recipient({ state: 'Kuala Lumpur' }), 'did you mean kuala_lumpur?'],
    [recipient({ state: 'W.P. Putrajaya' }), 'did you mean wp_putrajaya?'],
    [recipient({ state: '10' }), 'did you mean selangor?'],
    [recipient({ state: 1 }), 'did you mean johor?'],
    [recipient({ state: 'Bavaria' }), `one of: ${STATES}`],
    [recipient({ country: 'MY' }), 'did you mean MYS (MALAYSIA)?'],
    [recipient({ country: 'Malaysia' }), 'did you mean MYS (MALAYSIA)?'],
    [recipient({ country: 'mys' }), 'did you mean MYS (MALAYSIA)?'],
    [recipient({ country: 'Brunei' }), 'did you mean BRN (BRUNEI DARUSSALAM)?'],
    [recipient({ country: '??' }), 'such as MYS or SGP'],
    [recipient({ tin: 'C-1234567890' }), 'use C1234567890'],
    [
      recipient({ tin: '1234567890' }),
      'begin with the letters of the TIN, such as C1234567890 for a company or IG1234567890 for an individual',
    ],
    [
      recipient({ tin: '880101145678' }),
      'this looks like an NRIC or BRN; a TIN is such as C1234567890 for a company or IG1234567890 for an individual',
    ],
    [recipient({ nric: 'A1234567' }, PERSON), 'a passport or army number goes into passport or army'],
    [recipient({ nric: '1234567-A' }, PERSON), 'this looks like a BRN: send it as brn, with entity_type company'],
    [recipient({ nric: '10203045678' }, PERSON), 'are leading zeros missing? 010203045678'],
    [recipient({ nric: 880101145678 }, PERSON), 'write "880101145678", with quotation marks'],
    [recipient({ nric: undefined, brn: '202001234567' }, PERSON), 'or send entity_type company with the brn given'],
    [recipient({ brn: undefined, nric: '880101145678' }), 'or send entity_type individual with the id given'],
    [recipient({ phone: 'x' }), 'begin with + and the code of the country, such as +60398765432'],
    [recipient({ phone: 60312345678 }), 'write "60312345678", with quotation marks'],
    [recipient({ brn: '202001234567 (1234567-A)' }), 'use 202001234567, without the other number'],
    [recipient({ brn: '1234567-A (202001234567)' }), 'use 202001234567, without the other number'],
    [recipient({ brn: '202001234567（1234567-A）' }), 'use 202001234567, without the other number'],
    [buildBody(documentWith({ document_date: '0026-07-24' })), 'did you mean 2026-07-24?'],
    [buildBody(documentWith({ document_date: '1447-07-24' })), 'such as 2026-11-21'],
    [line({ lineTotal: -190 }), 'amounts are positive on credit notes too: 190'],
    [recipient({ entity_type: 'Company' }), 'did you mean company?'],
    [buildBody(documentWith({ documentType: 'creditNote' })), 'did you mean credit_note?'],
    [buildBody(documentWith({ document_date: '24/07/2026' })), 'use 2026-07-24'],
    [buildBody(documentWith({ document_date: '7.4.2026' })), 'use 2026-04-07'],
    [buildBody(documentWith({ document_date: '2026/7/4' })), 'use 2026-07-04'],
    [buildBody(documentWith({ document_date: '20260724' })), 'use 2026-07-24'],
    [buildBody(documentWith({ document_date: '2026-07-24T20:30:00Z' })), 'use 2026-07-25, the date in Malaysia'],
    [buildBody(documentWith({ document_date: 'yesterday' })), 'such as "2026-01-31"'],
    [buildBody(documentWith({ document_date: '2026-13-45' })), 'such as 2026-11-21'],
    [buildBody(documentWith({ document_date: undefined })), 'or documentDate, such as "2026-01-31"'],
    [buildBody(documentWith({ document_date: '2026-02-30' })), 'the last day of that month is 2026-02-28'],
    [buildBody(documentWith({ document_date: '2026-24-07' })), 'did you mean 2026-07-24?'],
    [buildBody(documentWith({ document_date: '2026-11-22' })), 'use 2026-11-21 or earlier'],
    [line({ quantity: '12.50' }), 'write 12.5, without quotation marks'],
    [line({ unitPrice: 0.1234567 }), 'use 0.12346, rounded to 5 decimals'],
    [line({ lineTotal: 180 }), 'use 190, or leave lineTotal out to have it computed'],
    [line({ quantity: 1, unitPrice: 9.996, discount: 10, lineTotal: undefined }), 'at most 9.99'],
    [line({ taxType: '1' }), 'did you mean 01 (Sales Tax)?'],
    [line({ taxType: 'Service tax' }), 'did you mean 02 (Service Tax)?'],
    [line({ taxType: 6 }), 'did you mean 06 (Not Applicable)?'],
    [line({ classification: 22 }), 'did you mean 022 (Others)?'],
    [line({ classification: 'Donation' }), 'did you mean 007 (Donation)?'],
    [line({ unitCode: 'kgm' }), 'did you mean KGM (kilogram)?'],
    [line({ unitCode: 'pcs' }), 'did you mean H87 (piece)?'],
    [line({ unitCode: 'kilogram' }), 'did you mean KGM (kilogram)?'],
    [line({ unitCode: '??' }), 'use C62, or leave it out'],
    [line({ taxType: '??' }), 'one of: 01, 02, 03, 04, 05, 06, E'],
    [line({ classification: '999' }), 'use 022, or leave it out'],
    [recipient({ nric: undefined, passport: 'A/123.456' }, PERSON), 'use A123456'],
    [recipient({ nric: undefined, army: 'T'.repeat(13) }, PERSON), 'such as T1234567'],
    [creditNote({ relatedInvoice: undefined }), 'an object in braces, {…}'],
    [buildBody(documentWith({ totalDiscountAmount: 200 })), 'at most 190'],
    [buildBody(documentWith({ totalRoundingAmount: -300 })), 'at least -205.2'],
  ])('%j: %s', (body, hint) => {
    const problems = findProblems(body);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.hint).toBe(hint);
  });

  it('that suggest a value suggest one that is taken', () => {
    for (const { hint } of [
      ...findProblems(recipient({ country: 'Singapre', state: 'negri sembilan' })),
      ...findProblems(line({ unitCode: 'hr', taxType: '2', classification: '4' })),
    ]) {
      expect(hint).toMatch(/^did you mean /);
    }
  });
});

/** The warnings of an accepted body. */
function findWarnings(body: unknown): readonly Warning[] {
  const { documents, warnings } = accepted(body);
  return warnings.toResponse(documents.map(({ document }) => document.referenceId)).warnings;
}

describe('warnings', () => {
  const consolidated = (...documents: Members[]): Members => ({ submission_type: 'consolidated', documents });

  it('name what is unknown, wherever it lies, with the nearest known member', () => {
    const body = {
      ...buildBody(
        documentWith({
          referenceID: 1,
          recipient: { ...RECIPIENT, 'a/b~c': 1 },
          lineItems: [LINE, { ...LINE, unit_price: 5 }],
        }),
        documentWith({ referenceId: 'CN-1', documentType: 'credit_note', relatedInvoice: { ...PARENT, uuid: 'x' } }),
      ),
      submissiontype: 'x',
    };
    expect(findWarnings(body)).toEqual([
      {
        pointer: '/submissiontype',
        documentIndex: null,
        referenceId: null,
        rule: 'member_unknown',
        message: 'submissiontype is not a known field and was ignored',
        hint: 'did you mean submission_type or submissionType?',
      },
      {
        pointer: '/documents/0/referenceID',
        documentIndex: 0,
        referenceId: 'INV-1',
        rule: 'member_unknown',
        message: 'documents[0].referenceID is not a known field and was ignored',
        hint: 'did you mean referenceId?',
      },
      {
        pointer: '/documents/0/recipient/a~1b~0c',
        documentIndex: 0,
        referenceId: 'INV-1',
        rule: 'member_unknown',
        message: 'documents[0].recipient.a/b~c is not a known field and was ignored',
        hint: null,
      },
      {
        pointer: '/documents/0/lineItems/1/unit_price',
        documentIndex: 0,
        referenceId: 'INV-1',
        rule: 'member_unknown',
        message: 'documents[0].lineItems[1].unit_price is not a known field and was ignored',
        hint: 'did you mean unitPrice?',
      },
      {
        pointer: '/documents/1/relatedInvoice/uuid',
        documentIndex: 1,
        referenceId: 'CN-1',
        rule: 'member_unknown',
        message: 'documents[1].relatedInvoice.uuid is not a known field and was ignored',
        hint: 'did you mean authorityUuid?',
      },
    ]);
  });

  it('look at nothing inside the recipient of a consolidated document, which is a known member', () => {
    const odd = { foo: 1, tin: 'X', nested: { bar: 2 } };
    expect(findWarnings(consolidated(documentWith({ recipient: odd })))).toEqual([]);
  });

  it('know own members only: a __proto__ is unknown like any other, and inherited names are not known', () => {
    const body = JSON.parse(
      JSON.stringify(buildBody(documentWith())).replace(
        '{"documentType"',
        '{"__proto__":{"x":1},"toString":1,"documentType"',
      ),
    );
    expect(findWarnings(body).map(({ pointer }) => pointer)).toEqual([
      '/documents/0/__proto__',
      '/documents/0/toString',
    ]);
  });

  it('do not repeat a long name', () => {
    const [warning] = findWarnings(buildBody(documentWith({ ['x'.repeat(101)]: 1 })));
    expect(warning).toMatchObject({ pointer: '/documents/0', rule: 'member_unknown', hint: null });
    expect(warning?.message).toBe(
      'documents[0] has a field with a name of 101 characters, which is not known and was ignored',
    );
  });

  it(`are listed up to ${WARNINGS_LISTED_MAX}, and the others counted`, () => {
    const extra = (count: number): Members =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, index]));
    const listAnswered = (count: number) =>
      accepted(buildBody(documentWith(extra(count)))).warnings.toResponse(['INV-1']);
    expect(listAnswered(WARNINGS_LISTED_MAX)).not.toHaveProperty('warningsNotListed');
    const { warnings, warningsNotListed } = listAnswered(WARNINGS_LISTED_MAX + 7);
    expect(warnings).toHaveLength(WARNINGS_LISTED_MAX);
    expect(warningsNotListed).toBe(7);
  });

  it.each<[Members, string | null]>([
    [{ tin: 'C1234567890' }, null],
    [{ tin: 'EI00000000020' }, null],
    [{ tin: 'C01234567890' }, 'without zeros after the letters: C1234567890'],
    [{ tin: 'C1234567891' }, 'the TIN of an organisation ends in 0'],
    [{ tin: 'OG12345678901' }, 'individuals have IG now: IG12345678901'],
    [{ tin: 'X1234567890' }, 'TINs begin with IG, C, CS, D, F, FA, J, LE, PT, TA, TC, TN, TP or TR'],
  ])('of the finer shape of a TIN (CF358): %j, %s', (change, hint) => {
    const expected =
      hint === null ? [] : [{ pointer: '/documents/0/recipient/tin', rule: 'recipient_tin_doubtful', hint }];
    expect(findWarnings(recipient(change))).toMatchObject(expected);
  });

  it('of the general TIN that is for foreign suppliers', () => {
    expect(findWarnings(recipient({ tin: 'EI00000000030' }))).toMatchObject([
      { rule: 'recipient_tin_of_suppliers', hint: 'a foreign buyer without a TIN has EI00000000020' },
    ]);
  });

  it("of the authority's placeholder in the place of a buyer's name", () => {
    expect(findWarnings(recipient({ name: "Consolidated Buyer's" }))).toMatchObject([
      { pointer: '/documents/0/recipient/name', rule: 'recipient_name_reserved' },
    ]);
  });

  it.each(['NA', ' na '])('of the BRN %j of a foreign company, which is kept as NA', (brn) => {
    const body = recipient({ tin: 'EI00000000020', brn });
    expect(findWarnings(body)).toMatchObject([
      { pointer: '/documents/0/recipient/brn', rule: 'recipient_brn_not_applicable' },
    ]);
    expect(accepted(body).documents[0].document.recipient).toMatchObject({ idType: 'BRN', idValue: 'NA' });
  });

  it('of the general TIN of Malaysians beside a passport', () => {
    const foreigner = recipient({ tin: 'EI00000000010', nric: undefined, passport: 'A12345678' }, PERSON);
    expect(findWarnings(foreigner)).toMatchObject([
      { rule: 'recipient_tin_of_malaysians', hint: 'a foreign buyer without a TIN has EI00000000020' },
    ]);
  });

  it('of a BRN in the NRIC, and the other way round (CF324, ERR206)', () => {
    expect(findWarnings(recipient({ nric: '201901234567' }, PERSON))).toMatchObject([
      { rule: 'recipient_nric_doubtful', hint: 'a BRN is sent as brn, with entity_type company' },
    ]);
    expect(findWarnings(recipient({ nric: '881301145678' }, PERSON))).toMatchObject([
      { rule: 'recipient_nric_doubtful' },
    ]);
    expect(findWarnings(recipient({ brn: '880101-14-5678' }))).toMatchObject([{ rule: 'recipient_brn_doubtful' }]);
    expect(findWarnings(recipient({ brn: '202001234567' }))).toEqual([]);
    expect(findWarnings(recipient({ nric: '000000000000' }, PERSON))).toEqual([]);
  });

  it('of an authorityUuid that is no id of the authority', () => {
    const relatedInvoice = { ...PARENT, authorityUuid: '0190d6f4-1111-7abc-8def-0123456789ab' };
    expect(findWarnings(creditNote({ relatedInvoice }))).toMatchObject([
      { pointer: '/documents/0/relatedInvoice/authorityUuid', rule: 'related_invoice_authority_uuid_doubtful' },
    ]);
  });

  it('of a consolidated line above RM 10,000, and of no other', () => {
    const of = (unitPrice: number): Members => ({ description: 'Receipts', quantity: 1, unitPrice });
    const lineItems = [of(10_000), of(10_000.01)];
    expect(findWarnings(consolidated(documentWith({ lineItems })))).toMatchObject([
      {
        pointer: '/documents/0/lineItems/1/lineTotal',
        rule: 'line_consolidated_amount',
        message:
          'documents[0].lineItems[1].lineTotal is 10000.01: a single sale above RM 10,000 must not be consolidated',
      },
    ]);
    expect(findWarnings(buildBody(documentWith({ lineItems })))).toEqual([]);
  });

  it('of tax that is exempted, where it is stated', () => {
    const exempt = { ...LINE, taxType: 'E', taxExemptionReason: 'Order' };
    const byUnit = { ...exempt, taxAmount: undefined, taxPerUnit: 10 };
    const lineItems = [exempt, byUnit, { ...exempt, taxAmount: 0 }, LINE];
    expect(findWarnings(buildBody(documentWith({ lineItems })))).toMatchObject([
      { pointer: '/documents/0/lineItems/0/taxAmount', rule: 'line_tax_exempted' },
      { pointer: '/documents/0/lineItems/1/taxPerUnit', rule: 'line_tax_exempted' },
    ]);
  });

  it('of a tax that no percentage of two decimals gives, unless it is by unit or exempted', () => {
    const room = { description: 'Room', quantity: 1, unitPrice: 345.67, taxType: '03', taxAmount: 10 };
    const exempt = { taxType: 'E', taxExemptionReason: 'Order' };
    const lineItems = [room, { ...room, taxPerUnit: 10 }, { ...room, taxAmount: 27.65 }, { ...room, ...exempt }];
    expect(findWarnings(buildBody(documentWith({ lineItems })))).toMatchObject([
      { pointer: '/documents/0/lineItems/0/taxAmount', rule: 'line_tax_percent_inexact' },
      { pointer: '/documents/0/lineItems/3/taxAmount', rule: 'line_tax_exempted' },
    ]);
  });

  it('of a passport beside the TIN of the Malaysian public, and not of an NRIC or an army number', () => {
    const general = { tin: 'EI00000000010', nric: undefined };
    expect(findWarnings(recipient({ ...general, passport: 'A1' }, PERSON))).toMatchObject([
      { rule: 'recipient_tin_of_malaysians', hint: 'a foreign buyer without a TIN has EI00000000020' },
    ]);
    expect(findWarnings(recipient({ ...general, tin: 'EI00000000020', passport: 'A1' }, PERSON))).toEqual([]);
    expect(findWarnings(recipient({ ...general, army: 'T1' }, PERSON))).toEqual([]);
    expect(findWarnings(recipient({ tin: 'EI00000000010' }, PERSON))).toEqual([]);
  });

  it('of a BRN with another number in brackets, offering the bare one', () => {
    expect(findWarnings(recipient({ brn: '202001234567(12345A)' }))).toMatchObject([
      { pointer: '/documents/0/recipient/brn', rule: 'recipient_brn_two_numbers', hint: 'use 202001234567' },
    ]);
    expect(findWarnings(recipient({ brn: '1234567-A' }))).toEqual([]);
  });

  it.each<[Members, Members, string, string]>([
    [{ nric: '880101145678' }, RECIPIENT, 'nric', 'brn'],
    [{ brn: '202001234567' }, PERSON, 'brn', 'nric'],
    [{ passport: 'A1' }, PERSON, 'passport', 'nric'],
    [{ nric: undefined, passport: 'A1', army: 'T1' }, PERSON, 'army', 'passport'],
  ])('of the id that is not sent when there are two: %j', (change, base, ignored, sent) => {
    expect(findWarnings(recipient(change, base))).toMatchObject([
      {
        pointer: `/documents/0/recipient/${ignored}`,
        rule: 'recipient_id_ignored',
        message: `documents[0].recipient.${ignored} is not sent: the authority takes one id of a buyer, and that is ${sent} here`,
      },
    ]);
  });

  it.each([
    ['a+b@pembeli.example', true],
    ['é@pembeli.example', true],
    ['.ap@pembeli.example', true],
    ['a..p@pembeli.example', true],
    ['ap@pembeli..example', true],
    ['ap@-pembeli.example', true],
    ['ap@pembeli.e', true],
    ["o'hara@pembeli.example", true],
    [`${'a'.repeat(65)}@pembeli.example`, true],
    [`${'a'.repeat(64)}@pembeli.example`, false],
    ['ap@pembeli.example', false],
    ['a.p_1-x@mail-2.pembeli.com.my', false],
  ])('of an e-mail address of a form that the authority refuses (CF403): %s, %s', (email, isDoubtful) => {
    const expected = isDoubtful ? [{ pointer: '/documents/0/recipient/email', rule: 'recipient_email_doubtful' }] : [];
    expect(findWarnings(recipient({ email }))).toMatchObject(expected);
  });

  it('of tax under the type of lines without tax', () => {
    expect(findWarnings(line({ taxType: '06' }))).toMatchObject([
      { pointer: '/documents/0/lineItems/0/taxType', rule: 'line_tax_type_not_applicable' },
    ]);
    expect(findWarnings(line({ taxType: '06', taxAmount: 0 }))).toEqual([]);
    expect(findWarnings(line({ taxType: '02' }))).toEqual([]);
  });

  it('of the class of consolidated sales in a document to one buyer, but for the government', () => {
    const lineItems = [{ ...LINE, classification: '004' }];
    expect(findWarnings(buildBody(documentWith({ lineItems })))).toMatchObject([
      { pointer: '/documents/0/lineItems/0/classification', rule: 'line_classification_consolidated' },
    ]);
    const government = { ...RECIPIENT, tin: 'EI00000000040', brn: 'NA' };
    expect(findWarnings(buildBody(documentWith({ lineItems, recipient: government })))).toEqual([]);
    expect(findWarnings(consolidated(documentWith({ lineItems })))).toEqual([]);
  });

  it.each([
    ['Sales Tax Act 2018, No: (C01-2345)', 'use Sales Tax Act 2018 No C01-2345'],
    ['Order\n2018', 'use Order 2018'],
    [':', 'send the order or certificate that exempts the line'],
    ['Order 2018  P-1', null],
    ['免税 2018', null],
  ])('of special characters in the reason of an exemption: %j, %s', (taxExemptionReason, hint) => {
    const expected = hint === null ? [] : [{ rule: 'line_tax_exemption_reason_doubtful', hint }];
    expect(findWarnings(line({ taxType: 'E', taxExemptionReason, taxAmount: 0 }))).toMatchObject(expected);
  });

  it('of the reason of an exemption on a line that is not exempt', () => {
    for (const taxType of [undefined, '01']) {
      expect(findWarnings(line({ taxType, taxExemptionReason: 'Order: 2018' }))).toMatchObject([
        { pointer: '/documents/0/lineItems/0/taxExemptionReason', rule: 'line_tax_exemption_reason_ignored' },
      ]);
    }
  });

  // 07:30 in Malaysia: 71 hours ago it was 08:30 of the 18th.
  it.each([
    ['2026-11-21', false],
    ['2026-11-18', false],
    ['2026-11-17', true],
    ['2000-01-01', true],
  ])('of a date that will not be the legal date of issue, in the spelling that was sent: %s, %s', (date, isOld) => {
    for (const spelling of ['document_date', 'documentDate']) {
      const body = buildBody(documentWith({ document_date: undefined, [spelling]: date }));
      const expected = isOld ? [{ pointer: `/documents/0/${spelling}`, rule: 'document_date_too_old' }] : [];
      expect(findWarnings(body)).toMatchObject(expected);
    }
  });

  it('carry identifiers that are listed', () => {
    const bodies = [
      buildBody(documentWith({ foo: 1 })),
      recipient({ tin: 'X1234567890', nric: '999999999999' }, PERSON),
      recipient({ brn: '880101145678' }),
    ];
    for (const { rule } of bodies.flatMap(findWarnings)) expect(SUBMIT_WARNING_IDS).toContain(rule);
    expect(new Set([...SUBMIT_RULE_IDS, ...SUBMIT_WARNING_IDS]).size).toBe(
      SUBMIT_RULE_IDS.length + SUBMIT_WARNING_IDS.length,
    );
  });
});

describe('strict', () => {
  const strictly = (body: unknown): readonly Problem[] => {
    const result = readSubmitBody(JSON.parse(JSON.stringify(body)), NOW, { isStrict: true });
    return 'problems' in result ? result.problems : [];
  };

  it('makes unknown members errors, beside all others', () => {
    const body = buildBody(documentWith({ foo: 1, recipient: { ...RECIPIENT, postcode: '1', zip: '1' } }));
    expect(strictly(body).map(toSentence)).toEqual([
      `${R}.postcode must be 5 digits`,
      `${D}.foo is not a known field`,
      `${R}.zip is not a known field`,
    ]);
  });

  it('leaves other warnings what they are', () => {
    expect(strictly(recipient({ tin: 'X1234567890' }))).toEqual([]);
  });

  it('lists at most 500', () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`x${index}`, 1]));
    expect(strictly(buildBody(documentWith(many)))).toHaveLength(PROBLEMS_MAX);
  });
});

describe('what is kept', () => {
  it.each([
    ['03-1234 5678', '+60312345678'],
    ['(012) 345.6789', '+60123456789'],
    ['60123456789', '+60123456789'],
    ['+60 12-345 6789', '+60123456789'],
    ['+60 (0)12-345 6789', '+60123456789'],
    ['0060123456789', '+60123456789'],
    ['006591234567', '+6591234567'],
    ['\u202a+65 9123\u20114567\u202c', '+6591234567'],
    ['０３１２３４５６７８', '+60312345678'],
    ['+00000000', '+00000000'],
  ])('is a phone in international form where its country is plain: %j', (sent, kept) => {
    expect(accepted(recipient({ phone: sent })).documents[0]?.document.recipient?.phone).toBe(kept);
  });

  it('has no postcode of a foreign address that names none', () => {
    for (const postcode of [undefined, '', ' ']) {
      expect(accepted(recipient({ postcode }, FOREIGNER)).documents[0]?.document.recipient?.postcode).toBeNull();
    }
  });

  it('sends a phone of 20 digits without its +, since the authority takes 20 characters', () => {
    const [first] = accepted(recipient({ phone: `+${'1'.repeat(20)}` })).documents;
    expect(first?.document.recipient?.phone).toBe('1'.repeat(20));
    const [second] = accepted(recipient({ phone: `+${'1'.repeat(19)}` })).documents;
    expect(second?.document.recipient?.phone).toBe(`+${'1'.repeat(19)}`);
  });

  it('folds spellings, trims texts and normalises ids', () => {
    const buyer = {
      ...PERSON,
      name: ' Ali ',
      tin: ' ig 123\u200b45678901',
      nric: '880101-14-5678',
      addressLine2: '',
      state: 'penang',
    };
    const { submissionType, documents } = accepted(
      buildBody(documentWith({ referenceId: ' INV-1 ', recipient: buyer })),
    );
    expect(submissionType).toBe('non-consolidated');
    expect(documents).toHaveLength(1);
    expect(documents[0]?.document).toEqual({
      submissionType: 'non-consolidated',
      documentType: 'invoice',
      referenceId: 'INV-1',
      documentDate: '2026-11-20',
      recipient: {
        name: 'Ali',
        tin: 'IG12345678901',
        idType: 'NRIC',
        idValue: '880101145678',
        addressLines: ['12 Jalan Contoh'],
        city: 'Shah Alam',
        postcode: '40000',
        stateCode: '07',
        country: 'MYS',
        phone: null,
        email: null,
        sstNumber: null,
      },
      lineItems: [
        {
          ...LINE,
          taxType: null,
          taxExemptionReason: null,
          classification: null,
          unitCode: null,
        },
      ],
      totalDiscountAmount: 0,
      totalRoundingAmount: 0,
      relatedInvoice: null,
    });
    expect(documents[0]?.totals).toEqual({
      totalExcludingTax: 190,
      totalTaxAmount: 15.2,
      totalIncludingTax: 205.2,
      totalPayableAmount: 205.2,
    });
    expect(documents[0]?.wireBytesMax).toBeGreaterThan(1_000);
  });

  it('computes what is left out, and keeps the line total that is given', () => {
    const lineItems = [
      { description: 'a', quantity: 3, unitPrice: 0.335 },
      { ...LINE, lineTotal: 190.01 },
    ];
    const [first] = accepted(creditNote({ lineItems })).documents;
    expect(first?.document.lineItems.map(({ lineTotal }) => lineTotal)).toEqual([1.01, 190.01]);
    expect(first?.document.relatedInvoice).toEqual(PARENT);
    expect(first?.totals.totalExcludingTax).toBe(191.02);
  });

  it('tells exempted tax from charged tax, and keeps the rate and the units of a tax by unit', () => {
    const exempt = { ...LINE, taxType: 'E', taxExemptionReason: 'Order' };
    const night = { description: 'Room', quantity: 3, unitPrice: 100, taxPerUnit: 10 };
    const lineItems = [exempt, night, { ...night, taxUnitCount: 2.5, taxAmount: 25.01 }];
    const [first] = accepted(buildBody(documentWith({ lineItems }))).documents;
    expect(first?.document.lineItems).toMatchObject([
      { taxAmount: 0, exemptedTaxAmount: 15.2 },
      { taxAmount: 30, unitTax: { taxPerUnit: 10, unitCount: 3 } },
      { taxAmount: 25.01, unitTax: { taxPerUnit: 10, unitCount: 2.5 } },
    ]);
    expect(first?.totals).toMatchObject({ totalExcludingTax: 790, totalTaxAmount: 55.01 });
  });

  it.each<[Members, Members]>([
    [{ state: 'Bavaria' }, { stateCode: 'Bavaria' }],
    [{ state: 'not_applicable' }, { stateCode: '17' }],
    [{}, { stateCode: '17' }],
    [
      { brn: undefined, entity_type: 'individual', passport: 'a 1-2' },
      { idType: 'PASSPORT', idValue: 'a12' },
    ],
  ])('keeps the foreign buyer %j as %j', (change, kept) => {
    expect(accepted(recipient(change, FOREIGNER)).documents[0]?.document.recipient).toMatchObject(kept);
  });

  it('keeps no buyer of a consolidated document', () => {
    const result = accepted({ submission_type: 'consolidated', documents: [documentWith()] });
    expect(result.documents[0]?.document.recipient).toBeNull();
  });

  it('writes -0 as 0', () => {
    const result = readSubmitBody(
      buildBody(documentWith({ lineItems: [{ ...LINE, discount: -0, lineTotal: 200 }] })),
      NOW,
    );
    expect('documents' in result && result.documents[0]?.document.lineItems[0]?.discount).toBe(0);
  });
});

describe('SUBMIT_RULE_IDS', () => {
  it('lists stable identifiers, each once', () => {
    expect(new Set(SUBMIT_RULE_IDS).size).toBe(SUBMIT_RULE_IDS.length);
    for (const rule of SUBMIT_RULE_IDS) expect(rule).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
  });

  // One of each kind of value that a rule of shape refuses.
  const REFUSED = [undefined, 5, true, {}, [], 'x'.repeat(400), '\u0000', '?', -1, 0, 1e13, 1e-7, 12345678901.23456];

  /** The body with each of its members, one at a time, replaced by each of these. */
  function* spoiltBodies(body: Members): Generator {
    for (const pointer of pointersIn(body)) {
      for (const value of REFUSED) {
        const spoilt = structuredClone(body);
        const steps = pointer.split('/').slice(1);
        const name = steps.pop() ?? '';
        const owner = steps.reduce<Members>((at, step) => at[step] as Members, spoilt);
        owner[name] = value;
        yield spoilt;
      }
    }
  }

  function pointersIn(value: unknown, at = ''): string[] {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, own]) => [`${at}/${name}`, ...pointersIn(own, `${at}/${name}`)]);
  }

  const OPTIONAL_LINE = {
    taxPerUnit: 7.6,
    taxUnitCount: 2,
    taxType: 'E',
    taxExemptionReason: 'Order',
    classification: '022',
    unitCode: 'C62',
  };
  const OPTIONAL_BUYER = { addressLine3: 'c', country: 'MYS', phone: '+60312345678', email: 'a@b.c', sstNumber: 'A-1' };
  const FULL = buildBody(
    documentWith({
      documentType: 'credit_note',
      documentDate: '2026-11-20',
      relatedInvoice: PARENT,
      recipient: { ...PERSON, ...OPTIONAL_BUYER, entityType: 'individual', brn: '1', passport: 'A1', army: 'T1' },
      lineItems: [{ ...LINE, ...OPTIONAL_LINE }],
      totalDiscountAmount: 1,
      totalRoundingAmount: 0.01,
    }),
  );
  const everyProblem = [
    ...Object.values(BROKEN).flatMap((rows) => rows.map(([body]) => body)),
    ...spoiltBodies({ ...FULL, submissionType: 'non-consolidated' }),
    buildBody(
      documentWith({ lineItems: Array.from({ length: 900 }, () => ({ ...LINE, description: 'x'.repeat(200) })) }),
    ),
  ].flatMap(findProblems);

  it('holds every rule that a body can break, and each of them is broken here', () => {
    expect([...new Set(everyProblem.map(({ rule }) => rule))].toSorted()).toEqual(SUBMIT_RULE_IDS.toSorted());
  });

  it('is given with a pointer, what is wrong, and how to mend it: every one', () => {
    for (const problem of everyProblem) {
      expect(problem, JSON.stringify(problem)).toEqual({
        pointer: expect.stringMatching(/^(?:\/|$)/),
        rule: expect.any(String),
        message: expect.stringMatching(/^(?:must|is|the body must) /),
        hint: expect.stringMatching(/.{5}/),
      });
    }
  });
});

describe('any JSON', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      'invoice',
      'credit_note',
      'company',
      'individual',
      'MYS',
      'SGP',
      '2026-02-30',
      '2026-11-20',
      'E',
      ' ',
      '\ud800',
    ),
  );
  const amount = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -0, 1, 1e13, 1e308, Infinity, NaN, 0.1));
  const leaf = fc.oneof(text, amount, fc.constantFrom(null, true), fc.jsonValue({ maxDepth: 2 }));
  const object = (members: readonly string[], inner: fc.Arbitrary<unknown> = leaf): fc.Arbitrary<unknown> =>
    fc.dictionary(fc.constantFrom(...members, '__proto__', 'constructor', 'toString'), inner, { maxKeys: 12 });
  const anyLine = object([
    ...Object.keys(LINE),
    'taxPerUnit',
    'taxUnitCount',
    'taxType',
    'taxExemptionReason',
    'classification',
    'unitCode',
  ]);
  const anyRecipient = object([
    ...Object.keys(PERSON),
    'entityType',
    'country',
    'passport',
    'army',
    'phone',
    'email',
    'sstNumber',
  ]);
  const members = [
    'documentType',
    'referenceId',
    'document_date',
    'documentDate',
    'totalDiscountAmount',
    'totalRoundingAmount',
  ];
  const overlay = object(
    [...members, 'recipient', 'lineItems', 'relatedInvoice'],
    fc.oneof({ weight: 3, arbitrary: leaf }, anyRecipient, fc.array(fc.oneof(anyLine, leaf), { maxLength: 3 })),
  );
  const anyDocument = fc.oneof(
    leaf,
    overlay,
    overlay.map((change) => documentWith(change as Members)),
  );
  const anyBody = fc.oneof(
    fc.jsonValue(),
    fc.record({
      submission_type: fc.oneof(fc.constantFrom('consolidated', 'non-consolidated'), leaf),
      documents: fc.oneof({ weight: 9, arbitrary: fc.array(anyDocument, { maxLength: 4 }) }, leaf),
    }),
  );

  it('never makes it throw, and every problem says where, which and what', () => {
    const seen = { accepted: 0, rules: new Set<string>() };
    fc.assert(
      fc.property(anyBody, (body) => {
        const result = readSubmitBody(body, NOW);
        if (!('problems' in result)) {
          seen.accepted += 1;
          return;
        }
        expect(result.problems.length).toBeGreaterThan(0);
        const places = new Set<string>();
        for (const { pointer, rule, message } of result.problems) {
          expect(pointer).toMatch(/^(\/[A-Za-z0-9_]+)*$/);
          expect(SUBMIT_RULE_IDS).toContain(rule);
          expect(message).toMatch(/^\S.*\S$/);
          places.add(`${pointer} ${rule}`);
        }
        // One mistake is reported once.
        expect(places.size).toBe(result.problems.length);
        for (const rule of result.problems) seen.rules.add(rule.rule);
      }),
      { numRuns: 2_000 },
    );
    // The generator reaches deep enough to mean something.
    expect(seen.rules.size).toBeGreaterThan(25);
  });
});

/** Up to five decimals. */
function fine(max: number): fc.Arbitrary<number> {
  return fc.integer({ min: 1, max }).map((count) => count / 1e5);
}

describe('any valid body', () => {
  const money = fc.integer({ min: 0, max: 1_000_000 }).map((sen) => sen / 100);
  const words = fc.stringMatching(/^[A-Za-z0-9](?:[ -~]{0,40}[A-Za-z0-9])?$/);
  const validLine = fc
    .record({
      description: words,
      quantity: fine(1e8),
      unitPrice: fine(1e8),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      taxAmount: money,
    })
    .map(({ part, ...rest }) => ({ ...rest, discount: Math.floor(rest.quantity * rest.unitPrice * part * 99) / 100 }));
  const validRecipient = fc.record({
    name: words,
    addressLine1: words,
    city: words.map((word) => word.slice(0, 40)),
    postcode: fc.stringMatching(/^\d{5}$/),
    state: fc.constantFrom(...STATE_SLUGS.filter((slug) => slug !== 'not_applicable')),
    tin: fc.stringMatching(/^[A-Z]{1,2}\d{6,12}$/).filter((tin) => tin !== 'EI00000000010'),
    brn: fc.stringMatching(/^\d{12}$/),
    nric: fc.stringMatching(/^\d{6}-\d{2}-\d{4}$/),
    entity_type: fc.constantFrom('company', 'individual'),
  });
  const validDocument = fc.record({
    documentType: fc.constant('invoice'),
    document_date: fc
      .date({ min: new Date('2000-01-01'), max: NOW, noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10)),
    recipient: validRecipient,
    lineItems: fc.array(validLine, { minLength: 1, maxLength: 5 }),
    totalRoundingAmount: money,
  });

  it('has no problems, and keeps one document for each that is sent', () => {
    fc.assert(
      fc.property(fc.array(validDocument, { minLength: 1, maxLength: 5 }), (documents) => {
        const body = buildBody(...documents.map((document, index) => ({ ...document, referenceId: `INV-${index}` })));
        expect(findSentences(body)).toEqual([]);
        expect(accepted(body).documents.map(({ document }) => document.referenceId)).toEqual(
          documents.map((_document, index) => `INV-${index}`),
        );
      }),
      { numRuns: 300 },
    );
  });
});
