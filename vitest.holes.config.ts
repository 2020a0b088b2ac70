import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** `npm run check:holes`: the full form of the tests of which `npm test` runs a short form. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  defineConfig({
    test: {
      include: ['test/**/*.holes.ts'],
      testTimeout: 1_200_000,
      provide: { watchdog: { silentSecondsMax: 1_200, loadSecondsMax: 300 } },
      env: { HOLES: 'full' },
    },
  }),
);
