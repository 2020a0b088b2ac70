import { isOffline, runCli, runOffline } from '../src/processes/cli.js';
import { readConfiguration } from '../src/config/configuration.js';
import { ownerEnvironment } from './operator.js';
import { runProgram } from './program.js';

const words = process.argv.slice(2);
// Settles what a migration refuses: on data of an earlier version it runs before that.
const migrates = words[0] !== 'doctor' && (words[0] !== 'queue' || words[1] !== 'conflict');

/**
 * `npm run cli -- COMMAND …`: an operator command (docs/rules.md#commands-and-settings), on the embedded database
 * unless another one is set.
 */
await runProgram(async (closing) =>
  isOffline(words)
    ? runOffline(words)
    : runCli(readConfiguration('operator', await ownerEnvironment(closing, { migrates })), words),
);
