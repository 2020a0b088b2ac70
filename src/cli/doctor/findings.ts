import type { DataSource } from 'typeorm';
import { BASELINE } from '../../database/assert-baseline.js';
import { GRANTS, listPrivileges } from '../../database/grants.js';
import { LARGE_PROBE_ROWS, probeDisk } from '../../database/disk-probe.js';
import { isDiskFull } from '../../errors/database-unavailable.js';
import { countBlockedOrganisations } from '../../dispatcher/queue/blocked-organisations.js';
import type { Configuration } from '../../config/configuration.js';
import { readCallsWithoutOutcome, readDoubtsToDecide } from '../../dispatcher/releases/doubts.js';
import { describeOverdueCalls, readOverdueCalls } from '../../dispatcher/queue/overdue-calls.js';
import { readRecoveryWaits } from '../../recovery/recovery-waits.js';
import type { CommandContext } from '../command-context.js';
import { CLOCK_SECONDS_MAX, checkAuthorities, deviation, type OpenLogin } from './authority-findings.js';
import { openConnections } from './connection-findings.js';
import { checkBackups, checkReplication } from './database-findings.js';
import { advice, failure, type Finding, good, problem } from './finding.js';
import { checkProcesses } from './process-findings.js';
import { checkSettings } from './settings-findings.js';

type Check = (database: DataSource) => Promise<Finding[]>;

const MIGRATE = 'Run "npm run migrate" as the owner';

const HAS_MIGRATIONS = /* sql */ `SELECT to_regclass('public.schema_migration') IS NOT NULL AS "hasTable"`;
const APPLIED = /* sql */ `SELECT name::text AS name FROM schema_migration`;

interface CheckedMigrations {
  readonly findings: readonly Finding[];
  /** Nothing that migrations make is there. */
  readonly isEmpty: boolean;
  readonly isComplete: boolean;
}

async function checkMigrations(database: DataSource): Promise<CheckedMigrations> {
  try {
    return await compareMigrations(database);
  } catch (error) {
    // Whatever is missing, the other checks then say.
    return { findings: [failure('migrations', error)], isEmpty: false, isComplete: true };
  }
}

async function compareMigrations({ manager, migrations }: DataSource): Promise<CheckedMigrations> {
  const [{ hasTable }] = await manager.query<[{ hasTable: boolean }]>(HAS_MIGRATIONS);
  const applied = hasTable ? (await manager.query<{ name: string }[]>(APPLIED)).map(({ name }) => name) : [];
  if (applied.length === 0) {
    const findings = [problem('migrations', 'the database is empty: it was never migrated', MIGRATE)];
    return { findings, isEmpty: true, isComplete: false };
  }
  if (!applied.includes(BASELINE)) {
    const findings = [
      problem('migrations', 'the database has another schema than this version', 'Use an empty database'),
    ];
    return { findings, isEmpty: false, isComplete: false };
  }
  const missing = migrations
    .map(({ name, constructor }) => name ?? constructor.name)
    .filter((name) => !applied.includes(name));
  const isComplete = missing.length === 0;
  const finding = isComplete
    ? good('migrations', 'all are applied')
    : problem('migrations', `missing: ${missing.join(', ')}`, MIGRATE);
  return { findings: [finding], isEmpty: false, isComplete };
}

const ROLES = ['einvoice_app', 'einvoice_dispatcher', 'einvoice_operator'];

const READ_ROLES = /* sql */ `
  SELECT r.rolname::text AS name, r.rolsuper OR r.rolbypassrls AS "isUnbound",
         EXISTS (SELECT FROM pg_class c WHERE c.relowner = r.oid AND c.relnamespace = 'public'::regnamespace) AS "isOwner"
    FROM pg_roles r WHERE r.rolname = ANY ($1::text[])`;

interface RoleRow {
  readonly name: string;
  readonly isUnbound: boolean;
  readonly isOwner: boolean;
}

