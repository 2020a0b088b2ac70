import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** `npm run check:collections`: the Postman collection and the Bruno folder, run by their own programs. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [], exclude: [] } },
  defineConfig({ test: { include: ['test/collections/*.check.ts'] } }),
);
