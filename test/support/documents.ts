import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import { randomBytes } from 'node:crypto';

/** Returns the current date in Malaysia, the default date of documents. */
export function today(): string {
  return toMalaysianDate(new Date());
}

export function reference(prefix = 'INV'): string {
  return `${prefix}-${randomBytes(5).toString('hex')}`;
}

export const recipient = {
  name: 'Pembeli Contoh Sdn Bhd',
  addressLine1: '12 Jalan Contoh',
  postcode: '40000',
  city: 'Shah Alam',
  state: 'selangor',
  tin: 'C9876543210',
  brn: '202001234567',
  entity_type: 'company',
};

export const line = {
  description: 'Consulting',
  quantity: 2,
  unitPrice: 100,
  discount: 10,
  lineTotal: 190,
  taxAmount: 15.2,
};

/** Builds a valid invoice. `overrides` replaces members. */
export function invoice(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    documentType: 'invoice',
    referenceId: reference(),
    document_date: today(),
    recipient,
    lineItems: [line],
    ...overrides,
  };
}

export function creditNote(
  parent: { referenceId: string; authorityUuid?: string },
  overrides: Record<string, unknown> = {},
): Record<string, unknown> {
  return invoice({ documentType: 'credit_note', referenceId: reference('CN'), relatedInvoice: parent, ...overrides });
}
