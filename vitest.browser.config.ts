import { defineConfig } from 'vitest/config';

/** `npm run check:browser`: the built dashboard in a real Chromium, against the whole service. */
export default defineConfig({
  test: {
    include: ['test/browser/*.e2e.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/browser/global-setup.ts'],
    setupFiles: ['test/support/watchdog.ts'],
    provide: { watchdog: { silentSecondsMax: 120, loadSecondsMax: 300 } },
    testTimeout: 120_000,
    // As in vitest.config.ts.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 120_000,
    pool: 'forks',
    // The thread that prints runs the sources, as in vitest.config.ts.
    execArgv: ['--import', new URL('test/support/worker-sources.mjs', import.meta.url).href],
    maxWorkers: 1,
  },
});
