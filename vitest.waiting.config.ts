import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** `npm run check:waiting`: ten thousand held polls, whose clients are a separate process. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  defineConfig({ test: { include: ['test/status/*.check.ts'], fileParallelism: false } }),
);
