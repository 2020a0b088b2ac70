import { describe, expect, it } from 'vitest';
import { toWords, describeField } from './field-names';

describe('describeField', () => {
  it.each([
    ['/documents/39/recipient/tin', 'Document 40, buyer’s TIN'],
    ['/documents/0/lineItems/2/unitPrice', 'Line 3, unit price'],
    ['/documents/1/lineItems/2/taxType', 'Document 2, line 3, tax type'],
    ['/documents/0/lineItems/0', 'Line 1'],
    ['/documents/1/recipient', 'Document 2, buyer'],
    ['/documents/0/relatedInvoice/referenceId', 'Parent invoice’s number'],
    ['/submission_type', 'Kind of submission'],
    ['/documents/0/documentDate', 'Document date'],
    ['/documents/0/recipient/postCode', 'Buyer’s post code'],
    ['/documents/0', 'Document 1'],
    ['/submissionType', 'Kind of submission'],
    ['/tin', 'TIN'],
    ['/lastDay', 'Last day'],
    ['/constructor', 'Constructor'],
    ['', 'The whole request'],
  ])('describes %s as "%s"', (pointer, words) => {
    expect(describeField(pointer)).toBe(words);
  });
});

describe('toWords', () => {
  it.each([
    ['use 190, or leave lineTotal out to have it computed', 'use 190, or leave line total out to have it computed'],
    [
      "Send the buyer's own TIN, or submit the document in a separate request with submission_type consolidated.",
      "Send the buyer's own TIN, or submit the document as consolidated receipts.",
    ],
    ["Send the slug of the buyer's state, such as selangor", "Send the buyer's state, such as selangor"],
    ['Send nric as 12 digits', 'Send NRIC as 12 digits'],
    ['Send addressLine1, with at most 150 characters', 'Send address, with at most 150 characters'],
    [
      'if it is the same credit_note, follow it in batch 0190a1b2-0000-7000-8000-000000000000 and take it out of the request; otherwise give it another number',
      'give this one another number, unless it is the same document',
    ],
    ['one of: kuala_lumpur, not_applicable', 'one of: kuala_lumpur, not_applicable'],
    ['is required; or documentDate, such as "2026-01-31"', 'is required; such as "2026-01-31"'],
    [
      'today is 2026-11-21; see it again after 2026-11-21T16:05:09.123Z',
      'today is 21 Nov 2026; see it again after 22 Nov 2026, 00:05 MYT',
    ],
    [
      'of invoice 2026-11-21-A, INV-2026-11-21 and "2026-11-21"',
      'of invoice 2026-11-21-A, INV-2026-11-21 and "2026-11-21"',
    ],
    ['of 2026-13-45T99:99:99Z and 2026-13-45', 'of 2026-13-45T99:99:99Z and 2026-13-45'],
    ['which has RM 5400.00 left to credit', 'which has RM 5,400.00 left to credit'],
    ['must not make totalPayableAmount negative', 'must not make the amount payable negative'],
  ])('rewrites %j as %j', (text, words) => {
    expect(toWords(text)).toBe(words);
  });
});
