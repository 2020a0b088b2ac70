import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readDecoration } from '../../src/common/decorated-providers.js';
import { type LoopSchedule, RepeatedLoop } from '../../src/common/loops/loop.js';
import { LoopRegistry, type RegisteredLoop } from '../../src/common/loops/loop-registry.js';
import { ScheduleService } from '../../src/common/loops/schedule.service.js';

/**
 * A dispatcher's loops without what repeats them: a test drives them by their ticks.
 * @throws Error naming the dependency that Nest cannot resolve, where Nest by itself would end the test's process
 */
export function createLoops(module: DynamicModule): Promise<INestApplicationContext> {
  const driven = {
    ...module,
    providers: module.providers?.filter((provider) => provider !== ScheduleService),
  };
  return NestFactory.createApplicationContext(driven, { logger: false, abortOnError: false });
}

// A registry asks every provider of its process; what repeats loops asks it once, a test before each tick.
const loopsOf = new WeakMap<INestApplicationContext, readonly RegisteredLoop[]>();

/** The loops of a dispatcher, which do not change while it lives. */
export function registeredLoops(dispatcher: INestApplicationContext): readonly RegisteredLoop[] {
  const loops = loopsOf.get(dispatcher) ?? dispatcher.get(LoopRegistry).list();
  loopsOf.set(dispatcher, loops);
  return loops;
}

/** One tick of the loop with this name; how much it did. */
export function tickLoop(dispatcher: INestApplicationContext, name: string): Promise<number> {
  const found = registeredLoops(dispatcher).find((loop) => loop.name === name);
  if (found === undefined) throw new Error(`There is no loop ${name}`);
  return found.loop.tick(new AbortController().signal);
}

/** Every loop that a module and its imports list, without making one. */
export function listLoops(module: Type): LoopSchedule[] {
  const read = (key: string): (Type | DynamicModule)[] => (Reflect.getMetadata(key, module) ?? []) as Type[];
  const imported = read('imports').map((each) => ('module' in each ? each.module : each));
  const own = read('providers').flatMap((provider) => readDecoration(RepeatedLoop, provider) ?? []);
  return [...own, ...imported.flatMap((each) => listLoops(each))];
}
