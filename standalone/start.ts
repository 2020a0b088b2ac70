import { runProgram } from './program.js';
import { SHUTDOWN_MESSAGES, startService } from './service.js';

/** Runs database, authority, API and dispatcher on one machine until Ctrl-C (`npm start`). */
await runProgram(async (closing) => {
  await startService(closing);
  console.log('\nRunning. Ctrl-C stops everything; the data stays. To see it with sample data: npm run demo');
  return undefined;
}, SHUTDOWN_MESSAGES);
