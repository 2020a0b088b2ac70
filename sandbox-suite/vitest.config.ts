import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Documents with a lost response need two minutes, so they are submitted first and checked late. The rate-limit check
 * runs near the end, because all later requests have to wait.
 */
const FIRST = ['lost-responses'];
const LAST = ['lost-responses-outcome', 'rate-limits', 'charges'];

class InOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const name = path.basename(moduleId, '.check.ts');
      return FIRST.includes(name) ? -1 : LAST.indexOf(name) + 1;
    };
    return Promise.resolve(
      files.sort((one, other) => rank(one) - rank(other) || (one.moduleId < other.moduleId ? -1 : 1)),
    );
  }
}

/** Configuration of `npm run test:sandbox`. main.ts provides the settings. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ['checks/*.check.ts'],
    // Checks wait for outcomes and rate limits.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Files run sequentially with shared modules, so that the charged credits can be counted exactly.
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    sequence: { sequencer: InOrder },
  },
});
