import { Inject, Injectable, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { expect, it } from 'vitest';
import { type Loop, RepeatedLoop } from '../../src/common/loops/loop.js';
import { LoopRegistry } from '../../src/common/loops/loop-registry.js';
import { createLoops, listLoops, tickLoop } from './loops.js';

@Injectable()
class Needy {
  constructor(@Inject('MISSING_DEPENDENCY') readonly missing: unknown) {}
}

@Module({})
class Broken {}

it('createLoops() rejects with the name of a dependency that cannot be injected', async () => {
  const module = { module: Broken, providers: [Needy] };
  await expect(createLoops(module)).rejects.toThrow(/can't resolve dependencies of the Needy .*MISSING_DEPENDENCY/s);
});

@Injectable()
@RepeatedLoop({ name: 'reminders', intervalMs: 60_000, concurrency: 1 })
class RemindersLoop implements Loop {
  tick(): Promise<number> {
    return Promise.resolve(3);
  }
}

@Module({ providers: [RemindersLoop] })
class RemindersModule {}

@Module({ imports: [DiscoveryModule, RemindersModule], providers: [LoopRegistry] })
class Dispatcher {}

it('the registry and listLoops() find a loop defined in an imported module', async () => {
  const dispatcher = await createLoops({ module: Dispatcher });
  expect(dispatcher.get(LoopRegistry).list()).toMatchObject([{ name: 'reminders', intervalMs: 60_000 }]);
  expect(await tickLoop(dispatcher, 'reminders')).toBe(3);
  await dispatcher.close();
  expect(listLoops(Dispatcher)).toEqual([{ name: 'reminders', intervalMs: 60_000, concurrency: 1 }]);
});

it('the registry rejects two loops with the same name', async () => {
  @Injectable()
  @RepeatedLoop({ name: 'reminders', intervalMs: 1_000, concurrency: 1 })
  class Copied extends RemindersLoop {}
  const dispatcher = await createLoops({ module: Dispatcher, providers: [Copied] });
  expect(() => dispatcher.get(LoopRegistry).list()).toThrow('Two loops are called reminders');
  await dispatcher.close();
});
