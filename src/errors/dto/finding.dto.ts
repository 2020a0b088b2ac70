import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE_REFERENCE_ID } from '../../common/response-fields.js';

/** Common members of broken rules and warnings (docs/rules.md#body-rules). */
export abstract class FindingDto {
  @ApiProperty({
    example: '/documents/0/recipient/postcode',
    description:
      'JSON Pointer (RFC 6901) into the request body, or the name of a query parameter, such as `/idType`. Empty for the ' +
      'whole request.',
  })
  pointer: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 0,
    example: 0,
    description: 'Position of the document in `documents`, starting at 0. Null if the problem is not about a document.',
  })
  documentIndex: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: EXAMPLE_REFERENCE_ID,
    description:
      'Number of that document as it was sent. Null if it has no number, or if the problem is not about a document.',
  })
  referenceId: string | null;

  @ApiProperty({
    example: 'recipient_postcode_format',
    description: 'Stable rule identifier for programs. New rules may be added.',
  })
  rule: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'use 50480, not 5048',
    description: 'How to fix the problem, with the value to send if it is known. Null if there is no hint.',
  })
  hint: string | null;
}
