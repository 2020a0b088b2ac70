// `npm run check` runs the static checks. `npm run check -- NAME [options]` runs one of them, or one of the long suites that
// CONTRIBUTING.md lists.
import { spawnSync } from 'node:child_process';

const TESTS = 'vitest run --project tests';
const FOLDERS = 'src simulator standalone bench test docs/examples dashboard clients sandbox-suite site';

// Each check is a list of commands. The last command receives the options.
const STATIC = {
  format: ['prettier --ignore-path scripts/.prettierignore --check .'],
  lint: ['oxlint --type-aware --deny-warnings'],
  types: [
    'tsc --noEmit',
    'tsc -p tsconfig.build.json --noEmit --incremental false',
    'tsc -p dashboard',
    'tsc -p clients/typescript --noEmit',
  ],
  imports: [`depcruise --config scripts/.dependency-cruiser.cjs ${FOLDERS}`],
  unused: ['knip'],
  // Node 20 and 22 come with npm 10, which rejects lock files that npm 11 accepts.
  lock: ['npx --yes npm@10.8.2 ci --dry-run --ignore-scripts --loglevel=error'],
  migrations: [`${TESTS} test/database/migrations.e2e.spec.ts`],
  openapi: [
    'openapi-typescript dashboard/openapi.json -o dashboard/src/api/schema.ts --check',
    'node scripts/lint-openapi.mjs',
    `${TESTS} test/docs/openapi.e2e.spec.ts test/docs/breaking-changes.spec.ts`,
  ],
  patterns: ['vitest run --project patterns'],
  prose: ['node scripts/check-prose.mjs'],
};
const DASHBOARD = 'node scripts/build-dashboard.mjs';
const PROJECTS =
  'alerts client clients collections contract deploy dispatch holes neighbours pgbouncer pgbouncer-statements processes random';
const SUITES = {
  ...Object.fromEntries(PROJECTS.split(' ').map((name) => [name, [`vitest run --project ${name}`]])),
  browser: [DASHBOARD, 'vitest run --project browser'],
  crash: ['node scripts/run.mjs test/crash/main'],
  failover: ['node scripts/run.mjs test/failover/main'],
  fuzz: ['env FUZZ_SECONDS=1200 vitest run --project random test/fuzz'],
  ledger: ['env RANDOM_FACTOR=100 vitest run --project random test/credits'],
  mutants: ['node scripts/run.mjs test/mutants/main'],
  node: ['node scripts/check-node.mjs'],
  restore: ['node scripts/run.mjs test/restore/main'],
  screenshots: [DASHBOARD, 'vitest run --project screenshots'],
};

const ALL = { ...STATIC, ...SUITES };
const [name, ...options] = process.argv.slice(2);
if (name !== undefined && !Object.hasOwn(ALL, name)) {
  console.error(`Usage: npm run check [-- ${Object.keys(ALL).join('|')} [options]]`);
  process.exit(1);
}
const wanted = name === undefined ? Object.keys(STATIC) : [name];
const failed = wanted.filter((check) => !passes(ALL[check]));
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}

function passes(commands) {
  return commands.every((command, index) => {
    const [program, ...parameters] = command.split(' ');
    const isLast = index === commands.length - 1;
    return spawnSync(program, isLast ? [...parameters, ...options] : parameters, { stdio: 'inherit' }).status === 0;
  });
}
