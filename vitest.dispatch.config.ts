import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** `npm run check:dispatch -- fair|fill|outage|shares|reserved`: figures of authority calls that take longer than a test may. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  defineConfig({ test: { include: ['test/{authority,dispatcher}/*.check.ts'], fileParallelism: false } }),
);
