import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createLogger, type LogSettings, NestLogger } from '../common/logging.js';
import type { Configuration } from '../config/configuration.js';
import { assertDatabase } from '../database/connection-role.js';
import { DispatcherModule } from './dispatcher.module.js';

/** @throws Error if the database refuses the connection or the role is not that of the dispatcher */
export async function createDispatcher(
  configuration: Configuration,
  options: Pick<LogSettings, 'logFile'> = {},
): Promise<INestApplicationContext> {
  await assertDatabase(configuration);
  const logger = new NestLogger(createLogger({ level: configuration.logLevel, ...options }));
  return NestFactory.createApplicationContext(DispatcherModule.forRoot(configuration), { logger, abortOnError: false });
}
