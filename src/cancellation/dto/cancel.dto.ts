import { ApiProperty } from '@nestjs/swagger';
import { DocumentIdField, EXAMPLE_IDS, TransactionIdField } from '../../common/response-fields.js';
import { WarningDto } from '../../http/validation/warning.dto.js';
import { TextField } from '../../http/validation/fields.js';
import { WARNINGS_LISTED_MAX } from '../../http/validation/warning-list.js';

/** Limit of the authority (docs/rules.md#authority-document). */
export const CANCELLATION_REASON_CHARACTERS_MAX = 300;

const UUID_CHARACTERS = 36;
const UUID = {
  pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  message: 'must be a UUID',
  hint: 'use the documentId from the response of submit',
};

export class CancelDto {
  @TextField({
    description: 'Id of the document, from the response of the submit request.',
    example: EXAMPLE_IDS.documentId,
    maxLength: UUID_CHARACTERS,
    format: UUID,
    alias: 'document_id',
  })
  documentId: string;

  @TextField({
    description: 'Id of the document.',
    example: EXAMPLE_IDS.documentId,
    maxLength: UUID_CHARACTERS,
    format: UUID,
    aliasOf: 'documentId',
  })
  document_id: string;

  @TextField({
    description: 'Reason shown to the authority and the buyer. Default: `Cancelled by the issuer`.',
    example: 'Wrong buyer details',
    required: false,
    maxLength: CANCELLATION_REASON_CHARACTERS_MAX,
    alias: 'cancellation_reason',
  })
  cancellationReason: string;

  @TextField({
    description: 'Reason shown to the authority and the buyer.',
    example: 'Wrong buyer details',
    maxLength: CANCELLATION_REASON_CHARACTERS_MAX,
    aliasOf: 'cancellationReason',
  })
  cancellation_reason: string;
}

export const CANCEL_EXAMPLES = {
  cancel: {
    summary: 'Cancel a valid document',
    value: { documentId: EXAMPLE_IDS.documentId, cancellationReason: 'Wrong buyer details' },
  },
};

export class CancelAcceptedDto {
  @DocumentIdField()
  documentId: string;

  @TransactionIdField({
    example: EXAMPLE_IDS.cancellationId,
    description: 'Id of this cancellation in the status of the document.',
  })
  transactionId: string;

  @ApiProperty({
    type: [WarningDto],
    maxItems: WARNINGS_LISTED_MAX,
    example: [],
    description: 'Unknown fields of the body, which were ignored. Empty if there are none.',
  })
  warnings: readonly WarningDto[];
}
