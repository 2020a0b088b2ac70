import { ApiProperty } from '@nestjs/swagger';
import { AUDIT_ACTIONS, type AuditAction } from '../../../accounts/actions.js';
import { InstantField } from '../../../common/response-fields.js';
import { PageOf } from '../../cursor.js';

export class AuditEntryDto {
  @ApiProperty({ type: String, format: 'uuid' })
  entryId: string;

  @InstantField('When it was done.')
  at: Date;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: "Null for an operator's command, and before a sign-in.",
  })
  userId: string | null;

  @ApiProperty({ type: String, description: 'Who did it: the e-mail address, as it was then.' })
  actor: string;

  @ApiProperty({ enum: AUDIT_ACTIONS, example: 'key.created', description: 'What was done.' })
  action: AuditAction;

  @ApiProperty({ type: String, description: 'What it was done to.' })
  subject: string;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'What else is known; never a secret.' })
  details: Record<string, unknown>;

  @ApiProperty({ type: String, nullable: true, description: 'The network address that it was done from.' })
  ip: string | null;
}

export class AuditPageDto extends PageOf(AuditEntryDto, 'The newest first.') {}
