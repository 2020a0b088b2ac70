import 'reflect-metadata';
import { LINE_TEXTS } from '../documents/dto/line-item.dto.js';
import { RECIPIENT_TEXTS } from '../documents/dto/recipient.dto.js';
import { describe, expect, it } from 'vitest';
import { PROBLEMS_MAX } from '../errors/api-error.js';
import { SUBMIT_RULE_IDS, readSubmitBody } from './submit-body.js';
import {
  type Members,
  NOW,
  RECIPIENT,
  PERSON,
  FOREIGNER,
  LINE,
  PARENT,
  documentWith,
  bodyOf,
  buildBody,
  recipient,
  line,
  creditNote,
  findProblems,
  findSentences,
  STATE_CHOICES,
  D,
  R,
  L,
} from './submit-body.fixtures.js';

type Row = readonly [body: unknown, ...sentences: string[]];

const LOST = 'is not a field of the service, and the document could be wrong without it';

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
    [{ ...bodyOf(), submissionType: 'consolidated' }, 'submissionType must equal submission_type when both are sent'],
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
    [bodyOf({ documentType: undefined }), `${D}.documentType is required`],
    [bodyOf({ documentType: 'refund' }), `${D}.documentType must be one of: invoice, credit_note`],
  ],
  referenceId: [
    [bodyOf({ referenceId: undefined }), `${D}.referenceId is required`],
    [bodyOf({ referenceId: '  ' }), `${D}.referenceId is required`],
    [bodyOf({ referenceId: 12 }), `${D}.referenceId must be a string`],
    [bodyOf({ referenceId: 'x'.repeat(51) }), `${D}.referenceId must be at most 50 characters`],
    [bodyOf({ referenceId: 'A\tB' }), `${D}.referenceId must not contain control characters`],
    [bodyOf({ referenceId: 'A\u0000' }), `${D}.referenceId must not contain control characters`],
  ],
  documentDate: [
    [bodyOf({ document_date: undefined }), `${D}.document_date is required`],
    [bodyOf({ document_date: '20/11/2026' }), `${D}.document_date must be a date written YYYY-MM-DD`],
    [bodyOf({ document_date: '2026-02-30' }), `${D}.document_date must be a real calendar date`],
    [
      bodyOf({ document_date: undefined, documentDate: '2025-02-29' }),
      `${D}.documentDate must be a real calendar date`,
    ],
    [
      bodyOf({ document_date: '2026-11-22' }),
      `${D}.document_date must not be in the future: today is 2026-11-21 in Malaysia`,
    ],
    [bodyOf({ document_date: '1999-12-31' }), `${D}.document_date must not be before 2000-01-01`],
    [
      bodyOf({ document_date: undefined, documentDate: '0026-11-20' }),
      `${D}.documentDate must not be before 2000-01-01`,
    ],
    [bodyOf({ documentDate: '2026-11-19' }), `${D}.documentDate must equal document_date when both are sent`],
  ],
  recipient: [
    [bodyOf({ recipient: undefined }), `${R} is required unless submission_type is consolidated`],
    [bodyOf({ recipient: null }), `${R} is required unless submission_type is consolidated`],
    [bodyOf({ recipient: 'Ali' }), `${R} must be an object`],
  ],
  'recipient texts': [
    [recipient({ name: undefined }), `${R}.name is required`],
    [recipient({ name: 'x'.repeat(301) }), `${R}.name must be at most 300 characters`],
    [recipient({ addressLine1: '' }), `${R}.addressLine1 is required`],
    [recipient({ addressLine1: 'x'.repeat(151) }), `${R}.addressLine1 must be at most 150 characters`],
    [recipient({ addressLine2: 'x'.repeat(151) }), `${R}.addressLine2 must be at most 150 characters`],
    [recipient({ addressLine3: 'x'.repeat(151) }), `${R}.addressLine3 must be at most 150 characters`],
    [recipient({ city: undefined }), `${R}.city is required`],
    [recipient({ city: 'Ipoh\u202d' }), `${R}.city must not contain control characters`],
    [recipient({ name: '\u200b' }), `${R}.name is required`],
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
    // An unknown country skips the rules that depend on it.
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
    // ERR237: the placeholder for a number requires a personal TIN.
    [
      recipient({ tin: 'EI00000000010', nric: '000000000000' }, PERSON),
      `${R}.nric must be the buyer's own when the TIN is EI00000000010`,
    ],
    // ERR205, ERR206, ERR228: only the TIN of foreign companies allows NA.
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
    [recipient({ brn: '2020\u200B01234567' }), `${R}.brn must not contain invisible characters`],
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
    [recipient({ phone: '0312345678' }, FOREIGNER), `${R}.phone must be + and 7 to 19 digits`],
    [recipient({ phone: '6591234567' }, FOREIGNER), `${R}.phone must be + and 7 to 19 digits`],
    [recipient({ phone: `+${'1'.repeat(20)}` }), `${R}.phone must be + and 7 to 19 digits`],
    [recipient({ phone: '+123456' }), `${R}.phone must be + and 7 to 19 digits`],
    [recipient({ phone: '+60 3-1234' }), `${R}.phone must be + and 7 to 19 digits`],
    [recipient({ phone: '031234567/8' }), `${R}.phone must be + and 7 to 19 digits`],
    [recipient({ phone: '+60312345678 0139876543' }), `${R}.phone must be + and 7 to 19 digits`],
    [recipient({ phone: '03-1234 5678 ext 9' }), `${R}.phone must be + and 7 to 19 digits`],
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
    [bodyOf({ lineItems: undefined }), `${D}.lineItems is required`],
    [bodyOf({ lineItems: [] }), `${D}.lineItems must have at least 1 item`],
    [bodyOf({ lineItems: ['x'] }), `${L} must be an object`],
    [
      bodyOf({ lineItems: Array.from({ length: 455 }, () => LINE) }),
      `${D}.lineItems must have at most 454 items: the authority accepts 300,000 bytes, into which no more lines fit even in their shortest form`,
    ],
  ],
  'line description': [
    [line({ description: undefined }), `${L}.description is required`],
    // Contains a zero-width space.
    [line({ description: '\u00a0\u200b\u2060' }), `${L}.description is required`],
    [
      line({ description: 'RM \u202e001' }),
      `${L}.description must not contain control characters other than tabs and line breaks`,
    ],
    [line({ description: 'x'.repeat(301) }), `${L}.description must be at most 300 characters`],
  ],
  'line amounts': [
    [line({ quantity: undefined }), `${L}.quantity is required`],
    [line({ quantity: 0 }), `${L}.quantity must be greater than 0`],
    [line({ quantity: -2 }), `${L}.quantity must be greater than 0`],
    [line({ quantity: 2.000001 }), `${L}.quantity must be a number with at most 5 decimals`],
    [line({ quantity: '2' }), `${L}.quantity must be a JSON number, not a string`],
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
    // 9.996 rounds to 10.00 but is below the discount.
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
    // Within the tolerance, but negative.
    [line({ unitPrice: 0, discount: 0, taxAmount: 0, lineTotal: -0.01 }), `${L}.lineTotal must be at least 0`],
    [line({ lineTotal: 190.001 }), `${L}.lineTotal must be a number with at most 2 decimals`],
    [line({ lineTotal: '190' }), `${L}.lineTotal must be a JSON number, not a string`],
  ],
  'line tax by unit': [
    [line({ taxPerUnit: 0 }), `${L}.taxPerUnit must be greater than 0`],
    [line({ taxPerUnit: 0.000001 }), `${L}.taxPerUnit must be a number with at most 5 decimals`],
    [line({ taxPerUnit: '10' }), `${L}.taxPerUnit must be a JSON number, not a string`],
    [line({ taxPerUnit: 10, taxUnitCount: -1 }), `${L}.taxUnitCount must be greater than 0`],
    [line({ taxUnitCount: 2 }), `${L}.taxPerUnit is required with taxUnitCount`],
    [line({ taxPerUnit: 10 }), `${L}.taxAmount must be within 0.01 of taxPerUnit × quantity, which is 20`],
    [
      line({ taxPerUnit: 0.58621, taxUnitCount: 30.5, taxAmount: 17.9 }),
      `${L}.taxAmount must be within 0.01 of taxPerUnit × taxUnitCount, which is 17.88`,
    ],
    // Rules about the unit tax are skipped while quantity or rate is invalid.
    [
      line({ taxPerUnit: 10, quantity: 'x', lineTotal: undefined }),
      `${L}.quantity must be a JSON number, not a string`,
    ],
    [line({ taxPerUnit: 10, taxAmount: -1 }), `${L}.taxAmount must be at least 0`],
  ],
  'line tax rate': [
    [line({ taxRate: 6 }), `${L}.taxAmount is 15.2, but 6 % of the line total is 11.4`],
    [line({ tax_rate: 7.99 }), `${L}.taxAmount is 15.2, but 7.99 % of the line total is 15.18`],
    [line({ taxRate: 8, tax_rate: 6 }), `${L}.tax_rate must equal taxRate when both are sent`],
    [line({ taxRate: -1 }), `${L}.taxRate must be at least 0`],
    [line({ taxRate: 1e13 }), `${L}.taxRate must be below 10,000,000,000,000 in absolute value`],
    [line({ taxRate: 100.01 }), `${L}.taxRate must be at most 100`],
    [line({ tax_rate: 8.125 }), `${L}.tax_rate must be a number with at most 2 decimals`],
    [line({ taxRate: '8%' }), `${L}.taxRate must be a JSON number, not a string`],
    [
      line({ taxRate: 8, taxAmount: undefined, taxPerUnit: 10 }),
      `${L}.taxRate must not be sent with taxPerUnit: a line has one tax`,
    ],
    [line({ tax_rate: 8, taxPerUnit: 10 }), `${L}.tax_rate must not be sent with taxPerUnit: a line has one tax`],
    [line({ taxRate: 6, taxAmount: -1 }), `${L}.taxAmount must be at least 0`],
    // Rules about the rate are skipped while the line total is invalid.
    [
      line({ taxRate: 6, lineTotal: 1 }),
      `${L}.lineTotal must be within 0.01 of quantity × unitPrice − discount, which is 190`,
    ],
    [bodyOf({ taxRate: 8 }), `${D}.taxRate ${LOST}`],
    [recipient({ tax_rate: 8 }), `${R}.tax_rate ${LOST}`],
    [
      bodyOf({ lineItems: [{ ...LINE, taxAmount: undefined, taxRate: 8 }], totalTaxAmount: 15.19 }),
      `${D}.totalTaxAmount is 15.19, but the service computes 15.2`,
    ],
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
    [bodyOf({ totalDiscountAmount: -1 }), `${D}.totalDiscountAmount must be at least 0`],
    [
      bodyOf({ totalDiscountAmount: 190.01 }),
      `${D}.totalDiscountAmount must not be above the sum of the line totals, 190`,
    ],
  ],
  'computed totals': [
    [bodyOf({ totalPayableAmount: 205.21 }), `${D}.totalPayableAmount is 205.21, but the service computes 205.2`],
    [bodyOf({ total_payable_amount: 0 }), `${D}.total_payable_amount is 0, but the service computes 205.2`],
    [bodyOf({ totalIncludingTax: 205 }), `${D}.totalIncludingTax is 205, but the service computes 205.2`],
    [bodyOf({ total_excluding_tax: -190 }), `${D}.total_excluding_tax is -190, but the service computes 190`],
    [
      bodyOf({ totalTaxAmount: 15.2, total_tax_amount: 15.19 }),
      `${D}.total_tax_amount is 15.19, but the service computes 15.2`,
    ],
    [bodyOf({ totalTaxAmount: '15.20' }), `${D}.totalTaxAmount must be a JSON number, not a string`],
    [
      bodyOf({ lineItems: [{ ...LINE, taxType: 'E', taxExemptionReason: 'Order' }], totalTaxAmount: 15.2 }),
      `${D}.totalTaxAmount is 15.2, but the service computes 0`,
    ],
  ],
  'members that would change the document': [
    [bodyOf({ currency: 'USD', exchangeRate: 4.45 }), `${D}.currency ${LOST}`, `${D}.exchangeRate ${LOST}`],
    [line({ taxPercent: 8 }), `${L}.taxPercent ${LOST}`],
    [
      bodyOf({ serviceCharge: 10, totalChargeAmount: 10 }),
      `${D}.serviceCharge ${LOST}`,
      `${D}.totalChargeAmount ${LOST}`,
    ],
    [line({ discout: 5 }), `${L}.discout ${LOST}`],
    [recipient({ customer: 'x' }), `${R}.customer ${LOST}`],
    [creditNote({ relatedInvoice: { ...PARENT, currency: 'USD' } }), `${D}.relatedInvoice.currency ${LOST}`],
    [
      creditNote({ relatedInvoice: { ...PARENT, totalDiscountAmount: 5 } }),
      `${D}.relatedInvoice.totalDiscountAmount ${LOST}`,
    ],
    [{ ...bodyOf(), currency: 'SGD' }, `currency ${LOST}`],
    [bodyOf({ discount: 5 }), `${D}.discount ${LOST}`],
    [line({ totalPayableAmount: 205.2 }), `${L}.totalPayableAmount ${LOST}`],
  ],
  totalRoundingAmount: [
    [bodyOf({ totalRoundingAmount: 0.005 }), `${D}.totalRoundingAmount must be a number with at most 2 decimals`],
    [
      bodyOf({ totalRoundingAmount: -205.21 }),
      `${D}.totalRoundingAmount must not make totalPayableAmount negative, here -0.01`,
    ],
  ],
  paymentTerms: [
    [buildBody(documentWith({ paymentTerms: 'x'.repeat(301) })), `${D}.paymentTerms must be at most 300 characters`],
  ],
  relatedInvoice: [
    [creditNote({ relatedInvoice: undefined }), `${D}.relatedInvoice is required`],
    [creditNote({ relatedInvoice: 'INV-0' }), `${D}.relatedInvoice must be an object`],
    [creditNote({ relatedInvoice: {} }), `${D}.relatedInvoice.referenceId is required`],
    [bodyOf({ relatedInvoice: PARENT }), `${D}.relatedInvoice must not be sent with an invoice`],
    [bodyOf({ relatedInvoice: {} }), `${D}.relatedInvoice must not be sent with an invoice`],
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
    // Exempted tax is in no total but must still be valid.
    [
      line({ taxAmount: undefined, taxType: 'E', taxExemptionReason: 'Order', taxPerUnit: 9e12, taxUnitCount: 9e12 }),
      `${D}.lineItems must not add up to 10,000,000,000,000 or more`,
    ],
    [
      bodyOf({ lineItems: [{ ...LINE, taxAmount: 9_999_999_999_999.99 }] }),
      `${D}.lineItems must not add up to 10,000,000,000,000 or more`,
    ],
  ],
  'one mistake, one problem': [
    // Sums with an invalid amount are not checked, nor is the second id after an invalid one.
    [
      buildBody(
        documentWith({ lineItems: [{ ...LINE, quantity: 'x', lineTotal: undefined }], totalDiscountAmount: 5 }),
      ),
      `${L}.quantity must be a JSON number, not a string`,
    ],
    [
      bodyOf({ lineItems: [{ ...LINE, taxAmount: -1 }], totalRoundingAmount: -195 }),
      `${L}.taxAmount must be at least 0`,
    ],
    [
      bodyOf({ lineItems: [{ ...LINE, lineTotal: 1 }], totalDiscountAmount: 150 }),
      `${L}.lineTotal must be within 0.01 of quantity × unitPrice − discount, which is 190`,
    ],
    [bodyOf({ lineItems: [null], totalDiscountAmount: 5 }), `${L} must be an object`],
    [
      bodyOf({ totalDiscountAmount: '5', totalRoundingAmount: -300 }),
      `${D}.totalDiscountAmount must be a JSON number, not a string`,
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

describe('accepted body', () => {
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
    ['two equal spellings', bodyOf({ documentDate: '2026-11-20' })],
    ['today in Malaysia, which is tomorrow in UTC', bodyOf({ document_date: '2026-11-21' })],
    ['29 February of a leap year', bodyOf({ document_date: '2024-02-29' })],
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
    ['the first date that is taken', bodyOf({ document_date: '2000-01-01' })],
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
    ['a phone of 8 characters', recipient({ phone: '+6834002' })],
    ['a phone of 8 characters and a space', recipient({ phone: '+683 4002' })],
    ['the unit of gross tons', line({ unitCode: 'GT' })],
    ['a phone of 19 digits', recipient({ phone: `+${'1'.repeat(19)}` })],
    ['two SST numbers', recipient({ sstNumber: 'W10-1808-32000001;NA' })],
    ['a line total one sen off', line({ lineTotal: 190.01 })],
    ['a discount of the whole line', line({ discount: 200, lineTotal: 0 })],
    ['a price of 0', line({ unitPrice: 0, discount: 0, lineTotal: 0, taxAmount: 0 })],
    ['exemption with its reason', line({ taxType: 'E', taxExemptionReason: 'Medicine' })],
    ['a discount of the whole document', bodyOf({ totalDiscountAmount: 190 })],
    [
      'totals that equal ours to the sen, in either spelling',
      bodyOf({
        totalExcludingTax: 190,
        total_tax_amount: 15.200000000000001,
        totalIncludingTax: 205.2,
        total_payable_amount: 205.20000000000002,
        totalPayableAmount: null,
      }),
    ],
    ['neutral values of members that would change the document', bodyOf({ currency: 'MYR', exchangeRate: 1, tip: 0 })],
    ['the type of the parent invoice', creditNote({ relatedInvoice: { ...PARENT, documentType: 'invoice' } })],
    ['rounding down to nothing', bodyOf({ totalRoundingAmount: -205.2 })],
    ['payment terms of 300 characters on lines', bodyOf({ paymentTerms: `${'x'.repeat(298)}\ny` })],
    [
      'an RFC 4122 UUID of the parent',
      creditNote({ relatedInvoice: { ...PARENT, authorityUuid: '0190d6f4-1111-7abc-8def-0123456789ab' } }),
    ],
    ['a parent without a UUID', creditNote({ relatedInvoice: { referenceId: 'INV-0', authorityUuid: '' } })],
    [
      '100 documents',
      buildBody(...Array.from({ length: 100 }, (_, index) => documentWith({ referenceId: `INV-${index}` }))),
    ],
  ])('can contain %s', (_name, body) => {
    expect(findSentences(body)).toEqual([]);
  });
});

