import { defineConfig } from 'vitest/config';
import { exposedStatements } from './test/support/exposed-statements.js';

export default defineConfig({
  plugins: [exposedStatements()],
  test: {
    include: ['src/**/*.spec.ts', 'simulator/**/*.spec.ts', 'test/**/*.spec.ts', 'dashboard/src/**/*.spec.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/watchdog.ts'],
    provide: { watchdog: { silentSecondsMax: 120, loadSecondsMax: 300 } },
    testTimeout: 30_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
