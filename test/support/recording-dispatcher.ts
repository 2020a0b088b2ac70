import { NestFactory } from '@nestjs/core';
import { createLogger, NestLogger } from '../../src/common/logging.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { armFailpoints } from '../../src/failpoints/failpoints.js';
import { DispatcherModule } from '../../src/processes/dispatcher.module.js';
import { runProcess } from '../../src/processes/run-process.js';
import { type IsFailing, RecorderModule, recorderFailures } from './event-recorder.js';

/** Runs this process as a dispatcher that has the recorders as consumers. */
export async function runRecordingDispatcher(isFailing: IsFailing): Promise<void> {
  recorderFailures.isFailing = isFailing;
  await runProcess(async () => {
    const configuration = readConfiguration('dispatcher');
    armFailpoints(configuration.failpoints);
    const logger = new NestLogger(createLogger({ level: configuration.logLevel }));
    const module = DispatcherModule.forRoot(configuration);
    const extended = { ...module, imports: [...(module.imports ?? []), RecorderModule] };
    const service = await NestFactory.createApplicationContext(extended, { logger, abortOnError: false });
    return { service, metricsPort: configuration.metricsPort };
  });
}
