import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** `npm run check:neighbours`: what greedy and hostile clients leave to others, and the worker threads of large bodies. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  defineConfig({ test: { include: ['test/{neighbours,submission}/*.check.ts'], fileParallelism: false } }),
);
