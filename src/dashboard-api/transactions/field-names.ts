/** The members of a submit body as an accountant calls them; those not listed are shown by their own names. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  referenceId: 'Document number',
  documentType: 'Document type',
  document_date: 'Document date',
  documentDate: 'Document date',
  recipient: 'Buyer',
  name: 'name',
  tin: 'TIN',
  brn: 'business registration number (BRN)',
  nric: 'NRIC',
  passport: 'passport number',
  army: 'army number',
  addressLine1: 'address line 1',
  addressLine2: 'address line 2',
  addressLine3: 'address line 3',
  city: 'city',
  postcode: 'postcode',
  state: 'state',
  country: 'country',
  phone: 'telephone',
  email: 'e-mail address',
  sstNumber: 'SST number',
  entity_type: 'company or individual',
  lineItems: 'Lines',
  description: 'description',
  quantity: 'quantity',
  unitPrice: 'unit price',
  discount: 'discount',
  lineTotal: 'line total',
  taxAmount: 'tax amount',
  taxPerUnit: 'tax per unit',
  taxUnitCount: 'taxed units',
  taxType: 'tax type',
  taxExemptionReason: 'reason of the exemption',
  classification: 'classification',
  unitCode: 'unit',
  totalDiscountAmount: 'Discount on the document',
  totalRoundingAmount: 'Rounding',
  relatedInvoice: 'Parent invoice',
  authorityUuid: 'UUID at the authority',
};

/**
 * Where an error is, in words: `/documents/1/lineItems/2/taxAmount` is `Line 3, tax amount`.
 * @param pointer a JSON Pointer into the submitted body; null for what the body does not hold
 */
export function describeField(pointer: string | null): string | null {
  if (pointer === null) return null;
  const [, , ...members] = pointer.split('/').slice(1);
  if (members.length === 0) return 'The whole document';
  const words: string[] = [];
  for (const member of members) {
    if (/^\d+$/.test(member)) words[words.length - 1] = `Line ${Number(member) + 1}`;
    else words.push(FIELD_NAMES[member] ?? member);
  }
  return words.join(', ');
}
