import { NestFactory } from '@nestjs/core';
import { createLogger, NestLogger } from '../../src/common/logging.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { armFailpoints } from '../../src/failpoints/failpoints.js';
import { DispatcherModule } from '../../src/processes/dispatcher.module.js';
import { runProcess } from '../../src/processes/run-process.js';
import { RecorderModule, recorderFailures } from '../support/event-recorder.js';

// The dispatcher with the consumers of the tests. RECORDER_FAILURES is how many of the first events they fail to handle.
await runProcess(async () => {
  const configuration = readConfiguration('dispatcher');
  armFailpoints(configuration.failpoints);
  let failures = Number(process.env.RECORDER_FAILURES ?? '0');
  recorderFailures.isFailing = () => (failures -= 1) >= 0;
  const logger = new NestLogger(createLogger({ level: configuration.logLevel }));
  const module = DispatcherModule.forRoot(configuration);
  const extended = { ...module, imports: [...(module.imports ?? []), RecorderModule] };
  const service = await NestFactory.createApplicationContext(extended, { logger, abortOnError: false });
  return { service, metricsPort: configuration.metricsPort };
});
