export interface SubmitBody {
  readonly submission_type: 'consolidated' | 'non-consolidated';
  readonly documents: readonly object[];
}

const LAPTOP_RINGGIT = 3_499.9;

const STUDIO = {
  name: 'Studio Lestari Sdn Bhd',
  addressLine1: '12 Jalan Teknologi 3/1',
  postcode: '47810',
  city: 'Petaling Jaya',
  state: 'selangor',
  tin: 'C9876543210',
  brn: '202001234567',
  entity_type: 'company',
};

const CLINIC = {
  name: 'Klinik Sentosa',
  addressLine1: '8 Lebuh Pantai',
  addressLine2: 'Tingkat 2',
  postcode: '10300',
  city: 'George Town',
  state: 'pulau_pinang',
  tin: 'C1357924680',
  brn: '201501098765',
  entity_type: 'company',
};

const FREELANCER = {
  name: 'Aminah binti Osman',
  addressLine1: '3 Taman Seri Gaya',
  postcode: '88300',
  city: 'Kota Kinabalu',
  state: 'sabah',
  tin: 'IG12345678901',
  nric: '850312125678',
  entity_type: 'individual',
};

/** Builds a month of a shop, with invoices to named customers, a consolidated invoice and a later credit note. */
export function sampleMonth(run: string, today: string) {
  const invoice = (referenceId: string, recipient: object, lineItems: readonly object[]): object => ({
    documentType: 'invoice',
    referenceId,
    document_date: today,
    recipient,
    lineItems,
  });
  const returned = `INV-${run}-1`;
  const invoices: SubmitBody = {
    submission_type: 'non-consolidated',
    documents: [
      invoice(returned, STUDIO, [
        { description: 'Laptop 14"', quantity: 3, unitPrice: LAPTOP_RINGGIT, discount: 150 },
        { description: 'Installation on site', quantity: 1, unitPrice: 450, taxAmount: 36 },
      ]),
      invoice(`INV-${run}-2`, CLINIC, [
        { description: 'Maintenance, monthly', quantity: 1, unitPrice: 1_200, taxAmount: 96 },
      ]),
      invoice(`INV-${run}-3`, FREELANCER, [{ description: 'Mechanical keyboard', quantity: 2, unitPrice: 329.5 }]),
      invoice(`INV-${run}-4`, CLINIC, [{ description: 'Printer paper A4, box', quantity: 12.5, unitPrice: 21.4 }]),
      // The simulator rejects this reserved number like a document with an invalid code.
      invoice(`SIM-INVALID-CV302-${run}`, STUDIO, [{ description: 'Monitor 27"', quantity: 2, unitPrice: 899 }]),
    ],
  };
  const consolidated: SubmitBody = {
    submission_type: 'consolidated',
    documents: [
      {
        documentType: 'invoice',
        referenceId: `POS-${run}`,
        document_date: today,
        lineItems: [
          { description: 'Receipts 10001 to 10180', quantity: 1, unitPrice: 8_450.75, taxAmount: 676.06 },
          { description: 'Receipts 10181 to 10240', quantity: 1, unitPrice: 2_310.2 },
        ],
        totalRoundingAmount: -0.01,
      },
    ],
  };
  const creditNote: SubmitBody = {
    submission_type: 'non-consolidated',
    documents: [
      {
        documentType: 'credit_note',
        referenceId: `CN-${run}-1`,
        document_date: today,
        recipient: STUDIO,
        lineItems: [{ description: 'Laptop 14", returned', quantity: 1, unitPrice: LAPTOP_RINGGIT, discount: 50 }],
        relatedInvoice: { referenceId: returned },
      },
    ],
  };
  return { invoices, consolidated, creditNote };
}
