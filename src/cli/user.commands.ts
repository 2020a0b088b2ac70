import { text as readAll } from 'node:stream/consumers';
import { Inject } from '@nestjs/common';
import { Command, SubCommand } from 'nest-commander';
import { AccountsService, normaliseEmail } from '../accounts/accounts.service.js';
import {
  RoleAssignmentsService,
  type DisabledUser,
  generatePassword,
  formatKey,
  type RoleScope,
} from '../accounts/role-assignments.service.js';
import { PasswordLinksService } from '../accounts/password-links.service.js';
import { EMAIL_CHARACTERS_MAX, EMAIL_FORM } from '../accounts/email.js';
import { assertPasswordIsGood } from '../accounts/password-rules.js';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../accounts/password.js';
import { ROLES } from '../accounts/roles.js';
import { KEY_CHOICES, type KeyChoice } from '../accounts/api-keys/user-keys.js';
import { ValidationError } from '../errors/api-error.js';
import { OperatorError } from '../errors/operator-error.js';
import { isAtMost } from '../http/validation/text.js';
import {
  CommandGroup,
  type CommandOption,
  type CommandSwitch,
  OperatorCommand,
  TENANT_OPTION,
  parseText,
  parseUuid,
  refuseLookAlike,
} from './operator-command.js';
import { COMMAND_INPUT, type CommandInput, type Report, formatTable } from './output.js';

const NAME_CHARACTERS_MAX = 300;

/** The dashboard page that reads the secret from the fragment. */
const LINK_PATH = '/dashboard/password#';

const EMAIL_OPTION: CommandOption = {
  flag: '--email',
  value: 'address',
  description: "the user's e-mail address, in any case",
  isRequired: true,
};

interface ShownPassword {
  /** Null if the caller gave the password. */
  readonly password: string | null;
  /** Path with which the user sets a password; null if the caller gave the password. */
  readonly link: string | null;
}

const PASSWORD_STDIN: CommandSwitch = {
  flag: '--password-stdin',
  description: 'read the password from standard input instead of generating one',
};

const EXISTING: CommandSwitch = {
  flag: '--existing',
  description: 'assign the role, the name and a new password to an existing account, and end its sessions',
};

/** A command that sets a password: one from standard input, or a generated one that is shown once. */
abstract class PasswordCommand extends OperatorCommand {
  @Inject(PasswordLinksService) private readonly links: PasswordLinksService;
  @Inject(COMMAND_INPUT) private readonly input: CommandInput;
  protected override readonly switches: readonly CommandSwitch[] = [PASSWORD_STDIN];

  /** @throws OperatorError if the given password is too short, too long or easy to guess */
  protected async newPassword(email: string): Promise<{ password: string; isGenerated: boolean }> {
    if (!this.isOn(PASSWORD_STDIN)) return { password: generatePassword(), isGenerated: true };
    const password = (await readAll(this.input)).trim();
    if (password.length < PASSWORD_CHARACTERS_MIN || password.length > PASSWORD_CHARACTERS_MAX) {
      throw new OperatorError(
        `The password must have ${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters`,
      );
    }
    await assertPasswordIsGood(password, { email, organisations: [] }, '/password').catch(toOperatorError);
    return { password, isGenerated: false };
  }

  protected async show(
    email: string,
    { password, isGenerated }: { password: string; isGenerated: boolean },
  ): Promise<{ shown: ShownPassword; note: string }> {
    if (!isGenerated) return { shown: { password: null, link: null }, note: '' };
    const { secret, expiresAt } = await this.links.make(email);
    const link = `${LINK_PATH}${secret}`;
    const note =
      `\nAppend this path to the address of the dashboard and send the link to the user. It sets a password once, until ` +
      `${expiresAt.toISOString()} or the first sign-in:\n${link}\n` +
      `Or send this password, which is shown only once and should be changed after the first sign-in:\n${password}`;
    return { shown: { password, link }, note };
  }
}

@SubCommand({
  name: 'create',
  description: 'create an account with a role; --existing assigns the role to an existing account',
})
export class UserCreateCommand extends PasswordCommand {
  @Inject(RoleAssignmentsService) private readonly roleAssignments: RoleAssignmentsService;
  protected readonly options: readonly CommandOption[] = [
    {
      flag: '--role',
      value: 'role',
      description: `operator of the service, or ${ROLES.join(', ')} of a tenant`,
      isRequired: true,
    },
    { ...TENANT_OPTION, isRequired: false },
    EMAIL_OPTION,
    { flag: '--name', value: 'text', description: 'name of the person', isRequired: true },
  ];

  protected override readonly switches = [PASSWORD_STDIN, EXISTING];

  protected async execute(options: Readonly<Record<string, string | undefined>>): Promise<Report> {
    const scope = await this.readScope(options);
    const email = emailIn(options.email);
    refuseLookAlike('--email', email);
    const name = parseText('--name', options.name, NAME_CHARACTERS_MAX);
    refuseLookAlike('--name', name);
    const isExisting = this.isOn(EXISTING);
    const given = await this.newPassword(email);
    await this.roleAssignments.assign({ email, name, password: given.password, scope, isExisting });
    const { shown, note } = await this.show(email, given);
    const account = isExisting
      ? 'the existing account has a new password and is signed out everywhere'
      : 'a new account was created';
    return {
      json: { email, isNew: !isExisting, ...shown },
      text: `${email} is now ${scope.role}: ${account}.${note}`,
    };
  }