const checkRoles: Check = async ({ manager }) => {
  const roles = await manager.query<RoleRow[]>(READ_ROLES, [ROLES]);
  const findings = ROLES.map((name) => {
    const role = roles.find((each) => each.name === name);
    if (role === undefined)
      return problem('roles', `${name} is missing`, 'Create it as docs/operations.md#database says');
    if (role.isUnbound) {
      const found = `${name} reads all organisations: it is a superuser or has BYPASSRLS`;
      return problem('roles', found, `ALTER ROLE ${name} NOSUPERUSER NOBYPASSRLS`);
    }
    return role.isOwner
      ? problem('roles', `${name} owns tables`, 'Let einvoice_owner own them, and migrate as it')
      : null;
  }).filter((finding) => finding !== null);
  return findings.length > 0 ? findings : [good('roles', `${ROLES.join(', ')} are bound by row security`)];
};

// Missing functions are reported by the check of migrations.
const UNGRANTED = /* sql */ `
  SELECT wanted.role, array_agg(wanted.name ORDER BY wanted.name) AS names
    FROM unnest($1::text[], $2::text[]) AS wanted (role, name)
    JOIN pg_roles r ON r.rolname = wanted.role
    JOIN pg_proc p ON p.proname = wanted.name AND p.pronamespace = 'public'::regnamespace
   WHERE NOT has_function_privilege(r.oid, p.oid, 'EXECUTE')
   GROUP BY wanted.role`;

// Checks only tables, columns and sequences that exist. Missing ones are reported by the check of migrations.
const LOST = /* sql */ `
  SELECT role, object, string_agg(privilege || coalesce(' (' || columns || ')', ''), ', ' ORDER BY privilege) AS privileges
    FROM (
      SELECT wanted.role, wanted.object, wanted.privilege, string_agg(wanted.name, ', ' ORDER BY wanted.name) AS columns
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS wanted (role, object, privilege, name)
        JOIN pg_roles r ON r.rolname = wanted.role
        JOIN pg_class c ON c.relname = wanted.object AND c.relnamespace = 'public'::regnamespace
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = wanted.name
       WHERE NOT CASE WHEN c.relkind = 'S' THEN has_sequence_privilege(r.oid, c.oid, wanted.privilege)
                      WHEN wanted.name IS NULL THEN has_table_privilege(r.oid, c.oid, wanted.privilege)
                      ELSE coalesce(has_column_privilege(r.oid, c.oid, a.attnum, wanted.privilege), true) END
       GROUP BY 1, 2, 3) lost
   GROUP BY role, object ORDER BY role, object`;

interface LostRow {
  readonly role: string;
  readonly object: string;
  readonly privileges: string;
}

/** One finding for each role: a restore without privileges takes dozens. */
async function checkPrivileges({ manager }: DataSource): Promise<Finding[]> {
  const wanted = listPrivileges(ROLES);
  const columns = (['role', 'object', 'privilege', 'column'] as const).map((name) => wanted.map((each) => each[name]));
  const rows = await manager.query<LostRow[]>(LOST, columns);
  return ROLES.flatMap((role) => {
    const lost = rows.filter((row) => row.role === role);
    if (lost.length === 0) return [];
    const found = `${role} lacks ${lost.map(({ privileges, object }) => `${privileges} of ${object}`).join(', ')}`;
    const statements = lost.map(({ privileges, object }) => `GRANT ${privileges} ON ${object} TO ${role};`);
    return [problem('grants', found, `As the owner: ${statements.join(' ')}`)];
  });
}

// A restore without privileges leaves each function to PUBLIC, as a new one.
const OPENED = /* sql */ `
  SELECT array_agg(proname::text ORDER BY proname) AS names FROM pg_proc
   WHERE pronamespace = 'public'::regnamespace AND proname = ANY ($1::text[])
     AND has_function_privilege('public', oid, 'EXECUTE')
  HAVING count(*) > 0`;

const UNPROTECTED = /* sql */ `
  SELECT c.relname::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'tenant_id' AND NOT a.attisdropped
     AND NOT c.relrowsecurity`;

