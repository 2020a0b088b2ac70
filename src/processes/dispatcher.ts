import { armFailpoints } from '../failpoints/failpoints.js';
import { readConfiguration } from '../config/configuration.js';
import { createDispatcher } from './dispatcher-application.js';
import { runProcess } from './run-process.js';

/** The dispatcher process (docs/rules.md#commands-and-settings, `npm run start:dispatcher`). */
await runProcess(async () => {
  const configuration = readConfiguration('dispatcher');
  armFailpoints(configuration.failpoints);
  const { metricsPort, metricsHost } = configuration;
  return { service: await createDispatcher(configuration), metricsPort, metricsHost };
});
