import { runCli } from '../src/cli.js';
import { readConfiguration } from '../src/config/configuration.js';
import { ownerEnvironment } from './operator.js';
import { runProgram } from './program.js';

/** `npm run cli -- COMMAND …`: an operator command (D18), on the embedded database unless another one is set. */
await runProgram(async (closing) =>
  runCli(readConfiguration('operator', await ownerEnvironment(closing)), process.argv.slice(2)),
);
