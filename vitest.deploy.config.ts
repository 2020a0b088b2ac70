import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** `npm run check:deploy`: the files of deploy/, by the programs that read them, and the service that they make. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [], exclude: [] } },
  defineConfig({ test: { include: ['test/deploy/*.check.ts'], globalSetup: ['test/deploy/global-setup.ts'] } }),
);
