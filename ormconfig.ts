import { readConfiguration } from './src/config/configuration.js';
import { createDataSource } from './src/database/data-source.js';
import { listMigrations } from './src/extensions/registered-extensions.js';

/** For the TypeORM command line, which connects as the owner of the tables. */
export default createDataSource({
  url: readConfiguration('operator').databaseUrl,
  poolSize: 1,
  applicationName: 'einvoice-migrate',
  migrations: listMigrations(),
});
