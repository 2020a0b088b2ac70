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
        // Properties of pure code, from another seed than in `npm test`.
        'src/documents/signature.spec.ts',
        'src/http/repeated-members.spec.ts',
        'src/common/fair-semaphore.spec.ts',
        'src/common/nearest.spec.ts',
        'src/common/canonical-json.spec.ts',
        'src/rate-limits/bucket.spec.ts',
        'src/authority/wire.spec.ts',
        'src/authority/authority-errors.spec.ts',
        'src/authority/classify.spec.ts',
        'src/validation/fields.spec.ts',
        'src/validation/shape.spec.ts',
        'src/submission/submit-body.kept.spec.ts',
        'src/documents/issue-time.spec.ts',
        'src/documents/error-catalogue.spec.ts',
        'src/documents/wire-size.spec.ts',
        'src/documents/totals.spec.ts',
        'src/documents/tax-percent.spec.ts',
        'src/documents/authority-document/ubl.spec.ts',
        'src/documents/document-size.spec.ts',
        'src/documents/rounding.spec.ts',
        'src/documents/error-pointer.spec.ts',
        'test/submission/built-totals.spec.ts',
      ],
      testTimeout: 300_000,
      // A random test may take as long as its limit before the watchdog ends it.
      provide: { watchdog: { silentSecondsMax: 300, loadSecondsMax: 300 } },
      env: { RANDOM_FACTOR, RANDOM_SEED },
    },
  }),
);
