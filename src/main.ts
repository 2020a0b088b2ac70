import { createApi } from './api.js';
import { readConfiguration, type Configuration } from './config/configuration.js';
import { runProcess } from './run-process.js';

/** The API process (D18, `npm run start:api`). */
await runProcess(async () => {
  const configuration: Configuration = readConfiguration('api');
  const application = await createApi(configuration);
  await application.listen(configuration.port, configuration.host);
  return application;
});
