import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** `npm run check:alerts`: the rules of Prometheus, by promtool, on made-up metrics and on those of a cluster with faults. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  defineConfig({ test: { include: ['test/alerts/*.check.ts'], fileParallelism: false } }),
);
