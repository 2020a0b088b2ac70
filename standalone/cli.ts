import type { CommandContext } from '../src/cli/command-context.js';
import { findCommand, runCli, runDiagnosis, runOffline } from '../src/processes/cli.js';
import { readConfiguration } from '../src/config/configuration.js';
import { ownerEnvironment } from './operator.js';
import { type Closing, describeError, runProgram } from './program.js';
import { environment } from './settings.js';

const words = process.argv.slice(2);

/**
 * Runs an operator command for `npm run cli -- COMMAND …` (docs/rules.md#commands-and-settings). It uses the embedded
 * database unless another one is configured.
 */
await runProgram(async (closing) => {
  const command = findCommand(words);
  if (command === 'evidence') return runOffline(words);
  if (command === 'doctor') return runDiagnosis(await readContext(closing), words);
  return runCli(readConfiguration('operator', await ownerEnvironment(closing)), words);
});

async function readContext(closing: Closing): Promise<CommandContext> {
  try {
    return { environment: await ownerEnvironment(closing), problem: null };
  } catch (error) {
    return { environment, problem: describeError(error) };
  }
}
