export type JsonDocument = Readonly<Record<string, unknown>>;

const MALAYSIA_AHEAD_MS = 8 * 3_600_000;
const DAY_MS = 86_400_000;

/** Returns today's date in Malaysia, which document dates refer to. */
export function today(daysLater = 0): string {
  return new Date(Date.now() + MALAYSIA_AHEAD_MS + daysLater * DAY_MS).toISOString().slice(0, 10);
}

/** A fictitious buyer. The authority's sandbox rejects it, so documents that must become valid are consolidated. */
export const recipient = {
  name: 'Pembeli Contoh Sdn Bhd',
  entity_type: 'company',
  tin: 'C9876543210',
  brn: '202001234567',
  addressLine1: '12 Jalan Contoh',
  city: 'Shah Alam',
  postcode: '40000',
  state: 'selangor',
};

export const line = { description: 'Consulting', quantity: 2, unitPrice: 100, discount: 10, taxAmount: 15.2 };

export function invoice(referenceId: string, members: object = {}): JsonDocument {
  return { documentType: 'invoice', referenceId, document_date: today(), recipient, lineItems: [line], ...members };
}

/** Builds a consolidated invoice, which has no buyer. */
export function consolidatedInvoice(referenceId: string, members: object = {}): JsonDocument {
  const lineItems = [{ description: 'Receipts 1 to 20', quantity: 1, unitPrice: 100, taxAmount: 6 }];
  return { documentType: 'invoice', referenceId, document_date: today(), lineItems, ...members };
}

export function creditNote(referenceId: string, parent: object, members: object = {}): JsonDocument {
  return invoice(referenceId, { documentType: 'credit_note', relatedInvoice: parent, ...members });
}

export function consolidatedNote(referenceId: string, parent: object): JsonDocument {
  const note = { documentType: 'credit_note', relatedInvoice: parent };
  const lineItems = [{ description: 'Receipt 7, returned', quantity: 1, unitPrice: 5 }];
  return consolidatedInvoice(referenceId, { ...note, lineItems });
}

export function asEnvelope(documents: unknown, submissionType = 'non-consolidated'): JsonDocument {
  return { submission_type: submissionType, documents };
}
