import { openDataFolder } from './data-folder.js';
import { openEmbeddedDatabase } from './embedded-database.js';
import type { Closing } from './program.js';
import { environment, isSet, refuseEmbeddedInProduction } from './settings.js';

/**
 * Returns the environment of a program that connects as the owner. If no database is configured, adds the embedded one
 * and starts it unless it is running (docs/rules.md#commands-and-settings).
 */
export async function ownerEnvironment(closing: Closing): Promise<NodeJS.ProcessEnv> {
  if (isDatabaseSet()) return environment;
  refuseEmbeddedInProduction();
  const database = await openEmbeddedDatabase(await openDataFolder(environment), 'command');
  await closing.add(database);
  return { ...environment, DATABASE_OWNER_URL: database.ownerUrl };
}

function isDatabaseSet(): boolean {
  return isSet('DATABASE_OWNER_URL') || isSet('DATABASE_URL');
}
