import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { exposedStatements } from './test/support/exposed-statements.js';

/** Files that start processes of the build, or runs of the tests: `npm run check:processes`. */
export const PROCESSES = ['test/**/*.process.spec.ts'];

/** The longest files, which begin first, so that the workers end together. */
const LONGEST = [
  'cli/doctor-servers',
  'dispatcher/lost-responses',
  'submission/dispatch-outcomes',
  'dispatcher/refused-client',
  'dispatcher/resend-limit',
  'submission/hostile-responses',
  'dispatcher/one-tin',
].map((name) => `/test/${name}.e2e.spec.ts`);

class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.some((name) => moduleId.endsWith(name));
    return Promise.resolve([...files.filter(isLong), ...files.filter((file) => !isLong(file))]);
  }
}

export default defineConfig({
  plugins: [exposedStatements()],
  test: {
    include: [
      'src/**/*.spec.ts',
      'simulator/**/*.spec.ts',
      'test/**/*.spec.ts',
      'examples/**/*.spec.ts',
      'dashboard/src/**/*.spec.ts',
      'clients/**/*.spec.ts',
      'sandbox-suite/*.spec.ts',
    ],
    exclude: [...configDefaults.exclude, ...PROCESSES],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/watchdog.ts', 'test/support/random-properties.ts'],
    // A test that hangs fails by its timeout; on a busy machine, one that works takes ten times as long.
    provide: { watchdog: { silentSecondsMax: 300, loadSecondsMax: 600 } },
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // One second, as without it, is little on a busy machine.
    expect: { poll: { timeout: 120_000 } },
    pool: 'forks',
    execArgv: ['--import', new URL('test/support/worker-sources.mjs', import.meta.url).href],
    // They wait for the database and for timers half of the time: four keep two cores busy.
    maxWorkers: 4,
    // The files of a worker share their modules: loading these anew for each took a third of the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
});
