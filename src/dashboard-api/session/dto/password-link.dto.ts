import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../../validation/fields.js';
import { NewPasswordField } from './session.dto.js';

const SECRET_CHARACTERS_MAX = 100;

function SecretField(): PropertyDecorator {
  return TextField({ description: "The secret at the link's end.", maxLength: SECRET_CHARACTERS_MAX });
}

export class OpenPasswordLinkDto {
  @SecretField()
  secret: string;
}

export class UsePasswordLinkDto {
  @SecretField()
  secret: string;

  @NewPasswordField()
  password: string;
}

export class OpenedPasswordLinkDto {
  @ApiProperty({ type: String, description: 'Whose password the link sets.' })
  email: string;
}
