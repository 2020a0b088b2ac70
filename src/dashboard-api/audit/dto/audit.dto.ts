import { ApiProperty } from '@nestjs/swagger';
import { AUDIT_ACTIONS, type AuditAction } from '../../../accounts/actions.js';
import { InstantField } from '../../../common/response-fields.js';
import { PageOf } from '../../cursor.js';

export class AuditEntryDto {
  @ApiProperty({ type: String, format: 'uuid' })
  entryId: string;

  @InstantField('Time of the action.')
  at: Date;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Null for operator commands and failed sign-ins.',
  })
  userId: string | null;

  @ApiProperty({ type: String, description: 'E-mail address of the actor at the time.' })
  actor: string;

  @ApiProperty({ enum: AUDIT_ACTIONS, example: 'key.created', description: 'Action.' })
  action: AuditAction;

  @ApiProperty({ type: String, description: 'Subject of the action.' })
  subject: string;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Further details, without secrets.' })
  details: Record<string, unknown>;

  @ApiProperty({ type: String, nullable: true, description: 'IP address of the actor.' })
  ip: string | null;
}

export class AuditPageDto extends PageOf(AuditEntryDto, 'Newest first.') {}
