import { defineConfig, mergeConfig } from 'vitest/config';
import tests, { PROCESSES } from './vitest.config.js';

/** `npm run check:processes`: what needs the build's own processes, which are started, killed and updated. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [], exclude: [] } },
  defineConfig({ test: { include: PROCESSES } }),
);
