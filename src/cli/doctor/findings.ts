import type { DataSource } from 'typeorm';
import type { PlatformLogin } from '../../authority/platform-login.js';
import type { Configuration } from '../../config/configuration.js';
import { APPLIED_FUNCTIONS, type AppliedFunction, findOutdated, FUNCTIONS } from '../../database/function-files.js';
import { readRecoveryWaits } from '../../queue-operations/recovery-waits.js';
import { CLOCK_SECONDS_MAX, checkAuthorities, deviation } from './authority-findings.js';
import { checkBackups, checkHosts, checkReplication } from './database-findings.js';
import { type Finding, good, problem } from './finding.js';

type Check = (dataSource: DataSource, configuration: Configuration, login: PlatformLogin | null) => Promise<Finding[]>;

const MIGRATE = 'Run "npm run migrate" as the owner';

const APPLIED = /* sql */ `SELECT name::text AS name FROM schema_migration`;

const checkMigrations: Check = async ({ manager, migrations }) => {
  const applied = (await manager.query<{ name: string }[]>(APPLIED)).map(({ name }) => name);
  const missing = migrations
    .map(({ name, constructor }) => name ?? constructor.name)
    .filter((name) => !applied.includes(name));
  // A migration makes the table.
  const hasFunctions = applied.some((name) => name.startsWith('DatabaseFunctions'));
  const recorded = hasFunctions ? await manager.query<AppliedFunction[]>(APPLIED_FUNCTIONS) : [];
  const outdated = findOutdated(recorded, FUNCTIONS).map(({ name }) => name);
  return [
    ...(missing.length > 0 ? [problem('migrations', `missing: ${missing.join(', ')}`, MIGRATE)] : []),
    ...(outdated.length > 0 ? [problem('migrations', `outdated functions: ${outdated.join(', ')}`, MIGRATE)] : []),
    ...(missing.length + outdated.length === 0
      ? [good('migrations', `all ${applied.length} and their functions`)]
      : []),
  ];
};

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

const UNGRANTED = /* sql */ `
  SELECT wanted.role, wanted.name
    FROM unnest($1::text[], $2::text[]) AS wanted (role, name)
    JOIN pg_roles r ON r.rolname = wanted.role
    LEFT JOIN pg_proc p ON p.proname = wanted.name AND p.pronamespace = 'public'::regnamespace
   WHERE p.oid IS NULL OR NOT has_function_privilege(r.oid, p.oid, 'EXECUTE')`;

const UNPROTECTED = /* sql */ `
  SELECT c.relname::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'tenant_id' AND NOT a.attisdropped
     AND NOT c.relrowsecurity`;

const checkGrants: Check = async ({ manager }) => {
  const wanted = FUNCTIONS.files.flatMap(({ name, text }) => {
    const [, roles = ''] = /GRANT EXECUTE ON FUNCTION \w+(?: ?\([^)]*\))? TO ([\w, ]+);/.exec(text) ?? [];
    return roles
      .split(',')
      .map((role) => role.trim())
      .filter(Boolean)
      .map((role) => ({ role, name }));
  });
  const parameters = [wanted.map(({ role }) => role), wanted.map(({ name }) => name)];
  const ungranted = await manager.query<{ role: string; name: string }[]>(UNGRANTED, parameters);
  const unprotected = await manager.query<{ name: string }[]>(UNPROTECTED);
  return [
    ...ungranted.map(({ role, name }) =>
      problem('grants', `${role} may not call ${name}`, `GRANT EXECUTE ON FUNCTION ${name} TO ${role}, as the owner`),
    ),
    ...unprotected.map(({ name }) =>
      problem('grants', `${name} has no row security`, `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY, as the owner`),
    ),
    ...(ungranted.length + unprotected.length === 0 ? [good('grants', 'functions and row security')] : []),
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
  if (seconds !== null && seconds < 300)
    return [good('dispatcher', `one ran ${Math.round(Math.max(0, seconds))} s ago`)];
  const found = seconds === null ? 'none has ever run' : `none has run for ${Math.round(seconds / 60)} minutes`;
  return [problem('dispatcher', found, 'Start one, and read /ready on its METRICS_PORT')];
};

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

const CHECKS: readonly Check[] = [
  checkMigrations,
  checkRoles,
  checkGrants,
  checkClock,
  checkAuthorities,
  checkDispatcher,
  checkRecovery,
  (_dataSource, { databaseUrl }) => checkHosts(databaseUrl),
  ({ manager }) => checkReplication(manager),
  ({ manager }) => checkBackups(manager),
];

/**
 * Checks the deployment; a check that fails is a finding too.
 * @param login makes one login for each environment, in nobody's name; null: none is made
 */
export async function examine(
  dataSource: DataSource,
  configuration: Configuration,
  login: PlatformLogin | null,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of CHECKS) {
    const found = await check(dataSource, configuration, login).catch((error: unknown): Finding[] => {
      const reason = error instanceof Error ? error.message : String(error);
      return [problem('database', `a check ended with: ${reason}`, `${MIGRATE}; then run doctor again`)];
    });
    findings.push(...found);
  }
  return findings;
}
