import { randomInt } from 'node:crypto';
import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.js';

const { RANDOM_FACTOR = '10', RANDOM_SEED = String(randomInt(2 ** 31)) } = process.env;

/** `npm run check:random`: the random tests and the longest loops at length, from a seed that the titles name. */
export default mergeConfig(
  { ...tests, test: { ...tests.test, include: [] } },
  defineConfig({
    test: {
      include: [
        'test/credits/model.e2e.spec.ts',
        'test/errors/fuzz.check.ts',
        'test/fuzz/requests.check.ts',
        'test/dashboard/query-fuzz.check.ts',
        'test/rate-limits/leases.e2e.spec.ts',
        'src/documents/signature.spec.ts',
      ],
      testTimeout: 300_000,
      env: { RANDOM_FACTOR, RANDOM_SEED },
    },
  }),
);
