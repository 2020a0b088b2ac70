import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { buildAuthorityDocument } from '../../src/documents/authority-document.js';
import type { Supplier } from '../../src/documents/simplified-document.js';
import { readSubmitBody } from '../../src/submission/submit-body.js';

// The authority's three published examples, built from requests. The only difference is `referenceId`, which the
// service sends as the billing reference and which the smallest example lacks.

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));

/** Published hashes of the minified text. */
const PUBLISHED: Record<string, string> = {
  invoice: 'a358e41655b766b114f52999228ebdea6d8285abb283b852ed1646c07227599e',
  'credit-note': '575680bf149cffe84e26246dc91d9d5460e583a4f895ea80a9ebb360e65e9b62',
  consolidated: 'c91454fd1c22c8f1f15a53c8b44e52e52cf670a663dab72a79b95151c98819be',
};

const recipient = {
  name: 'Pembeli Contoh Sdn Bhd',
  tin: 'C9876543210',
  brn: '202001234567',
  entity_type: 'company',
  addressLine1: '12 Jalan Contoh',
  postcode: '40000',
  city: 'Shah Alam',
  state: 'selangor',
  phone: '+60398765432',
  email: 'ap@pembeli.example',
};

const SENT: Record<string, { submission_type: string; documents: object[] }> = {
  invoice: {
    submission_type: 'non-consolidated',
    documents: [
      {
        documentType: 'invoice',
        referenceId: 'INV-0001',
        document_date: '2026-07-23',
        recipient,
        totalDiscountAmount: 10,
        lineItems: [{ description: 'Consulting', quantity: 2, unitPrice: 100, discount: 10, taxAmount: 15.2 }],
      },
    ],
  },
  'credit-note': {
    submission_type: 'non-consolidated',
    documents: [
      {
        documentType: 'credit_note',
        referenceId: 'CN-0001',
        document_date: '2026-07-23',
        recipient,
        relatedInvoice: { referenceId: 'INV-0001', authorityUuid: 'Z9JH44F9A9XXQQ30QFD7EXWJ10' },
        lineItems: [{ description: 'Return of one unit', quantity: 1, unitPrice: 100, taxAmount: 8 }],
      },
    ],
  },
  consolidated: {
    submission_type: 'consolidated',
    documents: [
      {
        documentType: 'invoice',
        referenceId: 'CONS-2026-07',
        document_date: '2026-07-23',
        lineItems: [
          { description: 'Receipt 001 - 100', quantity: 1, unitPrice: 1500 },
          { description: 'Receipt 101 - 200', quantity: 1, unitPrice: 2000 },
        ],
      },
    ],
  },
};

function builtFrom(body: unknown): string {
  const issuedAt = new Date('2026-07-23T00:30:00Z');
  const accepted = readSubmitBody(body, issuedAt);
  if ('problems' in accepted) throw new Error(JSON.stringify(accepted.problems));
  const [{ document }] = accepted.documents;
  const supplier = read('src/documents/golden/supplier.json') as Supplier;
  const parentAuthorityUuid = document.relatedInvoice?.authorityUuid ?? null;
  const bytes = buildAuthorityDocument({
    document,
    supplier,
    issuedAt,
    period: null,
    parentAuthorityUuid,
    version: '1.0',
  });
  return bytes.toString('utf8');
}

interface Root {
  readonly Invoice: readonly [{ BillingReference?: { AdditionalDocumentReference?: unknown }[] }];
}

/** Removes the reference from the JSON. Keeps the order and digits of the rest. */
function withoutOwnReference(text: string): { text: string; taken: unknown[] } {
  const root = JSON.parse(text) as Root;
  const [invoice] = root.Invoice;
  const references = invoice.BillingReference ?? [];
  const taken = references.filter((entry) => 'AdditionalDocumentReference' in entry);
  invoice.BillingReference = references.filter((entry) => !taken.includes(entry));
  if (invoice.BillingReference.length === 0) delete invoice.BillingReference;
  return { text: JSON.stringify(root), taken };
}

/** The example contains `NA`, but the authority's FAQ requires a valid address or none. */
function withoutMissingEmail(text: string): string {
  return text.replace('],"ElectronicMail":[{"_":"NA"}]', ']');
}

it.each(Object.keys(PUBLISHED))(
  'document builder reproduces the published %s except for billing reference and e-mail address',
  (name) => {
    const published = JSON.stringify(read(`simulator/testing/documents/${name}.json`));
    expect(createHash('sha256').update(published).digest('hex')).toBe(PUBLISHED[name]);
    const { text, taken } = withoutOwnReference(builtFrom(SENT[name]));
    expect(text).toBe(withoutMissingEmail(published));
    const [{ referenceId }] = SENT[name].documents as { referenceId: string }[];
    expect(taken).toEqual([{ AdditionalDocumentReference: [{ ID: [{ _: referenceId }] }] }]);
  },
);
