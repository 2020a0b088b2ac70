import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../common/validation/fields.js';

/** D7: the authority takes at most 300 characters. */
export const CANCELLATION_REASON_CHARACTERS_MAX = 300;

const UUID_CHARACTERS = 36;
const UUID = {
  pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  message: 'must be a UUID',
  hint: 'use the documentId that submit answered',
};
const EXAMPLE_ID = '019a8b5e-7c1f-7000-8000-000000000001';

export class CancelDto {
  @TextField({
    description: 'The document, from the answer of submit.',
    example: EXAMPLE_ID,
    maxLength: UUID_CHARACTERS,
    format: UUID,
    alias: 'document_id',
  })
  documentId: string;

  @TextField({
    description: 'The document.',
    example: EXAMPLE_ID,
    maxLength: UUID_CHARACTERS,
    format: UUID,
    aliasOf: 'documentId',
  })
  document_id: string;

  @TextField({
    description: 'Told to the authority and to the buyer; by default `Cancelled by the issuer`.',
    example: 'Wrong buyer details',
    required: false,
    maxLength: CANCELLATION_REASON_CHARACTERS_MAX,
  })
  cancellationReason: string;

  @TextField({
    description: 'Told to the authority and to the buyer.',
    example: 'Wrong buyer details',
    maxLength: CANCELLATION_REASON_CHARACTERS_MAX,
    aliasOf: 'cancellationReason',
  })
  cancellation_reason: string;
}

export class CancelAcceptedDto {
  @ApiProperty({ format: 'uuid', example: EXAMPLE_ID, description: 'The document.' })
  documentId: string;

  @ApiProperty({
    format: 'uuid',
    example: '019a8b60-11aa-7000-8000-000000000002',
    description: 'Names this cancellation in the status of its document.',
  })
  transactionId: string;
}
