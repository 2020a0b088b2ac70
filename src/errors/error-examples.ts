import { EXAMPLE_IDS, EXAMPLE_INSTANT, EXAMPLE_REFERENCE_ID } from '../common/answer-fields.js';
import { ERROR_CODES, type ErrorCode, type Operation } from './error-codes.js';
import { errorsOf } from './operation-errors.js';
import {
  type ApiError,
  CancellationConflictError,
  DuplicateDocumentError,
  HttpProtocolError,
  IdempotencyKeyInProgressError,
  IdempotencyKeyInvalidError,
  IdempotencyKeyReusedError,
  InsufficientCreditsError,
  SupplierNotVerifiedError,
  SupplierProfileIncompleteError,
  ValidationError,
} from './api-error.js';

// Made by the classes that answer them, so that an example has the members of the answer.

const REQUEST_ID = '019a8b5e-7c1f-7000-8000-000000000009';

const postcode = {
  pointer: '/documents/0/recipient/postcode',
  rule: 'recipient_postcode_format',
  message: 'must be 5 digits',
  hint: 'use 50480, not 5048',
};
const documentId = {
  pointer: '/documentId',
  rule: 'document_id_required',
  message: 'is required',
  hint: 'or document_id',
};
const idType = {
  pointer: '/idType',
  rule: 'id_incomplete',
  message: 'is required together with idValue',
  hint: 'send both idType and idValue, or neither to use the id of your latest document with that TIN',
};

const VALIDATION_ERRORS: Partial<Record<Operation, ValidationError>> = {
  submit: new ValidationError([postcode], () => EXAMPLE_REFERENCE_ID),
  cancel: new ValidationError([documentId]),
  taxpayer: new ValidationError([idType]),
};

const ERRORS: readonly ApiError[] = [
  new IdempotencyKeyInvalidError(),
  new IdempotencyKeyReusedError(),
  new IdempotencyKeyInProgressError(),
  new SupplierProfileIncompleteError(['TIN', 'MSIC']),
  new SupplierNotVerifiedError(
    'The organisation waits for the operator of this service to verify its TIN in the production environment. ' +
      'Wait for the decision, or ask the operator of this service for it.',
    { status: 'waiting', reason: null },
  ),
  new InsufficientCreditsError({ requiredCredits: 3, remainingCredits: 1, documentCount: 3 }),
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
  conflict('document_not_valid', { submissionStatus: 'Submitted', authorityStatus: 'Invalid' }),
  conflict('cancellation_in_progress', { transactionId: EXAMPLE_IDS.cancellationId }),
  conflict('cancellation_window_closed', { cancellableUntil: EXAMPLE_INSTANT }),
  conflict('active_referencing_documents', { referencingDocuments: ['CN-2026-0001'] }),
  new HttpProtocolError(500, 'internal_error', 'Internal error'),
];

function conflict(code: CancellationConflictError['code'], facts: Record<string, unknown>): CancellationConflictError {
  return new CancellationConflictError(code, ERROR_CODES[code].meaning, facts);
}

/** An example body of every error that an operation answers with a status, by its code. */
export function errorExamplesOf(operation: Operation, status: number): Record<string, { value: object }> {
  const errors = errorsOf(operation, status).map(({ code, meaning }) =>
    exampleOf(operation, code as ErrorCode, meaning),
  );
  return Object.fromEntries(
    errors.map((error) => {
      const { code, message } = error;
      return [code, { value: { message, code, requestId: REQUEST_ID, ...error.details() } }];
    }),
  );
}

// What has no class of its own has nothing beside its text either.
function exampleOf(operation: Operation, code: ErrorCode, meaning: string): ApiError {
  const known =
    code === 'validation_failed' ? VALIDATION_ERRORS[operation] : ERRORS.find((error) => error.code === code);
  return known ?? new HttpProtocolError(ERROR_CODES[code].status, code, meaning);
}
