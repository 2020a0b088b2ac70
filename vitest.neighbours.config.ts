import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** `npm run check:neighbours`: what greedy and hostile clients leave to others, of the build's own processes. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  defineConfig({ test: { include: ['test/neighbours/*.check.ts'], fileParallelism: false } }),
);