describe('problems of a body', () => {
  it('include every violated rule of every document in request order', () => {
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
      'documents[1].lineItems[0].quantity must be a JSON number, not a string',
      'documents[1].document_date must not be in the future: today is 2026-11-21 in Malaysia',
      'documents[1].lineItems[0].taxType must be a tax type code, such as 01 (sales tax), 02 (service tax), 06 (not applicable) or E (exempt)',
    ]);
  });

  it('are limited to 500', () => {
    const empty = { ...documentWith(), lineItems: Array.from({ length: 400 }, () => ({ description: 'x' })) };
    const problems = findProblems(buildBody(empty, empty));
    expect(problems).toHaveLength(PROBLEMS_MAX);
    expect(problems.at(-1)?.pointer).toBe('/documents/0/lineItems/249/unitPrice');
  });

  it('have pointer, rule, message and hint', () => {
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
        hint: `one of: ${STATE_CHOICES}; for an address outside Malaysia, send its country too`,
      },
    ]);
  });

  it('include the size of a document that is too large', () => {
    const lineItems = Array.from({ length: 400 }, () => ({ ...LINE, description: 'x'.repeat(200) }));
    const [problem, ...others] = findProblems(
      buildBody(documentWith({ lineItems }), documentWith({ referenceId: 'INV-2' })),
    );
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ pointer: '/documents/0', rule: 'document_size' });
    expect(problem?.message).toMatch(
      /^must be at most 300,000 bytes in the authority's form, here at least \d{3},\d{3}; the first \d{3} of its 400 lines fit$/,
    );
  });
});

