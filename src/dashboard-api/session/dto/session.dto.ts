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
  hint: 'a sentence of four or five words is secure and easy to remember',
};

const EMAIL = {
  description: 'E-mail address, in upper or lower case.',
  example: 'aisyah@kedai.example',
  maxLength: EMAIL_CHARACTERS_MAX,
  format: EMAIL_FORM,
};

function EmailField(): PropertyDecorator {
  return TextField(EMAIL);
}

/** E-mail address of a new account. */
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
    description: 'New password, without leading or trailing spaces.',
    maxLength: PASSWORD_CHARACTERS_MAX,
    format: LONG_ENOUGH,
  });
}

function PasswordField(): PropertyDecorator {
  return TextField({ description: 'Current password.', maxLength: PASSWORD_CHARACTERS_MAX });
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
    description: 'Registered name of the organisation.',
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

  @ApiProperty({ type: Boolean, description: 'Whether the user may open the operators’ pages.' })
  isOperator: boolean;
}

export class OrganisationOfUserDto {
  @ApiProperty({ type: String, format: 'uuid' })
  tenantId: string;

  @ApiProperty({ type: String })
  name: string;

  @ChosenField(ROLES, { description: 'Role of the user in the organisation.' })
  role: Role;
}

export class SessionDto {
  @ApiProperty({ type: UserDto })
  user: UserDto;

  @ApiProperty({ type: String, description: 'Required in the header X-CSRF-Token of every change.' })
  csrfToken: string;

  @ApiProperty({ type: OrganisationOfUserDto, isArray: true })
  organisations: OrganisationOfUserDto[];

  @ApiProperty({ type: String, enum: ENVIRONMENTS, isArray: true, description: 'Environments of this service.' })
  environments: Environment[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'mailto:help@example.com',
    description: 'Page or mail address for support. Null if none is configured.',
  })
  supportUrl: string | null;
}

export class SessionListingDto {
  @ApiProperty({ type: String, format: 'uuid' })
  sessionId: string;

  @ApiProperty({ type: Boolean, description: 'Whether it is the session of this request.' })
  isCurrent: boolean;

  @ApiProperty({ type: String })
  ip: string;

  @ApiProperty({ type: String })
  userAgent: string;

  @InstantField('Time of the sign-in.')
  createdAt: Date;

  @InstantField('Time of the last request, to the minute.')
  lastSeenAt: Date;
}

const SECRET_CHARACTERS_MAX = 100;

export function SecretField(): PropertyDecorator {
  return TextField({ description: 'Secret at the end of the link.', maxLength: SECRET_CHARACTERS_MAX });
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
  @ApiProperty({ type: String, description: 'Account whose password the link sets.' })
  email: string;
}

export class RenameDto {
  @PersonNameField()
  name: string;
}
