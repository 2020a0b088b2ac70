import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '../../../accounts/roles.js';
import { ChosenField, InstantField } from '../../../common/response-fields.js';
import { ChoiceField } from '../../../http/validation/fields.js';
import { PageOf } from '../../cursor.js';
import { NewEmailField, NewPasswordField, PersonNameField, SecretField } from '../../session/dto/session.dto.js';

export class ChangeRoleDto {
  @ChoiceField({ description: 'The role to be.', choices: ROLES })
  role: Role;
}

export class MemberDto {
  @ApiProperty({ type: String, format: 'uuid' })
  userId: string;

  @ApiProperty({ type: String })
  name: string;

  @ApiProperty({ type: String })
  email: string;

  @ChosenField(ROLES, { description: 'What the member may do.' })
  role: Role;

  @InstantField('When they became a member.')
  joinedAt: Date;
}

export class MemberPageDto extends PageOf(MemberDto, 'Those with the oldest accounts first.') {}

export class InviteDto {
  @NewEmailField()
  email: string;

  @ChoiceField({ description: 'What the new member may do.', choices: ROLES })
  role: Role;
}

export class InvitationDto {
  @ApiProperty({ type: String, format: 'uuid' })
  invitationId: string;

  @ApiProperty({ type: String, description: 'Whom it is for: the link serves nobody else.' })
  email: string;

  @ChosenField(ROLES, { description: 'What the new member may do.' })
  role: Role;

  @ApiProperty({ type: String, description: 'The e-mail address of the owner who made it.' })
  invitedBy: string;

  @InstantField('When it was made.')
  createdAt: Date;

  @InstantField('When the link ends.')
  expiresAt: Date;
}

export class InvitationPageDto extends PageOf(InvitationDto, 'The open ones, the newest first.') {}

export class MadeInvitationDto extends InvitationDto {
  @ApiProperty({
    type: String,
    description: "The link's secret, to be put behind `/dashboard/invitation#`. Only this response has it.",
  })
  secret: string;
}

export class OpenInvitationDto {
  @SecretField()
  secret: string;
}

export class SignUpByInvitationDto {
  @SecretField()
  secret: string;

  @PersonNameField()
  name: string;

  @NewPasswordField()
  password: string;
}

export class OpenedInvitationDto {
  @ApiProperty({ type: String, description: 'The name of the organisation.' })
  organisation: string;

  @ApiProperty({ type: String, description: 'Whom the link is for.' })
  email: string;

  @ChosenField(ROLES, { description: 'What the new member may do.' })
  role: Role;
}

export class AcceptedInvitationDto {
  @ApiProperty({ type: String, format: 'uuid', description: 'The organisation.' })
  tenantId: string;
}
