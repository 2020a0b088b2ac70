import { ReadinessService } from '../dispatcher/monitoring/readiness.service.js';
import { createDispatcher } from './dispatcher-application.js';
import { runProcess } from './run-process.js';

/** The dispatcher process (docs/rules.md#commands-and-settings, `npm run start:dispatcher`). */
await runProcess('dispatcher', async (configuration) => {
  const service = await createDispatcher(configuration);
  return { service, readReadiness: () => service.get(ReadinessService).read() };
});
