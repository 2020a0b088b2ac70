import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { CommandFactory, CommandRunnerService } from 'nest-commander';
import { type CommandContext, COMMAND_CONTEXT } from '../cli/command-context.js';
import { DoctorCommand, OPEN_LOGIN } from '../cli/doctor.command.js';
import { EvidenceCommands } from '../cli/evidence.commands.js';
import {
  type CliOutput,
  type CommandInput,
  PROCESS_OUTPUT,
  REPORT_PRINTER,
  type ReportPrinter,
} from '../cli/output.js';
import type { Configuration } from '../config/configuration.js';
import { OperatorError } from '../errors/operator-error.js';
import { CliModule } from './cli.module.js';
import { openLogin } from './open-login.js';

const SUCCESS = 0;
const FAILURE = 1;
const JSON_OPTION = '--json';

/**
 * Runs an operator command (docs/rules.md#commands-and-settings) with the owner's role and closes its connections.
 * @param words the command and its options, such as `['tenant', 'list', '--json']`
 * @returns the exit code: 0, or 1 after a message on standard error, which is `{"error": "…"}` with `--json`
 */
export function runCli(
  configuration: Configuration,
  words: readonly string[],
  output: CliOutput = PROCESS_OUTPUT,
  input: CommandInput = process.stdin,
): Promise<number> {
  return runWords((printer) => CliModule.forRoot(configuration, printer, input), words, output);
}

/** Returns the first word that is not an option. */
export function findCommand(words: readonly string[]): string | undefined {
  return words.find((word) => !word.startsWith('-'));
}

/** Runs `doctor`, which must work even if settings are wrong or the database is down. */
export function runDiagnosis(
  context: CommandContext,
  words: readonly string[],
  output: CliOutput = PROCESS_OUTPUT,
): Promise<number> {
  const providers = [
    { provide: COMMAND_CONTEXT, useValue: context },
    { provide: OPEN_LOGIN, useValue: openLogin },
    DoctorCommand,
  ];
  return runWords((printer) => withoutDatabase(printer, providers), words, output);
}

/** Runs `evidence`, which needs neither settings nor a database. */
export function runOffline(words: readonly string[], output: CliOutput = PROCESS_OUTPUT): Promise<number> {
  return runWords((printer) => withoutDatabase(printer, EvidenceCommands.registerWithSubCommands()), words, output);
}

@Module({})
class OfflineCliModule {}

function withoutDatabase(printer: ReportPrinter, providers: Provider[]): DynamicModule {
  return { module: OfflineCliModule, providers: [{ provide: REPORT_PRINTER, useValue: printer }, ...providers] };
}

async function runWords(
  createModule: (printer: ReportPrinter) => DynamicModule,
  words: readonly string[],
  output: CliOutput,
): Promise<number> {
  const isJson = words.includes(JSON_OPTION);
  const module = createModule({ print: ({ json, text }) => output.out(`${isJson ? JSON.stringify(json) : text}\n`) });
  try {
    await runCommand(
      module,
      words.filter((word) => word !== JSON_OPTION),
      output,
    );
    return SUCCESS;
  } catch (error) {
    if (isHelpDisplayed(error)) return SUCCESS;
    output.error(`${isJson ? JSON.stringify({ error: describeError(error) }) : describeError(error)}\n`);
    return FAILURE;
  }
}

async function runCommand(module: DynamicModule, words: readonly string[], output: CliOutput): Promise<void> {
  const application = await CommandFactory.createWithoutRunning(module, {
    logger: false,
    abortOnError: false,
    errorHandler: rethrow,
    serviceErrorHandler: rethrow,
    // runWords writes errors, which are also thrown.
    outputConfiguration: { writeOut: (text) => output.out(text), writeErr: () => undefined },
  });
  try {
    await application.get(CommandRunnerService).run(['node', 'cli', ...words]);
  } finally {
    await application.close();
  }
}

function rethrow(error: Error): never {
  throw error;
}

interface CommanderError extends Error {
  readonly code: string;
}

function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}

function isHelpDisplayed(error: unknown): boolean {
  return isCommanderError(error) && error.code === 'commander.helpDisplayed';
}

function describeError(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (isCommanderError(error)) {
    return error.code === 'commander.help'
      ? 'A command is missing: see --help'
      : `${error.message.replace(/^error: /, '')}; see --help`;
  }
  // If no address of a host can be reached, the driver throws an AggregateError without a message.
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}
