import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '../../../accounts/roles.js';
import { ChosenField, InstantField } from '../../../common/response-fields.js';
import { ChoiceField } from '../../../validation/fields.js';
import { NextField } from '../../cursor.js';

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

export class MemberPageDto {
  @ApiProperty({ type: MemberDto, isArray: true, description: 'Those with the oldest accounts first.' })
  items: MemberDto[];

  @NextField()
  next: string | null;
}
