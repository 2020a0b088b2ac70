import { ApiProperty } from '@nestjs/swagger';
import {
  DocumentIdField,
  DocumentTypeField,
  ReferenceIdField,
  SubmissionBatchIdField,
} from '../../common/response-fields.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import { DOCUMENTS_MAX } from './submit.dto.js';
import { WarnedDto } from './warned.dto.js';

export class QueuedDocumentDto {
  @DocumentIdField()
  documentId: string;

  @DocumentTypeField(DOCUMENT_TYPES)
  documentType: DocumentType;

  @ReferenceIdField()
  referenceId: string;
}

export class SubmitAcceptedDto extends WarnedDto {
  @SubmissionBatchIdField()
  submissionBatchId: string;

  @ApiProperty({
    type: [QueuedDocumentDto],
    minItems: 1,
    maxItems: DOCUMENTS_MAX,
    description: 'The queued documents, in the order of submission.',
  })
  documents: QueuedDocumentDto[];
}
