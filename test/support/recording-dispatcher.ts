import { NestFactory } from '@nestjs/core';
import { createLogger, NestLogger } from '../../src/common/logging.js';
import { ReadinessService } from '../../src/dispatcher/monitoring/readiness.service.js';
import { DispatcherModule } from '../../src/processes/dispatcher.module.js';
import { runProcess } from '../../src/processes/run-process.js';
import { type IsFailing, RecorderModule, recorderFailures } from './event-recorder.js';

/** Runs this process as a dispatcher with the recorders as event consumers. */
export async function runRecordingDispatcher(isFailing: IsFailing): Promise<void> {
  recorderFailures.isFailing = isFailing;
  await runProcess('dispatcher', async (configuration) => {
    const logger = new NestLogger(createLogger({ level: configuration.logLevel }));
    const module = DispatcherModule.forRoot(configuration);
    const extended = { ...module, imports: [...(module.imports ?? []), RecorderModule] };
    const service = await NestFactory.createApplicationContext(extended, { logger, abortOnError: false });
    return { service, readReadiness: () => service.get(ReadinessService).read() };
  });
}
