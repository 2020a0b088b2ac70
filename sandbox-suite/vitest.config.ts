import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Documents whose submission is lost need two minutes: they are sent first and looked at late. What uses up the rate
 * limit is last, because everything after it would have to wait.
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

/** `npm run test:sandbox` gives it the settings; see main.ts. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ['checks/*.check.ts'],
    // Documents are waited for, and a reached rate limit.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // One after the other, with the modules shared: the credits of one organisation are counted exactly.
    pool: 'forks',
    maxWorkers: 1,
    isolate: false,
    sequence: { sequencer: InOrder },
  },
});
