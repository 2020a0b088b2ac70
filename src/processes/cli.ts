import type { DynamicModule } from '@nestjs/common';
import { CommandFactory, CommandRunnerService } from 'nest-commander';
import { CliModule } from './cli.module.js';
import { OfflineCliModule } from './offline-cli.module.js';
import { DiagnosisCliModule } from './diagnosis-cli.module.js';
import type { CommandContext } from '../cli/command-context.js';
import { type CliOutput, type CommandInput, PROCESS_OUTPUT, type ReportPrinter } from '../cli/output.js';
import { OperatorError } from '../errors/operator-error.js';
import type { Configuration } from '../config/configuration.js';

const SUCCESS = 0;
const FAILURE = 1;
const JSON_OPTION = '--json';

/**
 * Runs one operator command (docs/rules.md#commands-and-settings) in the owner's role and closes its connections.
 * @param words the command and its options, such as `['tenant', 'list', '--json']`
 * @returns the exit code: 0, or 1 after a message on the error output; with `--json` that is `{"error": "…"}`
 */
export function runCli(
  configuration: Configuration,
  words: readonly string[],
  output: CliOutput = PROCESS_OUTPUT,
  input: CommandInput = process.stdin,
): Promise<number> {
  return runWords((printer) => CliModule.forRoot(configuration, printer, input), words, output);
}

/** The first word of a command, behind options. */
export function findCommand(words: readonly string[]): string | undefined {
  return words.find((word) => !word.startsWith('-'));
}

/** The same for `doctor`, which must run even if settings are wrong or the database is down. */
export function runDiagnosis(
  context: CommandContext,
  words: readonly string[],
  output: CliOutput = PROCESS_OUTPUT,
): Promise<number> {
  return runWords((printer) => DiagnosisCliModule.forRoot(context, printer), words, output);
}

/** The same for `evidence`, which needs neither settings nor a database. */
export function runOffline(words: readonly string[], output: CliOutput = PROCESS_OUTPUT): Promise<number> {
  return runWords((printer) => OfflineCliModule.forRoot(printer), words, output);
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
    // Errors are thrown as well as written; they are written once, by runCli.
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
      ? 'Name a command; --help lists them'
      : `${error.message.replace(/^error: /, '')}; --help lists what there is`;
  }
  // If none of several addresses can be reached, the driver throws one error without a text.
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}
