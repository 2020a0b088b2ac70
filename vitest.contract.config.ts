import { randomInt } from 'node:crypto';
import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

const { RANDOM_FACTOR = '1', RANDOM_SEED = String(randomInt(2 ** 31)) } = process.env;

/** `npm run check:contract`: requests made from openapi.json against the demo, from a seed that the title names. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  defineConfig({ test: { include: ['test/contract/*.check.ts'], env: { RANDOM_FACTOR, RANDOM_SEED } } }),
);