describe('right-to-left override', () => {
  const company = { ...RECIPIENT, addressLine3: 'Blok B', country: 'MYS', phone: '+60398765432', email: 'a@b.example' };
  const buyers = [{ ...company, sstNumber: 'W10-1808-32000001' }, PERSON];
  const exempt = { ...LINE, taxType: 'E', taxExemptionReason: 'Order', classification: '022', unitCode: 'C62' };
  const document = { documentType: 'credit_note', relatedInvoice: PARENT, paymentTerms: 'Cash', lineItems: [exempt] };
  const bodies = buyers.map((buyer) => bodyOf({ ...document, recipient: buyer }));

  it.each(bodies.flatMap((body) => listTexts(body).map((path) => ({ pointer: `/${path.join('/')}`, body, path }))))(
    'is rejected in $pointer',
    ({ pointer, body, path }) => {
      const problems = findProblems(withText(body, path, (text) => `${text.slice(0, 1)}\u202e${text.slice(1)}`));
      expect(problems.map((problem) => problem.pointer)).toContain(pointer);
    },
  );
});

type Path = readonly string[];

function listTexts(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => listTexts(member, [...path, name]));
}

function withText(body: Members, path: Path, edit: (text: string) => string): Members {
  const changed = structuredClone(body);
  const last = path.slice(0, -1).reduce<Members>((owner, name) => owner[name] as Members, changed);
  const name = path[path.length - 1];
  last[name] = edit(last[name] as string);
  return changed;
}

