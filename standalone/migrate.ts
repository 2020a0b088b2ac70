import { readConfiguration } from '../src/config/configuration.js';
import { migrate } from '../src/processes/migrate.js';
import { ownerEnvironment } from './operator.js';
import { runProgram } from './program.js';

/** Applies pending migrations as the owner of the tables (`npm run migrate`). */
await runProgram(async (closing) => {
  const { databaseUrl } = readConfiguration('operator', await ownerEnvironment(closing));
  const applied = await migrate(databaseUrl);
  console.log(
    applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'Nothing to migrate: the database is up to date.',
  );
  return 0;
});
