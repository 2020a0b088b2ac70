import { EXAMPLE_IDS, EXAMPLE_INSTANT } from '../common/response-fields.js';
import { INSUFFICIENT_CREDITS_EXAMPLE } from '../credits/insufficient-credits-error.js';
import { type ApiError, ValidationError } from '../errors/api-error.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { IDEMPOTENCY_ERROR_EXAMPLES } from '../idempotency/idempotency-errors.js';
import { SUPPLIER_ERROR_EXAMPLES } from '../tenants/supplier-errors.js';
import { CancellationConflictError } from './cancellation-conflict-error.js';

const documentId = {
  pointer: '/documentId',
  rule: 'document_id_required',
  message: 'is required',
  hint: 'or document_id',
};

export const CANCEL_ERROR_EXAMPLES: readonly ApiError[] = [
  new ValidationError([documentId]),
  ...IDEMPOTENCY_ERROR_EXAMPLES,
  ...SUPPLIER_ERROR_EXAMPLES,
  INSUFFICIENT_CREDITS_EXAMPLE,
  buildConflict('document_not_valid', { submissionStatus: 'Submitted', authorityStatus: 'Invalid' }),
  buildConflict('cancellation_in_progress', { transactionId: EXAMPLE_IDS.cancellationId }),
  buildConflict('cancellation_window_closed', { cancellableUntil: EXAMPLE_INSTANT }),
  buildConflict('active_referencing_documents', { referencingDocuments: ['CN-2026-0001'] }),
];

function buildConflict(
  code: CancellationConflictError['code'],
  facts: Record<string, unknown>,
): CancellationConflictError {
  return new CancellationConflictError(code, ERROR_CODES[code].meaning, facts);
}
