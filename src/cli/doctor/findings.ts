import type { DataSource } from 'typeorm';
import type { Configuration } from '../../config/configuration.js';
import { assertBaseline, OtherSchemaError } from '../../database/assert-baseline.js';
import { describeConnectionError } from '../../database/connection-error.js';
import { readConnectedRole } from '../../database/connection-role.js';
import { createDataSource } from '../../database/data-source.js';
import { LARGE_PROBE_ROWS, probeDisk } from '../../database/disk-probe.js';
import { isDiskFull } from '../../errors/database-unavailable.js';
import { countWaitingOrganisations } from '../../dispatcher/queue/waiting-organisations.js';
import { readCallsWithoutOutcome, readCallsToDecide } from '../../dispatcher/releases/calls-in-doubt.js';
import { describeOverdueCalls, readOverdueCalls } from '../../dispatcher/queue/overdue-calls.js';
import type { CommandContext } from '../command-context.js';
import { checkLogins, type OpenLogin } from './authority-findings.js';
import { advice, failure, type Finding, good, problem } from './finding.js';
import { checkProcesses } from './process-findings.js';
import { type CheckedSettings, checkSettings, OWNER_SETTING } from './settings-findings.js';

type Check = (database: DataSource) => Promise<Finding[]>;

const DISPATCHERS = /* sql */ `
  SELECT extract(epoch FROM service_now() - max(last_run_at))::float8 AS seconds FROM housekeeping_task`;

const checkDispatcher: Check = async ({ manager }) => {
  const [{ seconds }] = await manager.query<[{ seconds: number | null }]>(DISPATCHERS);
  // A run in the future was stored before the clock was set back. A running dispatcher corrects it within 30 seconds.
  const isRunning = seconds !== null && seconds > -60 && seconds < 300;
  if (isRunning) return [good('dispatcher', `the last run was ${Math.round(Math.max(0, seconds))} s ago`)];
  return [
    problem('dispatcher', describeNoDispatcher(seconds), 'Start a dispatcher, and read /ready on its METRICS_PORT'),
  ];
};

function describeNoDispatcher(seconds: number | null): string {
  if (seconds === null) return 'no dispatcher has ever run';
  if (seconds < 0) return 'no dispatcher has run since the clock of the database was set back';
  return `no dispatcher has run for ${Math.round(seconds / 60)} minutes`;
}

const checkDisk: Check = async (database) => {
  await probeDisk(database, LARGE_PROBE_ROWS);
  return [good('disk', 'the database can write to the disk')];
};

const BLOCKED_FIX =
  '"queue show" lists them. Organisations that began to wait within 24 hours probably have a common cause: compare client id, secret and TIN of the intermediary with the portal';

const checkWaiting: Check = async ({ manager }) => {
  const waiting = await countWaitingOrganisations(manager);
  const findings = waiting.map(({ environment, reason, together, total }) => {
    const organisations = total === 1 ? 'one organisation' : `${total} organisations`;
    const found = `documents of ${organisations} wait in ${environment}: ${reason}`;
    if (together === 1) return advice('queues', found, 'docs/operations.md#waiting-queues states who can resolve this');
    return problem(
      'queues',
      together === total ? found : `${found}; ${together} of them began to wait within 24 hours`,
      BLOCKED_FIX,
    );
  });
  return findings.length > 0 ? findings : [good('queues', 'no organisation waits')];
};

const checkDoubts: Check = async ({ manager }) => {
  const check = 'doubts';
  const doubts = await readCallsToDecide(manager);
  if (doubts.length === 0) return [good(check, 'no call in doubt waits for an operator')];
  return doubts.map(({ environment, calls, since }) =>
    problem(
      check,
      `${environment}: ${calls} calls in doubt wait for an operator; the oldest was sent at ${since.toISOString()}`,
      'Decide them with "queue release": see "Documents in doubt" in docs/operations.md',
    ),
  );
};

const checkOutcomes: Check = async ({ manager }) => {
  const stuck = await readCallsWithoutOutcome(manager);
  if (stuck.length === 0) return [good('outcomes', 'no document waits for its outcome for more than an hour')];
  return stuck.map(({ environment, calls, since }) => {
    const found = `${environment}: the outcome of ${calls} calls is still unknown; the first was sent at ${since.toISOString()}`;
    return problem('outcomes', found, '"queue show" lists them: see EinvoiceSubmittedStuck in docs/runbook.md');
  });
};

