import { ApiProperty } from '@nestjs/swagger';
import {
  AuthorityStatusField,
  DocumentIdField,
  DocumentTypeField,
  EXAMPLE_IDS,
  ReferenceIdField,
  SubmissionBatchIdField,
  SubmissionStatusField,
} from '../../common/response-fields.js';
import { ErrorDto, ProblemDto } from '../../errors/dto/error.dto.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { AUTHORITY_STATUSES, SUBMISSION_STATUSES } from '../../documents/statuses.js';
import { DOCUMENTS_MAX } from './submit.dto.js';

/** A document of the request that exists already. */
export class DuplicateDto extends ProblemDto {
  @ApiProperty({ example: '/documents/0/referenceId' })
  override pointer: string;

  @ApiProperty({ example: 'duplicate_document' })
  override rule: string;

  @ApiProperty({ example: 'is the number of an existing invoice, which is Valid' })
  override message: string;

  @ApiProperty({
    example: `follow the existing one in batch ${EXAMPLE_IDS.submissionBatchId}, and take this one out of the request`,
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

const DUPLICATE = 'With `duplicate_document`, of the existing document (the first one of the request that has one):';

/** Body of a 409 of submit (interface, errors). */
export class SubmitConflictDto extends ErrorDto {
  @DocumentTypeField(DOCUMENT_TYPES, { required: false, description: `${DUPLICATE} its type.` })
  documentType?: string;

  @ReferenceIdField({ required: false, description: `${DUPLICATE} your number.` })
  referenceId?: string;

  @SubmissionStatusField(SUBMISSION_STATUSES, { required: false, description: `${DUPLICATE} its platform status.` })
  submissionStatus?: string;

  @AuthorityStatusField(AUTHORITY_STATUSES, {
    required: false,
    description: `${DUPLICATE} its status at the authority; null until the authority has accepted it.`,
  })
  authorityStatus?: string | null;

  @DocumentIdField({ required: false, description: `${DUPLICATE} its documentId.` })
  documentId?: string;

  @SubmissionBatchIdField({
    required: false,
    description: `${DUPLICATE} the batch in which to follow it. Use it if you lost the response of a submit.`,
  })
  submissionBatchId?: string;

  @ApiProperty({
    required: false,
    type: [DuplicateDto],
    maxItems: DOCUMENTS_MAX,
    description:
      'With `duplicate_document`: every document of the request that already exists, in the order of the request.',
  })
  details?: DuplicateDto[];
}
