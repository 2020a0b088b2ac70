import {
  AuthorityStatusField,
  DocumentIdField,
  DocumentTypeField,
  ReferenceIdField,
  SubmissionBatchIdField,
  SubmissionStatusField,
} from '../../common/answer-fields.js';
import { ErrorDto } from '../../common/dto/error.dto.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import { AUTHORITY_STATUSES, SUBMISSION_STATUSES } from '../../documents/statuses.js';

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
    description: `${DUPLICATE} its status at the authority; null until the authority took it.`,
  })
  authorityStatus?: string | null;

  @DocumentIdField({ required: false, description: `${DUPLICATE} its documentId.` })
  documentId?: string;

  @SubmissionBatchIdField({
    required: false,
    description: `${DUPLICATE} the batch in which it can be followed. Who lost the answer of a submit finds it here.`,
  })
  submissionBatchId?: string;
}
