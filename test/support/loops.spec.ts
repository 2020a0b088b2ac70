import { Inject, Injectable, Module } from '@nestjs/common';
import { expect, it } from 'vitest';
import { createLoops } from './loops.js';

@Injectable()
class Needy {
  constructor(@Inject('MISSING_DEPENDENCY') readonly missing: unknown) {}
}

@Module({})
class Broken {}

it('a dependency that cannot be injected fails the test with its name, and does not end the process', async () => {
  const module = { module: Broken, providers: [Needy] };
  await expect(createLoops(module)).rejects.toThrow(/can't resolve dependencies of the Needy .*MISSING_DEPENDENCY/s);
});
