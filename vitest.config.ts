import { randomInt } from 'node:crypto';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { exposedStatements } from './test/support/exposed-statements.js';

// Without --project, vitest runs the project "tests". CONTRIBUTING.md lists the other projects, which take longer.
type ProjectOptions = NonNullable<TestProjectInlineConfiguration['test']>;

/** Specs that start processes of the build or test runs. */
const PROCESSES = ['test/**/*.process.spec.ts'];

/** The longest files, which start first so that the workers finish at the same time. */
const LONGEST = [
  'dispatcher/wrong-ids',
  'dispatcher/client-ids',
  'dispatcher/unclear-issue-times',
  'dispatcher/resend-limit',
  'dispatcher/clock-jumps',
  'dispatcher/lost-responses',
  'submission/dispatch-outcomes',
  'submission/hostile-responses',
  'dashboard/bulk-jobs',
  'database/changed-schema',
].map((name) => `/test/${name}.e2e.spec.ts`);

class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.some((name) => moduleId.endsWith(name));
    return Promise.resolve([...files.filter(isLong), ...files.filter((file) => !isLong(file))]);
  }
}

/** Options that most projects share. */
export const TESTS: ProjectOptions = {
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/watchdog.ts', 'test/support/random-properties.ts'],
  // Limits for hanging tests. On a busy machine, a test takes up to ten times as long.
  provide: { watchdog: { silentSecondsMax: 300, loadSecondsMax: 600 } },
  testTimeout: 180_000,
  hookTimeout: 300_000,
  // The default of one second is too short on a busy machine.
  expect: { poll: { timeout: 120_000 } },
  pool: 'forks',
  execArgv: ['--import', new URL('test/support/worker-sources.mjs', import.meta.url).href],
  // Tests wait for the database and timers half of the time, so that four workers use two cores.
  maxWorkers: 4,
  // The files of a worker share loaded modules. Loading them per file took a third of the time.
  isolate: false,
};

const BROWSER: ProjectOptions = {
  globalSetup: ['test/support/global-setup.ts', 'test/browser/global-setup.ts'],
  setupFiles: ['test/support/watchdog.ts'],
  provide: { watchdog: { silentSecondsMax: 300, loadSecondsMax: 300 } },
  testTimeout: 240_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 20_000 } },
  pool: 'forks',
  execArgv: TESTS.execArgv,
  maxWorkers: 1,
};

// A test title contains the seed of random tests.
const seed = process.env.RANDOM_SEED ?? String(randomInt(2 ** 31));
const setRandom = (factor: number): Record<string, string> => ({
  RANDOM_FACTOR: process.env.RANDOM_FACTOR ?? String(factor),
  RANDOM_SEED: seed,
});

/** Property tests that the project "random" runs with a new seed. */
const PROPERTIES = [
  'src/authority/{wire,authority-errors,classify}.spec.ts',
  'src/common/{canonical-json,decimal,fair-semaphore,nearest}.spec.ts',
  'src/documents/{document-size,error-catalogue,error-pointer,issue-time,signature,tax-percent,totals,wire-size}.spec.ts',
  'src/documents/authority-document/ubl.spec.ts',
  'src/http/repeated-members.spec.ts',
  'src/submission/submit-body.kept.spec.ts',
  'src/http/validation/{fields,shape}.spec.ts',
];

const buildProject = (name: string, options: ProjectOptions): TestProjectInlineConfiguration => ({
  plugins: [exposedStatements()],
  test: { name, ...options },
});

/** Runs e2e specs through PgBouncer, except specs of connections and specs that start a server. */
const buildPooled = (name: string, preparedStatements: 'on' | 'off'): TestProjectInlineConfiguration =>
  buildProject(name, {
    ...TESTS,
    include: ['test/**/*.e2e.spec.ts'],
    exclude: [...configDefaults.exclude, ...PROCESSES, 'test/{database,docs}/**'],
    globalSetup: ['test/support/global-setup.ts', 'test/support/pooler-setup.ts'],
    provide: { ...TESTS.provide, preparedStatements },
  });

const projects = [
  buildProject('tests', {
    ...TESTS,
    include: [
      '{src,simulator,test,docs/examples,clients}/**/*.spec.ts',
      'dashboard/src/**/*.spec.ts',
      'sandbox-suite/*.spec.ts',
    ],
    exclude: [...configDefaults.exclude, ...PROCESSES],
  }),
  buildProject('processes', { ...TESTS, include: PROCESSES }),
  buildProject('browser', { ...BROWSER, include: ['test/browser/*.e2e.ts'] }),
  buildProject('screenshots', { ...BROWSER, include: ['test/browser/*.shots.ts'] }),
  buildProject('neighbours', {
    ...TESTS,
    include: ['test/{neighbours,submission}/*.check.ts'],
    fileParallelism: false,
  }),
  buildProject('dispatch', {
    ...TESTS,
    include: ['test/{authority,dispatcher}/*.check.ts'],
    fileParallelism: false,
  }),
  buildProject('alerts', { ...TESTS, include: ['test/alerts/*.check.ts'], fileParallelism: false }),
  buildProject('contract', { ...TESTS, include: ['test/contract/*.check.ts'], env: setRandom(1) }),
  buildProject('client', { ...TESTS, include: ['test/typescript-client/*.check.ts'], env: setRandom(1) }),
  buildProject('clients', { ...TESTS, include: ['test/clients/*.check.ts'] }),
  buildProject('collections', { ...TESTS, include: ['test/collections/*.check.ts'] }),
  buildProject('deploy', {
    ...TESTS,
    include: ['test/deploy/*.check.ts'],
    globalSetup: [...(TESTS.globalSetup as string[]), 'test/deploy/global-setup.ts'],
  }),
  buildProject('patterns', { include: ['test/patterns/*.check.ts'] }),
  buildProject('node', {
    ...TESTS,
    include: [
      '{src,simulator}/**/!(*.e2e).spec.ts',
      'test/submission/member-names.e2e.spec.ts',
      'test/standalone/standalone.process.spec.ts',
    ],
  }),
  buildProject('holes', {
    ...TESTS,
    include: ['test/**/*.holes.ts'],
    testTimeout: 1_200_000,
    provide: { watchdog: { silentSecondsMax: 1_200, loadSecondsMax: 300 } },
    env: { HOLES: 'full' },
  }),
  buildProject('random', {
    ...TESTS,
    include: [
      ...PROPERTIES,
      'test/credits/model.e2e.spec.ts',
      'test/{errors,fuzz,dashboard}/*.check.ts',
      'test/submission/built-totals.spec.ts',
    ],
    testTimeout: 300_000,
    provide: { watchdog: { silentSecondsMax: 300, loadSecondsMax: 300 } },
    env: setRandom(10),
  }),
  buildPooled('pgbouncer', 'off'),
  buildPooled('pgbouncer-statements', 'on'),
];

// The type of "test" lacks "project", which is the default of --project.
const test = { project: ['tests'], projects, sequence: { sequencer: LongestFirst } };

export default defineConfig({ test });
