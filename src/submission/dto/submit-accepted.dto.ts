import { ApiProperty } from '@nestjs/swagger';
import { DOCUMENT_TYPES, type DocumentType } from '../../documents/simplified-document.js';
import { WarnedDto } from './warning.dto.js';

export class QueuedDocumentDto {
  @ApiProperty({ format: 'uuid', description: 'Stable for this documentType and referenceId, also when resubmitted.' })
  documentId: string;

  @ApiProperty({ enum: DOCUMENT_TYPES })
  documentType: DocumentType;

  @ApiProperty({ example: 'INV-2026-0001', description: "The caller's business document number." })
  referenceId: string;
}

export class SubmitAcceptedDto extends WarnedDto {
  @ApiProperty({ format: 'uuid', description: 'Names the batch in the submission status.' })
  submissionBatchId: string;

  @ApiProperty({ type: [QueuedDocumentDto], description: 'In the order of submission.' })
  documents: QueuedDocumentDto[];
}
