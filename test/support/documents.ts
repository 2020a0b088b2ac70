import { toMalaysianDate } from '../../src/common/malaysian-days.js';
import { randomBytes } from 'node:crypto';

/** Today in Malaysia, as documents are dated. */
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

/** A valid invoice; members given replace its own. */
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

/** A valid credit note for an invoice. */
export function creditNote(
  parent: { referenceId: string; authorityUuid?: string },
  overrides: Record<string, unknown> = {},
): Record<string, unknown> {
  return invoice({ documentType: 'credit_note', referenceId: reference('CN'), relatedInvoice: parent, ...overrides });
}