  private async readScope({ role, tenant }: Readonly<Record<string, string | undefined>>): Promise<RoleScope> {
    if (role === 'operator') {
      if (tenant !== undefined) throw new OperatorError('An operator has access to all tenants: omit --tenant');
      return { role };
    }
    const known = ROLES.find((each) => each === role);
    if (known === undefined) throw new OperatorError(`--role must be operator, ${ROLES.join(', ')}, not "${role}"`);
    const { tenantId } = await this.tenants.show(parseUuid('--tenant', tenant));
    return { role: known, tenantId };
  }
}

@SubCommand({ name: 'list', description: 'list all users of the dashboard' })
export class UserListCommand extends OperatorCommand {
  @Inject(RoleAssignmentsService) private readonly roleAssignments: RoleAssignmentsService;
  protected readonly options = [];

  protected async execute(): Promise<Report> {
    const users = await this.roleAssignments.list();
    const text = formatTable(
      users,
      [
        ['e-mail', (user) => user.email],
        ['name', (user) => user.name],
        ['operator', (user) => (user.isOperator ? 'yes' : null)],
        ['organisations', (user) => user.organisations.join(', ') || null],
        ['since', (user) => user.createdAt],
        ['last seen', (user) => user.lastSeenAt],
        ['disabled', (user) => user.disabledAt],
      ],
      'There are no users yet: users sign up in the dashboard; create an operator with "user create"',
    );
    return { json: { users }, text };
  }
}

@SubCommand({ name: 'reset-password', description: 'set a new password and end all sessions of a user' })
export class UserResetPasswordCommand extends PasswordCommand {
  @Inject(AccountsService) private readonly accounts: AccountsService;
  protected readonly options = [EMAIL_OPTION];

  protected async execute(options: Readonly<Record<string, string | undefined>>): Promise<Report> {
    const email = emailIn(options.email);
    const given = await this.newPassword(email);
    if (!(await this.accounts.resetPassword(email, given.password))) throw buildNoSuchUserError(email);
    const { shown, note } = await this.show(email, given);
    return { json: { email, ...shown }, text: `${email} has a new password and is signed out everywhere.${note}` };
  }
}

@SubCommand({ name: 'disable', description: 'disable a user and end their sessions and open invitations' })
export class UserDisableCommand extends OperatorCommand {
  @Inject(RoleAssignmentsService) private readonly roleAssignments: RoleAssignmentsService;
  protected readonly options: readonly CommandOption[] = [
    EMAIL_OPTION,
    {
      flag: '--keys',
      value: 'choice',
      description: `${KEY_CHOICES.join(' or ')} the API keys that the user created; required if there are any`,
    },
  ];

  protected async execute(given: Readonly<Record<string, string | undefined>>): Promise<Report> {
    const email = emailIn(given.email);
    const disabled = await this.roleAssignments.disable(email, keyChoiceIn(given.keys));
    if (disabled === null) throw buildNoSuchUserError(email);
    const { isChanged, withoutOwner } = disabled;
    const said = isChanged ? 'is now disabled and signed out everywhere.' : 'was already disabled.';
    const notes = withoutOwner.map(
      ({ tenantId, name }) =>
        `\n${name} has no owner left who can sign in: create one with "user create --role owner --tenant ${tenantId}".`,
    );
    return { json: { email, ...disabled }, text: `${email} ${said}${notes.join('')}${formatKeyNotes(disabled)}` };
  }
}

@SubCommand({ name: 'enable', description: 'allow a disabled user to sign in again' })
export class UserEnableCommand extends OperatorCommand {
  @Inject(RoleAssignmentsService) private readonly roleAssignments: RoleAssignmentsService;
  protected readonly options = [EMAIL_OPTION];

  protected async execute(given: Readonly<Record<string, string | undefined>>): Promise<Report> {
    const email = emailIn(given.email);
    const enabled = await this.roleAssignments.enable(email);
    if (enabled === null) throw buildNoSuchUserError(email);
    const said = enabled.isChanged ? 'can sign in again with the previous password.' : 'was not disabled.';
    return { json: { email, ...enabled }, text: `${email} ${said}` };
  }
}

@Command({
  name: 'user',
  description: 'users of the dashboard: create, list, reset-password, disable, enable',
  subCommands: [UserCreateCommand, UserListCommand, UserResetPasswordCommand, UserDisableCommand, UserEnableCommand],
})
export class UserCommands extends CommandGroup {}

function formatKeyNotes({ keys }: DisabledUser): string {
  return keys.map((key) => `\n${key.isRevoked ? 'Revoked' : 'Still works'}: ${formatKey(key)}`).join('');
}

function keyChoiceIn(text: string | undefined): KeyChoice | null {
  if (text === undefined) return null;
  const choice = KEY_CHOICES.find((known) => known === text);
  if (choice === undefined) throw new OperatorError(`--keys must be ${KEY_CHOICES.join(' or ')}, not "${text}"`);
  return choice;
}

function buildNoSuchUserError(email: string): OperatorError {
  return new OperatorError(`There is no user ${email}; see "user list"`);
}

function emailIn(text = ''): string {
  const email = normaliseEmail(text);
  if (EMAIL_FORM.pattern.test(email) && isAtMost(email, EMAIL_CHARACTERS_MAX)) return email;
  throw new OperatorError(`--email ${EMAIL_FORM.message}, such as aisyah@kedai.example`);
}

function toOperatorError(error: unknown): never {
  if (!(error instanceof ValidationError)) throw error;
  throw new OperatorError(error.problems.map(({ message, hint }) => `The password ${message}: ${hint}`).join('\n'));
}
