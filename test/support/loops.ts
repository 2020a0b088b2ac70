import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readDecoration } from '../../src/common/decorated-providers.js';
import { type LoopSchedule, RepeatedLoop } from '../../src/common/loops/loop.js';
import { LoopRegistry, type RegisteredLoop } from '../../src/common/loops/loop-registry.js';
import { ScheduleService } from '../../src/common/loops/schedule.service.js';

/**
 * Creates a dispatcher whose loops do not run by themselves, so that a test runs their ticks.
 * @throws Error if Nest cannot resolve a dependency; by default Nest would abort the process instead
 */
export function createLoops(module: DynamicModule): Promise<INestApplicationContext> {
  const driven = {
    ...module,
    providers: module.providers?.filter((provider) => provider !== ScheduleService),
  };
  return NestFactory.createApplicationContext(driven, { logger: false, abortOnError: false });
}

// Caches the loops, because the registry searches all providers and tests call it before each tick.
const loopsOf = new WeakMap<INestApplicationContext, readonly RegisteredLoop[]>();

export function registeredLoops(dispatcher: INestApplicationContext): readonly RegisteredLoop[] {
  const loops = loopsOf.get(dispatcher) ?? dispatcher.get(LoopRegistry).list();
  loopsOf.set(dispatcher, loops);
  return loops;
}

/** Runs one tick of a loop and returns its result. @throws Error if there is no such loop */
export function tickLoop(dispatcher: INestApplicationContext, name: string): Promise<number> {
  const found = registeredLoops(dispatcher).find((loop) => loop.name === name);
  if (found === undefined) throw new Error(`There is no loop ${name}`);
  return found.loop.tick(new AbortController().signal);
}

/** Lists the loops of a module and its imports without creating an application. */
export function listLoops(module: Type): LoopSchedule[] {
  const read = (key: string): (Type | DynamicModule)[] => (Reflect.getMetadata(key, module) ?? []) as Type[];
  const imported = read('imports').map((each) => ('module' in each ? each.module : each));
  const own = read('providers').flatMap((provider) => readDecoration(RepeatedLoop, provider) ?? []);
  return [...own, ...imported.flatMap((each) => listLoops(each))];
}
