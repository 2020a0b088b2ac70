import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '../../../accounts/roles.js';
import { ChosenField, InstantField } from '../../../common/response-fields.js';
import { ChoiceField } from '../../../http/validation/fields.js';
import { PageOf } from '../../cursor.js';
import { NewEmailField, NewPasswordField, PersonNameField, SecretField } from '../../session/dto/session.dto.js';

export class ChangeRoleDto {
  @ChoiceField({ description: 'New role.', choices: ROLES })
  role: Role;
}

export class MemberDto {
  @ApiProperty({ type: String, format: 'uuid' })
  userId: string;

  @ApiProperty({ type: String })
  name: string;

  @ApiProperty({ type: String })
  email: string;

  @ChosenField(ROLES, { description: 'Role of the member.' })
  role: Role;

  @InstantField('Start of the membership.')
  joinedAt: Date;
}

export class MemberPageDto extends PageOf(MemberDto, 'Oldest accounts first.') {}

export class InviteDto {
  @NewEmailField()
  email: string;

  @ChoiceField({ description: 'Role of the new member.', choices: ROLES })
  role: Role;
}

export class InvitationDto {
  @ApiProperty({ type: String, format: 'uuid' })
  invitationId: string;

  @ApiProperty({ type: String, description: 'E-mail address of the invitee. The link works only for this address.' })
  email: string;

  @ChosenField(ROLES, { description: 'Role of the new member.' })
  role: Role;

  @ApiProperty({ type: String, description: 'E-mail address of the inviting owner.' })
  invitedBy: string;

  @InstantField('Creation of the invitation.')
  createdAt: Date;

  @InstantField('Expiry of the link.')
  expiresAt: Date;
}

export class InvitationPageDto extends PageOf(InvitationDto, 'Open invitations, newest first.') {}

export class MadeInvitationDto extends InvitationDto {
  @ApiProperty({
    type: String,
    description: 'Secret of the link `/dashboard/invitation#SECRET`. Only this response contains it.',
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
  @ApiProperty({ type: String, description: 'Name of the organisation.' })
  organisation: string;

  @ApiProperty({ type: String, description: 'E-mail address of the invitee.' })
  email: string;

  @ChosenField(ROLES, { description: 'Role of the new member.' })
  role: Role;
}

export class AcceptedInvitationDto {
  @ApiProperty({ type: String, format: 'uuid', description: 'Id of the organisation.' })
  tenantId: string;
}
