import { openDataFolder } from './data-folder.js';
import { openEmbeddedDatabase } from './embedded-database.js';
import type { Closing } from './program.js';
import { environment, isSet, refuseEmbeddedInProduction } from './settings.js';

/**
 * The environment of a program that connects as the owner: as it is when a database is set in it, else with the
 * embedded one, found running or started for as long as the program lasts (docs/rules.md#commands-and-settings).
 */
export async function ownerEnvironment(closing: Closing): Promise<NodeJS.ProcessEnv> {
  if (isDatabaseSet()) return environment;
  refuseEmbeddedInProduction();
  const database = await openEmbeddedDatabase(await openDataFolder(environment), 'command');
  await closing.add(database);
  return { ...environment, DATABASE_OWNER_URL: database.ownerUrl };
}

/** Whether a program that connects as the owner uses another database than the embedded one. */
function isDatabaseSet(): boolean {
  return isSet('DATABASE_OWNER_URL') || isSet('DATABASE_URL');
}
