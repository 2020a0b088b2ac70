import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** `npm run check:dispatch -- fair|fill|outage`: figures of the dispatcher that take longer to arrange than a test may. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  defineConfig({ test: { include: ['test/dispatcher/*.check.ts'], fileParallelism: false } }),
);
