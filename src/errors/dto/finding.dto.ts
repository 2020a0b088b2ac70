import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE_REFERENCE_ID } from '../../common/response-fields.js';

/** Common members of broken rules and warnings (docs/rules.md#body-rules). */
export abstract class FindingDto {
  @ApiProperty({
    example: '/documents/0/recipient/postcode',
    description:
      'JSON Pointer (RFC 6901) into the request body; of a query parameter its name, such as `/idType`. Empty for the ' +
      'request as a whole.',
  })
  pointer: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 0,
    example: 0,
    description: 'Position of the document in `documents`, from 0; null if the finding is not about a document.',
  })
  documentIndex: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: EXAMPLE_REFERENCE_ID,
    description:
      'The number of that document, as it was sent; null if it has none, or if the finding is not about a document.',
  })
  referenceId: string | null;

  @ApiProperty({
    example: 'recipient_postcode_format',
    description: 'Stable identifier of the rule, for programs. New ones may be added.',
  })
  rule: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'use 50480, not 5048',
    description: 'How to fix it, with the value to send if it is known; null if there is no hint.',
  })
  hint: string | null;
}
