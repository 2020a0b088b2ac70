import { EXAMPLE_IDS, EXAMPLE_REFERENCE_ID } from '../common/response-fields.js';
import { INSUFFICIENT_CREDITS_EXAMPLE } from '../credits/insufficient-credits-error.js';
import { type ApiError, ValidationError } from '../errors/api-error.js';
import { IDEMPOTENCY_ERROR_EXAMPLES } from '../idempotency/idempotency-errors.js';
import { SUPPLIER_ERROR_EXAMPLES } from '../tenants/supplier-errors.js';
import { DuplicateDocumentError } from './duplicate-document-error.js';

const postcode = {
  pointer: '/documents/0/recipient/postcode',
  rule: 'recipient_postcode_format',
  message: 'must be 5 digits',
  hint: 'use 50480, not 5048',
};

export const SUBMIT_ERROR_EXAMPLES: readonly ApiError[] = [
  new ValidationError([postcode], () => EXAMPLE_REFERENCE_ID),
  ...IDEMPOTENCY_ERROR_EXAMPLES,
  ...SUPPLIER_ERROR_EXAMPLES,
  INSUFFICIENT_CREDITS_EXAMPLE,
  new DuplicateDocumentError([
    {
      documentIndex: 0,
      existing: {
        documentType: 'invoice',
        referenceId: EXAMPLE_REFERENCE_ID,
        submissionStatus: 'Submitted',
        authorityStatus: 'Valid',
        documentId: EXAMPLE_IDS.documentId,
        submissionBatchId: EXAMPLE_IDS.submissionBatchId,
      },
    },
  ]),
];
