import { randomInt } from 'node:crypto';
import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

const { RANDOM_SEED = String(randomInt(2 ** 31)) } = process.env;

/** `npm run check:client`: a thousand crashes of the TypeScript client, from a seed that the titles name. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  defineConfig({ test: { include: ['test/typescript-client/*.check.ts'], env: { RANDOM_SEED } } }),
);
