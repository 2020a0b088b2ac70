import { readConfiguration } from '../src/config/configuration.js';
import { type Applied, migrate } from '../src/processes/migrate.js';
import { ownerEnvironment } from './operator.js';
import { runProgram } from './program.js';

/** `npm run migrate`: applies pending migrations and changed SQL functions, as the owner of the tables. */
await runProgram(async (closing) => {
  const { databaseUrl } = readConfiguration('operator', await ownerEnvironment(closing));
  const applied = await migrate(databaseUrl);
  for (const line of describe(applied)) console.log(line);
  return 0;
});

function describe({ migrations, functions }: Applied): string[] {
  const lines = [
    ...(migrations.length > 0 ? [`Applied: ${migrations.join(', ')}`] : []),
    ...(functions.length > 0 ? [`SQL functions: ${functions.join(', ')}`] : []),
  ];
  return lines.length > 0 ? lines : ['Nothing to migrate: the database is up to date.'];
}
