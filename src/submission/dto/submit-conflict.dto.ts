import { ApiProperty } from '@nestjs/swagger';
import {
  AuthorityStatusField,
  DocumentIdField,
  DocumentTypeField,
  EXAMPLE_IDS,
  ReferenceIdField,
  SubmissionBatchIdField,
  SubmissionStatusField,
  EXAMPLE_REFERENCE_ID,
} from '../../common/response-fields.js';
import { ProblemDto } from '../../errors/dto/error.dto.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { AUTHORITY_STATUSES, SUBMISSION_STATUSES } from '../../documents/statuses.js';
import { DOCUMENTS_MAX } from './submit.dto.js';
import { INSUFFICIENT_CREDITS_EXAMPLE } from '../../credits/insufficient-credits-error.js';
import { type ApiError, ValidationError } from '../../errors/api-error.js';
import { IDEMPOTENCY_ERROR_EXAMPLES } from '../../idempotency/idempotency-errors.js';
import { SUPPLIER_ERROR_EXAMPLES } from '../../tenants/supplier-errors.js';
import { DuplicateDocumentError } from '../duplicate-document-error.js';

export class DuplicateDto extends ProblemDto {
  @ApiProperty({ example: '/documents/0/referenceId' })
  override pointer: string;

  @ApiProperty({ example: 'duplicate_document' })
  override rule: string;

  @ApiProperty({ example: 'is the number of an existing invoice, which is Valid' })
  override message: string;

  @ApiProperty({
    example: `if it is the same invoice, follow it in batch ${EXAMPLE_IDS.submissionBatchId} and take it out of the request; otherwise give it another number`,
  })
  override hint: string;

  @DocumentTypeField(DOCUMENT_TYPES)
  documentType: string;

  @SubmissionStatusField(SUBMISSION_STATUSES)
  submissionStatus: string;

  @AuthorityStatusField(AUTHORITY_STATUSES)
  authorityStatus: string | null;

  @DocumentIdField()
  documentId: string;

  @SubmissionBatchIdField()
  submissionBatchId: string;
}

const OF = 'First existing document of the request:';

/** Additional members of the error `duplicate_document`. */
export class DuplicateDocumentDto {
  @DocumentTypeField(DOCUMENT_TYPES, { description: `${OF} type.` })
  documentType: string;

  @ReferenceIdField({ description: `${OF} your number.` })
  referenceId: string;

  @SubmissionStatusField(SUBMISSION_STATUSES, { description: `${OF} platform status.` })
  submissionStatus: string;

  @AuthorityStatusField(AUTHORITY_STATUSES, {
    description: `${OF} status at the authority, or null until the authority has accepted it.`,
  })
  authorityStatus: string | null;

  @DocumentIdField({ description: `${OF} documentId.` })
  documentId: string;

  @SubmissionBatchIdField({
    description: `${OF} batch with its status. Use it if you lost the response to a submit request.`,
  })
  submissionBatchId: string;

  @ApiProperty({
    type: [DuplicateDto],
    minItems: 1,
    maxItems: DOCUMENTS_MAX,
    description: 'All existing documents of the request, in request order.',
  })
  details: DuplicateDto[];
}

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
