import { Inject } from '@nestjs/common';
import { CommandRunner } from 'nest-commander';
import { DataSource } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { appendAudit, COMMAND_ACTOR, NO_ORGANISATION, type Change } from '../accounts/audit.js';
import { type Environment, ENVIRONMENTS } from '../config/environment.js';
import { assertBaseline } from '../database/assert-baseline.js';
import { OperatorError } from '../errors/operator-error.js';
import { findLookAlike } from '../http/validation/look-alikes.js';
import { isAtMost } from '../http/validation/text.js';
import { TenantService } from '../tenants/tenant.service.js';
import { type Report, REPORT_PRINTER, type ReportPrinter } from './output.js';

type Command = Parameters<CommandRunner['setCommand']>[0];

export interface CommandOption {
  readonly flag: string;
  /** Placeholder in the help, such as `id` in `--tenant <id>`. */
  readonly value: string;
  readonly description: string;
  readonly isRequired?: boolean;
}

export interface CommandSwitch {
  readonly flag: string;
  readonly description: string;
}

export const TENANT_OPTION: CommandOption = {
  flag: '--tenant',
  value: 'id',
  description: 'the tenant, as shown by "tenant list"',
  isRequired: true,
};

export const ENVIRONMENT_OPTION: CommandOption = {
  flag: '--environment',
  value: 'name',
  description: ENVIRONMENTS.join(' or '),
  isRequired: true,
};

/** A command that declares its options and returns a report, which this class prints. */
export abstract class ReportedCommand extends CommandRunner {
  @Inject(REPORT_PRINTER) private readonly printer: ReportPrinter;
  protected abstract readonly options: readonly CommandOption[];
  protected readonly switches: readonly CommandSwitch[] = [];

  /**
   * @param words the positional arguments
   * @throws OperatorError if the request cannot be fulfilled
   */
  protected abstract execute(
    given: Readonly<Record<string, string | undefined>>,
    words: readonly string[],
  ): Promise<Report>;

  override setCommand(command: Command): this {
    throwOnExit(command).allowExcessArguments(false);
    for (const { flag, value, description, isRequired } of this.options) {
      if (isRequired === true) command.requiredOption(`${flag} <${value}>`, description);
      else command.option(`${flag} <${value}>`, description);
    }
    for (const { flag, description } of this.switches) command.option(flag, description);
    // Only for the help: runCli removes --json from the words.
    command.option('--json', 'print one line of JSON');
    return super.setCommand(command);
  }

  protected isOn({ flag }: CommandSwitch): boolean {
    return this.command.getOptionValue(toOptionName(flag)) === true;
  }

  override async run(words: string[]): Promise<void> {
    const report = await this.execute(this.command.opts<Record<string, string | undefined>>(), words);
    this.printer.print(report);
    if (report.failure !== undefined) throw new OperatorError(report.failure);
  }
}

/** An operator command with database access, which is recorded in the audit log. */
export abstract class OperatorCommand extends ReportedCommand {
  @Inject(DataSource) protected readonly dataSource: DataSource;
  @Inject(TenantService) protected readonly tenants: TenantService;

  override async run(words: string[]): Promise<void> {
    await assertBaseline(this.dataSource);
    await this.enter(this.command.opts<Record<string, string | undefined>>(), words);
    await super.run(words);
  }

  // Written before the command runs, so that no command lacks an audit entry. Options contain no secrets.
  private async enter(options: Readonly<Record<string, unknown>>, words: readonly string[]): Promise<void> {
    const subject = [this.command.parent?.name(), this.command.name(), ...words].filter(Boolean).join(' ');
    const change: Change = { tenantId: NO_ORGANISATION, action: 'command.run', subject, details: { ...options } };
    await appendAudit(this.dataSource.manager, COMMAND_ACTOR, change);
  }
}

/** Returns commander's name of an option: `idType` for `--id-type`. */
export function toOptionName(flag: string): string {
  return flag.slice(2).replaceAll(/-([a-z])/g, (_hyphen, letter: string) => letter.toUpperCase());
}

/** The first word of a two-word command, which only groups subcommands. */
export abstract class CommandGroup extends CommandRunner {
  override setCommand(command: Command): this {
    return super.setCommand(throwOnExit(command).allowUnknownOption());
  }

  override run(words: string[]): Promise<void> {
    const group = this.command.name();
    const known = this.command.commands.map((command) => `${group} ${command.name()}`).join(', ');
    const problem = words.length === 0 ? `"${group}" needs a subcommand` : `There is no command "${group} ${words[0]}"`;
    return Promise.reject(new OperatorError(`${problem}: use ${known}`));
  }
}

/** @throws OperatorError if the value is not an environment */
export function parseEnvironment(text: string | undefined): Environment {
  const environment = ENVIRONMENTS.find((known) => known === text);
  if (environment !== undefined) return environment;
  throw new OperatorError(`--environment must be ${ENVIRONMENTS.join(' or ')}, not "${text}"`);
}

/** Trims the text. @throws OperatorError if the value is empty or too long */
export function parseText(flag: string, text: string | undefined, charactersMax: number): string {
  const trimmed = text?.trim() ?? '';
  if (trimmed !== '' && isAtMost(trimmed, charactersMax)) return trimmed;
  throw new OperatorError(`${flag} must have 1 to ${charactersMax} characters`);
}

/** @throws OperatorError if the text contains misleading characters */
export function refuseLookAlike(flag: string, text: string): void {
  const found = findLookAlike(text);
  if (found !== null) throw new OperatorError(`${flag} must not contain ${found}`);
}

/** @throws OperatorError if the value is not a UUID */
export function parseUuid(flag: string, text: string | undefined, shownBy = 'tenant list'): string {
  if (text === undefined || !isUuid(text)) throw new OperatorError(`${flag} must be an id shown by "${shownBy}"`);
  return text.toLowerCase();
}

/** @throws OperatorError if the value is not a whole number within the limits */
export function parseInteger(flag: string, text: string, limits: { min: number; max: number }): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= limits.min && value <= limits.max) return value;
  throw new OperatorError(`${flag} must be a whole number from ${limits.min} to ${limits.max}, not "${text}"`);
}

// Otherwise commander would exit the process while connections are open.
function throwOnExit(command: Command): Command {
  return command.exitOverride((error) => {
    throw error;
  });
}
