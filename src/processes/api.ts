import { createApi, LISTEN_BACKLOG } from './api-application.js';
import { armFailpoints } from '../failpoints/failpoints.js';
import { readConfiguration } from '../config/configuration.js';
import { runProcess } from './run-process.js';

/** The API process (docs/rules.md#commands-and-settings, `npm run start:api`). */
await runProcess(async () => {
  const configuration = readConfiguration('api');
  armFailpoints(configuration.failpoints);
  const service = await createApi(configuration);
  await service.listen({ port: configuration.port, host: configuration.host, backlog: LISTEN_BACKLOG });
  return { service, metricsPort: configuration.metricsPort, metricsHost: configuration.metricsHost };
});