/** Reports overdue calls of other client ids. Calls of the configured client id wait for other reasons. */
const checkClientIds =
  ({ authorities }: Configuration): Check =>
  async ({ manager }) => {
    const check = 'client ids';
    const own = Object.values(authorities).map(({ clientId }) => clientId);
    const overdue = await readOverdueCalls(manager, own);
    if (overdue.length === 0) return [good(check, 'no call waits for a dispatcher with another client id')];
    return overdue.map((calls) =>
      problem(
        check,
        `${calls.environment}, client id ${calls.clientId}: ${describeOverdueCalls(calls)}`,
        'Start a dispatcher with this client id, or decide with "queue release": see "Change the client id" in docs/operations.md',
      ),
    );
  };

/**
 * Runs every check that is still possible after a failure. A check that throws is also a finding.
 * @param openLogin opens a login without a taxpayer
 */
export async function examine(context: CommandContext, openLogin: OpenLogin): Promise<Finding[]> {
  const settings = checkSettings(context);
  const { database, findings } = await openDatabase(settings);
  const found = [...settings.findings, ...findings, ...(await checkLogins(settings, { database, openLogin }))];
  if (database === null) return found;
  try {
    for (const check of [
      checkDispatcher,
      checkWaiting,
      checkDoubts,
      checkOutcomes,
      checkClientIds(settings.configuration),
      checkProcesses(settings),
      checkDisk,
    ]) {
      found.push(...(await runCheck(check, database)));
    }
    return found;
  } finally {
    await database.destroy();
  }
}

interface OpenedDatabase {
  /** Connected as the owner and with the schema of this version; null if the other checks are impossible. */
  readonly database: DataSource | null;
  readonly findings: readonly Finding[];
}

async function openDatabase({ configuration, wrong }: CheckedSettings): Promise<OpenedDatabase> {
  if (wrong.has(OWNER_SETTING)) return { database: null, findings: [] };
  const { databaseUrl: url, databasePreparedStatements: preparesStatements } = configuration;
  const database = createDataSource({ url, poolSize: 2, applicationName: 'einvoice-cli', preparesStatements });
  try {
    await database.initialize();
  } catch (error) {
    const { reason, fix } = describeConnectionError(error, url);
    const finding = problem('database', `${OWNER_SETTING} ${reason}`, fix.charAt(0).toUpperCase() + fix.slice(1));
    return { database: null, findings: [finding] };
  }
  const finding = await checkSchema(database).catch(describeFailure);
  if (finding.result === 'good') return { database, findings: [finding] };
  await database.destroy();
  return { database: null, findings: [finding] };
}

const IS_EMPTY = /* sql */ `SELECT to_regclass('public.schema_migration') IS NULL AS "isEmpty"`;

async function checkSchema(database: DataSource): Promise<Finding> {
  const { name, isOwner } = await readConnectedRole(database.manager);
  if (!isOwner) {
    const found = `${OWNER_SETTING} connects as ${name}, which does not own the tables; no other checks were made`;
    return problem('database', found, 'Connect as the role that migrated the database: einvoice_owner');
  }
  const [{ isEmpty }] = await database.query<[{ isEmpty: boolean }]>(IS_EMPTY);
  if (isEmpty) {
    return problem('database', 'the database was never migrated', 'Run "npm run migrate" as the owner');
  }
  await assertBaseline(database);
  return good('database', `${OWNER_SETTING} connects as ${name}; the schema is that of this version`);
}

function describeFailure(error: unknown): Finding {
  if (error instanceof OtherSchemaError) return problem('database', error.message, 'Use an empty database');
  return isDiskFull(error) ? describeFullDisk(error) : failure('database', error);
}

async function runCheck(check: Check, database: DataSource): Promise<Finding[]> {
  try {
    return await check(database);
  } catch (error) {
    return [describeFailure(error)];
  }
}

function describeFullDisk({ message }: Error): Finding {
  return problem(
    'disk',
    `the disk of the database is full: ${message}`,
    'Free disk space, but do not delete files of PostgreSQL',
  );
}
