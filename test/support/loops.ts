import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleService } from '../../src/dispatcher/schedule.service.js';

/**
 * A dispatcher's loops without what repeats them: a test drives them by their ticks.
 * @throws Error naming the dependency that Nest cannot resolve, where Nest by itself would end the test's process
 */
export function createLoops(module: DynamicModule): Promise<INestApplicationContext> {
  const driven = { ...module, providers: module.providers?.filter((provider) => provider !== ScheduleService) };
  return NestFactory.createApplicationContext(driven, { logger: false, abortOnError: false });
}
