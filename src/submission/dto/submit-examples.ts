import { DOCUMENT_EXAMPLES } from '../../documents/dto/document-examples.js';

const { invoice, individual, creditNote, receipts } = DOCUMENT_EXAMPLES;

/** Examples for Swagger UI. */
export const SUBMIT_EXAMPLES = {
  invoice: {
    summary: 'An invoice to a company',
    value: { submission_type: 'non-consolidated', documents: [invoice] },
  },
  individual: {
    summary: 'An invoice to an individual',
    value: { submission_type: 'non-consolidated', documents: [individual] },
  },
  creditNote: {
    summary: 'A credit note for an invoice that was issued elsewhere',
    value: { submission_type: 'non-consolidated', documents: [creditNote] },
  },
  consolidated: {
    summary: 'The consolidated receipts of a month',
    value: { submission_type: 'consolidated', documents: [receipts] },
  },
};