describe('SUBMIT_RULE_IDS', () => {
  it('contains stable identifiers without duplicates', () => {
    expect(new Set(SUBMIT_RULE_IDS).size).toBe(SUBMIT_RULE_IDS.length);
    for (const rule of SUBMIT_RULE_IDS) expect(rule).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
  });

  // Values of each kind that some rule rejects.
  const REFUSED = [undefined, 5, true, {}, [], 'x'.repeat(400), '\u0000', '?', -1, 0, 1e13, 1e-7, 12345678901.23456];

  /** Replaces each member of the body by each of these values. */
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
    ...Object.fromEntries(LINE_TEXTS.map((name) => [name, 'Text'])),
    taxPerUnit: 7.6,
    taxUnitCount: 2,
    taxType: 'E',
    taxExemptionReason: 'Order',
    classification: '022',
    unitCode: 'C62',
  };
  const OPTIONAL_BUYER = {
    ...Object.fromEntries(RECIPIENT_TEXTS.map((name) => [name, 'Text'])),
    addressLine3: 'c',
    country: 'MYS',
    phone: '+60312345678',
    email: 'a@b.c',
    sstNumber: 'A-1',
  };
  const FULL = buildBody(
    documentWith({
      documentType: 'credit_note',
      documentDate: '2026-11-20',
      relatedInvoice: PARENT,
      recipient: { ...PERSON, ...OPTIONAL_BUYER, entityType: 'individual', brn: '1', passport: 'A1', army: 'T1' },
      lineItems: [{ ...LINE, ...OPTIONAL_LINE }],
      totalDiscountAmount: 1,
      totalRoundingAmount: 0.01,
      totalExcludingTax: 189,
      totalTaxAmount: 0,
      totalIncludingTax: 189,
      totalPayableAmount: 189.01,
      paymentTerms: '30 days',
    }),
  );
  const everyProblem = [
    ...Object.values(BROKEN).flatMap((rows) => rows.map(([body]) => body)),
    ...spoiltBodies({ ...FULL, submissionType: 'non-consolidated' }),
    buildBody(
      documentWith({ lineItems: Array.from({ length: 450 }, () => ({ ...LINE, description: 'x'.repeat(200) })) }),
    ),
  ].flatMap(findProblems);
  const repeatedMembers = [{ pointer: '/documents', isWithin: false, isSame: false }];
  const repeated = readSubmitBody(bodyOf(), NOW, { isStrict: false, repeatedMembers });
  if ('problems' in repeated) everyProblem.push(...repeated.problems);

  it('contains exactly the rules that the bodies in this file violate', () => {
    expect([...new Set(everyProblem.map(({ rule }) => rule))].toSorted()).toEqual(SUBMIT_RULE_IDS.toSorted());
  });

  it('contains only rules whose problems have pointer, message and hint', () => {
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
