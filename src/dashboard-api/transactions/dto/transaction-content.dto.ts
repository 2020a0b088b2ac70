import { ApiProperty } from '@nestjs/swagger';
import { DocumentTypeField, ReferenceIdField, TransactionIdField } from '../../../common/response-fields.js';
import { DOCUMENT_TYPES } from '../../../documents/document-types.js';
import type { DocumentType } from '../../../documents/simplified-document.js';
import { SubmitDto } from '../../../submission/dto/submit.dto.js';
import type { ShownStatus } from '../shown-status.js';
import { ShownStatusField } from './transaction-row.dto.js';

export class LinkedDocumentDto {
  @TransactionIdField({ description: 'Its last attempt.' })
  transactionId: string;

  @DocumentTypeField(DOCUMENT_TYPES)
  documentType: DocumentType;

  @ReferenceIdField()
  referenceId: string;

  @ShownStatusField()
  status: ShownStatus;
}

export class CreditedDto {
  @ApiProperty({ example: 108, description: 'What the buyer pays by the invoice.' })
  payableAmount: number;

  @ApiProperty({ example: 54, description: 'What its credit notes have not credited; below zero if they credit more.' })
  leftAmount: number;

  @ApiProperty({
    type: SubmitDto,
    nullable: true,
    description:
      'A submit body with the lines and amounts that are left; null when the credit notes credit something else than quantities of its lines.',
  })
  leftRequest: SubmitDto | null;
}

export class TransactionContentDto {
  @ApiProperty({
    type: SubmitDto,
    description: 'A submit body of this document alone, which is kept as this one is.',
  })
  request: SubmitDto;

  @ApiProperty({
    type: LinkedDocumentDto,
    nullable: true,
    description: 'The invoice that a credit note refers to; null when it is none of this organisation here.',
  })
  parent: LinkedDocumentDto | null;

  @ApiProperty({
    type: LinkedDocumentDto,
    isArray: true,
    description: 'The credit notes that refer to an invoice, the newest first; at most 100.',
  })
  creditNotes: LinkedDocumentDto[];

  @ApiProperty({
    type: CreditedDto,
    nullable: true,
    description: 'What is left of an invoice that was credited; null when no credit note counts, or too many do.',
  })
  credited: CreditedDto | null;
}
