import type { CommandContext } from '../src/cli/command-context.js';
import { findCommand, runCli, runDiagnosis, runOffline } from '../src/processes/cli.js';
import { readConfiguration } from '../src/config/configuration.js';
import { findServiceLog } from './data-folder.js';
import { isDatabaseSet, ownerEnvironment } from './operator.js';
import { type Closing, describeError, runProgram } from './program.js';
import { environment } from './settings.js';

const words = process.argv.slice(2);
const DIAGNOSES: readonly (string | undefined)[] = ['doctor', 'support-bundle'];

/**
 * `npm run cli -- COMMAND …`: an operator command (docs/rules.md#commands-and-settings), on the embedded database
 * unless another one is set.
 */
await runProgram(async (closing) => {
  const command = findCommand(words);
  if (command === 'evidence') return runOffline(words);
  if (DIAGNOSES.includes(command)) return runDiagnosis(await readSituation(closing), words);
  return runCli(readConfiguration('operator', await ownerEnvironment(closing)), words);
});

async function readSituation(closing: Closing): Promise<CommandContext> {
  const logFile = isDatabaseSet() ? null : findServiceLog(environment);
  try {
    return { environment: await ownerEnvironment(closing), problem: null, logFile };
  } catch (error) {
    return { environment, problem: describeError(error), logFile };
  }
}