const checkGrants: Check = async (database) => {
  const { manager } = database;
  const wanted = ROLES.flatMap((role) => GRANTS[role].functions.split(' ').map((name) => ({ role, name })));
  const parameters = [wanted.map(({ role }) => role), wanted.map(({ name }) => name)];
  const ungranted = await manager.query<{ role: string; names: string[] }[]>(UNGRANTED, parameters);
  const unprotected = await manager.query<{ name: string }[]>(UNPROTECTED);
  const opened = await manager.query<{ names: string[] }[]>(OPENED, [wanted.map(({ name }) => name)]);
  const lost = await checkPrivileges(database);
  return [
    ...lost,
    ...opened.map(({ names }) => {
      const functions = names.join(', ');
      return problem(
        'grants',
        `every role may call ${functions}`,
        `As the owner: REVOKE EXECUTE ON FUNCTION ${functions} FROM PUBLIC;`,
      );
    }),
    ...ungranted.map(({ role, names }) => {
      const functions = names.join(', ');
      const fix = `GRANT EXECUTE ON FUNCTION ${functions} TO ${role}, as the owner`;
      return problem('grants', `${role} may not call ${functions}`, fix);
    }),
    ...unprotected.map(({ name }) =>
      problem('grants', `${name} has no row security`, `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY, as the owner`),
    ),
    ...(ungranted.length + unprotected.length + opened.length + lost.length === 0
      ? [good('grants', 'tables, functions and row security')]
      : []),
  ];
};

const CLOCK = /* sql */ `SELECT clock_timestamp() AS now`;

const checkClock: Check = async ({ manager }) => {
  const askedAt = Date.now();
  const [{ now }] = await manager.query<[{ now: Date }]>(CLOCK);
  const seconds = deviation(now, askedAt);
  const found = `the database differs from this machine by ${Math.round(seconds)} s`;
  if (seconds <= CLOCK_SECONDS_MAX) return [good('clocks', found)];
  return [problem('clocks', found, 'Let both follow NTP; documents are dated by the clock of the database')];
};

const DISPATCHERS = /* sql */ `
  SELECT extract(epoch FROM service_now() - max(last_run_at))::float8 AS seconds FROM housekeeping_task`;

const checkDispatcher: Check = async ({ manager }) => {
  const [{ seconds }] = await manager.query<[{ seconds: number | null }]>(DISPATCHERS);
  // A run in the future was before the clock was set back; a running dispatcher corrects it within half a minute.
  const isRunning = seconds !== null && seconds > -60 && seconds < 300;
  if (isRunning) return [good('dispatcher', `one ran ${Math.round(Math.max(0, seconds))} s ago`)];
  return [problem('dispatcher', describeNoDispatcher(seconds), 'Start one, and read /ready on its METRICS_PORT')];
};

function describeNoDispatcher(seconds: number | null): string {
  if (seconds === null) return 'none has ever run';
  if (seconds < 0) return 'none has run since the clock of the database was set back';
  return `none has run for ${Math.round(seconds / 60)} minutes`;
}

const checkRecovery: Check = async ({ manager }) => {
  const { openSince, heldTenants, searchTenants } = await readRecoveryWaits(manager);
  const check = 'recovery';
  const held = `a restore holds ${heldTenants} tenants since ${openSince?.toISOString()}`;
  const waiting = `documents of ${searchTenants.length} tenants wait, because the authority has their numbers`;
  return [
    ...(openSince === null ? [] : [problem(check, held, 'Go on with docs/restore.md: "recover search" and "release"')]),
    ...(searchTenants.length === 0
      ? []
      : [problem(check, waiting, `Run "recover search ${searchTenants.join(' ')}", and decide what it leaves`)]),
    ...(openSince === null && searchTenants.length === 0
      ? [
          good(
            check,
            'no restore holds a tenant; one to the end of the WAL looks like a promotion: see docs/restore.md',
          ),
        ]
      : []),
  ];
};

