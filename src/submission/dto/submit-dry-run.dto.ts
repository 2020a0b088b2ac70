import { ApiProperty } from '@nestjs/swagger';
import { DocumentTypeField, ReferenceIdField } from '../../common/response-fields.js';
import { TotalsDto } from '../../common/totals.dto.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';
import type { DocumentType } from '../../documents/simplified-document.js';
import { DOCUMENTS_MAX } from './submit.dto.js';
import { WarnedDto } from './warned.dto.js';

class DryRunDocumentDto {
  @DocumentTypeField(DOCUMENT_TYPES)
  documentType: DocumentType;

  @ReferenceIdField()
  referenceId: string;

  @ApiProperty({ type: TotalsDto, description: 'The totals that the authority would receive.' })
  totals: TotalsDto;
}

export class SubmitDryRunDto extends WarnedDto {
  @ApiProperty({
    enum: [true],
    example: true,
    description: 'Always true. The dry run stored, charged and queued nothing.',
  })
  dryRun: true;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: DOCUMENTS_MAX,
    example: 1,
    description: 'Credits that a submit request would cost.',
  })
  requiredCredits: number;

  @ApiProperty({
    type: [DryRunDocumentDto],
    minItems: 1,
    maxItems: DOCUMENTS_MAX,
    description: 'The checked documents, in the order of submission.',
  })
  documents: DryRunDocumentDto[];
}
