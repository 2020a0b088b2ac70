import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.browser.config.js';

/** `npm run screenshots`: pictures of the dashboard, filled with demo data, into docs/screenshots. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  defineConfig({ test: { include: ['test/browser/*.shots.ts'] } }),
);
