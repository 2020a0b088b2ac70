// Documents that the service accepts unchanged. A test sends each of them.

const company = {
  name: 'Pembeli Contoh Sdn Bhd',
  tin: 'C9876543210',
  entity_type: 'company',
  brn: '202001234567',
  addressLine1: '12 Jalan Contoh',
  addressLine2: 'Seksyen 7',
  city: 'Shah Alam',
  postcode: '40000',
  state: 'selangor',
  phone: '+60398765432',
  email: 'ap@pembeli.example',
};

const individual = {
  name: 'Siti binti Contoh',
  tin: 'IG12345678901',
  entity_type: 'individual',
  nric: '880101-14-5678',
  addressLine1: '3 Lorong Contoh',
  city: 'George Town',
  postcode: '10000',
  state: 'pulau_pinang',
};

const consulting = { description: 'Consulting', quantity: 2, unitPrice: 100, discount: 10, taxAmount: 15.2 };

const invoice = {
  documentType: 'invoice',
  referenceId: 'INV-2026-0001',
  document_date: '2026-01-31',
  recipient: company,
  lineItems: [consulting],
};

const parent = { referenceId: 'INV-2025-0877', authorityUuid: 'F9D425P6DS7D8IU0123456789A' };

const creditNote = {
  documentType: 'credit_note',
  referenceId: 'CN-2026-0001',
  document_date: '2026-01-31',
  recipient: company,
  lineItems: [{ description: 'Consulting, one day less', quantity: 1, unitPrice: 95, taxAmount: 7.6 }],
  relatedInvoice: parent,
};

const receipts = {
  documentType: 'invoice',
  referenceId: 'POS-2026-01',
  document_date: '2026-01-31',
  lineItems: [{ description: 'Receipts 10001 to 10180', quantity: 1, unitPrice: 8450.75 }],
};

export const EXAMPLE = { recipient: company, lineItem: consulting, relatedInvoice: parent, document: invoice };

export const DOCUMENT_EXAMPLES = {
  invoice,
  individual: { ...invoice, referenceId: 'INV-2026-0002', recipient: individual },
  creditNote,
  receipts,
};
