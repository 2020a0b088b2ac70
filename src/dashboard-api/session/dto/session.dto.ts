import { ApiProperty } from '@nestjs/swagger';
import { EMAIL_CHARACTERS_MAX, EMAIL_FORM } from '../../../accounts/email.js';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../../../accounts/password.js';
import { ROLES, type Role } from '../../../accounts/roles.js';
import { ChosenField, InstantField } from '../../../common/response-fields.js';
import { TextField } from '../../../http/validation/fields.js';
import { type Environment, ENVIRONMENTS } from '../../../config/environment.js';

const NAME_CHARACTERS_MAX = 300;
const LONG_ENOUGH = {
  pattern: new RegExp(`^[^]{${PASSWORD_CHARACTERS_MIN},}$`),
  message: `must have at least ${PASSWORD_CHARACTERS_MIN} characters`,
  hint: 'a sentence of four or five words is good and easy to remember',
};

const EMAIL = {
  description: 'E-mail address, in any case.',
  example: 'aisyah@kedai.example',
  maxLength: EMAIL_CHARACTERS_MAX,
  format: EMAIL_FORM,
};

function EmailField(): PropertyDecorator {
  return TextField(EMAIL);
}

/** An address that is to have an account. */
export function NewEmailField(): PropertyDecorator {
  return TextField({ ...EMAIL, isName: true });
}

export function PersonNameField(): PropertyDecorator {
  return TextField({
    description: 'Name of the person.',
    example: 'Aisyah Rahman',
    maxLength: NAME_CHARACTERS_MAX,
    isName: true,
  });
}

export function NewPasswordField(): PropertyDecorator {
  return TextField({
    description: 'The password to be, without spaces at its ends.',
    maxLength: PASSWORD_CHARACTERS_MAX,
    format: LONG_ENOUGH,
  });
}

function PasswordField(): PropertyDecorator {
  return TextField({ description: 'The password.', maxLength: PASSWORD_CHARACTERS_MAX });
}

export class SignInDto {
  @EmailField()
  email: string;

  @PasswordField()
  password: string;
}

export class SignUpDto {
  @NewEmailField()
  email: string;

  @NewPasswordField()
  password: string;

  @PersonNameField()
  name: string;

  @TextField({
    description: "The organisation's registered name.",
    example: 'Kedai Contoh Sdn Bhd',
    maxLength: NAME_CHARACTERS_MAX,
    isName: true,
  })
  organisationName: string;
}

export class ChangePasswordDto {
  @PasswordField()
  current: string;

  @NewPasswordField()
  next: string;
}

export class UserDto {
  @ApiProperty({ type: String, format: 'uuid' })
  userId: string;

  @ApiProperty({ type: String })
  email: string;

  @ApiProperty({ type: String })
  name: string;

  @ApiProperty({ type: Boolean, description: 'Whether the operators’ pages are open to this user.' })
  isOperator: boolean;
}

export class OrganisationOfUserDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String })
  name: string;

  @ChosenField(ROLES, { description: 'What the user may do in it.' })
  role: Role;
}

export class SessionDto {
  @ApiProperty({ type: UserDto })
  user: UserDto;

  @ApiProperty({ type: String, description: 'To be sent with every change, as X-CSRF-Token.' })
  csrfToken: string;

  @ApiProperty({ type: OrganisationOfUserDto, isArray: true })
  organisations: OrganisationOfUserDto[];

  @ApiProperty({ type: String, enum: ENVIRONMENTS, isArray: true, description: 'The environments that are served.' })
  environments: Environment[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'mailto:help@example.com',
    description: 'Where people ask for help: a page or a mail address. Null if there is none.',
  })
  supportUrl: string | null;
}

export class SessionListingDto {
  @ApiProperty({ type: String, format: 'uuid' })
  sessionId: string;

  @ApiProperty({ type: Boolean, description: 'Whether it is the one that asks.' })
  isCurrent: boolean;

  @ApiProperty({ type: String })
  ip: string;

  @ApiProperty({ type: String })
  userAgent: string;

  @InstantField('When it was opened.')
  createdAt: Date;

  @InstantField('When it was last used, to the minute.')
  lastSeenAt: Date;
}

const SECRET_CHARACTERS_MAX = 100;

export function SecretField(): PropertyDecorator {
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

export class RenameDto {
  @PersonNameField()
  name: string;
}
