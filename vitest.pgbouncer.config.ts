import { execFileSync } from 'node:child_process';
import { defineConfig } from 'vitest/config';
import { installServers } from './test/support/debian-servers.js';
import tests, { PROCESSES } from './vitest.config.js';

const PGBOUNCER = '/usr/sbin/pgbouncer';

// What these look at is a connection to PostgreSQL itself, its own pooling, or a server of their own.
const WITHOUT_POOLER = ['test/database/**', 'test/docs/**'];

installServers({ [PGBOUNCER]: 'pgbouncer' });
const version = /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(PGBOUNCER, ['--version'], { encoding: 'utf8' }));
const [major, minor] = (version ?? []).slice(1).map(Number);
const knowsStatements = major > 1 || (major === 1 && minor >= 21);

/**
 * `npm run check:pgbouncer`: the end-to-end tests through PgBouncer in transaction mode, without prepared statements
 * and, from PgBouncer 1.21 on, with them.
 */
export default defineConfig({
  test: {
    maxWorkers: tests.test?.maxWorkers,
    projects: (knowsStatements ? ['off', 'on'] : ['off']).map((preparedStatements) => ({
      ...tests,
      test: {
        ...tests.test,
        name: `prepared statements ${preparedStatements}`,
        include: ['test/**/*.e2e.spec.ts'],
        exclude: [...PROCESSES, ...WITHOUT_POOLER],
        globalSetup: ['test/support/global-setup.ts', 'test/support/pooler-setup.ts'],
        provide: { ...tests.test?.provide, preparedStatements: preparedStatements as 'on' | 'off' },
      },
    })),
  },
});