const checkDisk: Check = async (database) => {
  await probeDisk(database, LARGE_PROBE_ROWS);
  return [good('disk', 'the database can write to it')];
};

const BLOCKED_FIX =
  '"queue show" names them; several that were blocked within 24 hours probably have a cause in common: compare client id, secret and TIN of the intermediary in the portal';

const checkBlocked: Check = async ({ manager }) => {
  const blocked = await countBlockedOrganisations(manager);
  const findings = blocked.map(({ environment, reason, together, total }) => {
    const organisations = total === 1 ? 'one organisation' : `${total} organisations`;
    const found = `documents of ${organisations} wait in ${environment}: ${reason}`;
    if (together === 1) return advice('queues', found, 'docs/operations.md#blocked-queues states who can end it');
    return problem(
      'queues',
      together === total ? found : `${found}; ${together} of them were blocked within 24 hours`,
      BLOCKED_FIX,
    );
  });
  return findings.length > 0 ? findings : [good('queues', 'no organisation is blocked')];
};

const checkDoubts: Check = async ({ manager }) => {
  const check = 'doubts';
  const doubts = await readDoubtsToDecide(manager);
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
    const found = `${environment}: no poll has shown the outcome of ${calls} calls; the first was sent at ${since.toISOString()}`;
    return problem('outcomes', found, '"queue show" lists them: see EinvoiceSubmittedStuck in docs/runbook.md');
  });
};

/** Reports calls of client ids that no dispatcher works on. Calls of the configured client id wait for other reasons. */
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

/** Of what the migrations make. */
const SCHEMA_CHECKS: readonly Check[] = [checkRoles, checkGrants];
const WORK_CHECKS: readonly Check[] = [checkDispatcher, checkRecovery, checkBlocked, checkDoubts, checkOutcomes];
const SERVER_CHECKS: readonly Check[] = [
  checkDisk,
  ({ manager }) => checkReplication(manager),
  ({ manager }) => checkBackups(manager),
];

// The SQL states of an unknown table, column or function.
const UNKNOWN_OBJECT = /^42(?:P01|703|883)$/;

/**
 * Runs every check that is still possible after a failure; a check that fails is a finding too.
 * @param openLogin opens the login that each environment is checked with, without a taxpayer
 */
export async function examine(context: CommandContext, openLogin: OpenLogin): Promise<Finding[]> {
  const settings = checkSettings(context);
  const { owner, findings } = await openConnections(context.environment, settings);
  const found = [...settings.findings, ...findings];
  if (owner === null) return [...found, ...(await checkAuthorities(settings, { database: null, openLogin }))];
  try {
    const { findings: migrations, isEmpty, isComplete } = await checkMigrations(owner);
    const run = async (checks: readonly Check[]): Promise<void> => {
      for (const check of checks) found.push(...(await runCheck(check, owner, isComplete)));
    };
    found.push(...migrations);
    await run([...(isEmpty ? [] : SCHEMA_CHECKS), checkClock]);
    found.push(...(await checkAuthorities(settings, { database: isEmpty ? null : owner, openLogin })));
    const workChecks = [...WORK_CHECKS, checkClientIds(settings.configuration), checkProcesses(settings)];
    await run([...(isEmpty ? [] : workChecks), ...SERVER_CHECKS]);
    return found;
  } finally {
    await owner.destroy();
  }
}

async function runCheck(check: Check, database: DataSource, isComplete: boolean): Promise<Finding[]> {
  try {
    return await check(database);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // A migration makes it, and is named.
    if (!isComplete && UNKNOWN_OBJECT.test(code)) return [];
    return [isDiskFull(error) ? describeFullDisk(error) : failure('database', error)];
  }
}

function describeFullDisk({ message }: Error): Finding {
  return problem(
    'disk',
    `the disk of the database is full: ${message}`,
    'Make room on it: delete no file of PostgreSQL',
  );
}
