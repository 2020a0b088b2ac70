import type { DataSource } from 'typeorm';
import type { Configuration } from '../../config/configuration.js';
import { ENVIRONMENTS } from '../../config/environment.js';
import { APPLIED_FUNCTIONS, type AppliedFunction, findOutdated, FUNCTIONS } from '../../database/function-files.js';

/** What a check of the deployment found. */
export interface Finding {
  readonly check: string;
  /** `problem`: something does not work; `advice`: it works, and may not for long. */
  readonly result: 'good' | 'advice' | 'problem';
  readonly found: string;
  /** What to do; null when nothing is. */
  readonly fix: string | null;
}

type Check = (dataSource: DataSource, configuration: Configuration) => Promise<Finding[]>;

const CLOCK_SECONDS_MAX = 5;
const REQUEST_MS_MAX = 5_000;
const BACKUP_HOURS_MAX = 26;
const STANDBY_SECONDS_MAX = 60;
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

/** Of an instant that was read between then and now: what lies outside. */
function deviation(instant: Date, askedAt: number): number {
  return Math.max(0, askedAt - instant.getTime(), instant.getTime() - Date.now()) / 1_000;
}

const LOGIN = /* sql */ `
  SELECT EXISTS (SELECT FROM authority_pace WHERE client_id = $1 AND environment = $2 AND api = 'login'
                  AND blocked_reason = 'client_refused') AS "isRefused",
         EXISTS (SELECT FROM authority_token WHERE client_id = $1 AND environment = $2
                  AND expires_at > service_now()) AS "isLoggedIn"`;

const checkAuthority: Check = async (dataSource, { authorities }) => {
  const findings = ENVIRONMENTS.map(async (environment): Promise<Finding[]> => {
    const settings = authorities[environment];
    if (settings === undefined) return [];
    const check = `authority ${environment}`;
    const [{ isRefused, isLoggedIn }] = await dataSource.manager.query<[{ isRefused: boolean; isLoggedIn: boolean }]>(
      LOGIN,
      [settings.clientId, environment],
    );
    const prefix = `AUTHORITY_${environment.toUpperCase()}`;
    const login = isRefused
      ? problem(check, 'it refuses the client id or secret', `Correct ${prefix}_CLIENT_ID and _CLIENT_SECRET; restart`)
      : isLoggedIn
        ? good(check, 'a login of the last hour is valid')
        : advice(
            check,
            'no login of the last hour: none was needed, or none worked',
            'See "queue show" when documents wait',
          );
    return [
      await checkReachable(check, settings.apiUrl, `${prefix}_API_URL`),
      await checkReachable(check, settings.identityUrl, `${prefix}_IDENTITY_URL`),
      login,
    ];
  });
  const found = (await Promise.all(findings)).flat();
  if (found.length > 0) return found;
  const fix = 'Run it with the AUTHORITY_… settings and SECRETS_KEY of the dispatcher';
  return [advice('authority', 'not checked: no environment is set here', fix)];
};

// Any response will do; without a token it counts for no limit, and nobody logs in for it.
async function checkReachable(check: string, url: string, setting: string): Promise<Finding> {
  const askedAt = Date.now();
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(REQUEST_MS_MAX) });
    await response.body?.cancel();
    const date = new Date(response.headers.get('date') ?? Number.NaN);
    // Given in whole seconds.
    const seconds = Number.isNaN(date.getTime()) ? 0 : deviation(date, askedAt - 1_000);
    if (seconds <= CLOCK_SECONDS_MAX) return good(check, `${setting} responds`);
    return problem(check, `its clock differs by ${Math.round(seconds)} s`, 'Let this machine follow NTP');
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
    const fix = `Compare ${setting}; open network, firewall and DNS for its host`;
    return problem(check, `${setting} does not respond: ${reason}`, fix);
  }
}

const DISPATCHERS = /* sql */ `
  SELECT extract(epoch FROM service_now() - max(last_run_at))::float8 AS seconds FROM housekeeping_task`;

const checkDispatcher: Check = async ({ manager }) => {
  const [{ seconds }] = await manager.query<[{ seconds: number | null }]>(DISPATCHERS);
  if (seconds !== null && seconds < 300)
    return [good('dispatcher', `one ran ${Math.round(Math.max(0, seconds))} s ago`)];
  const found = seconds === null ? 'none has ever run' : `none has run for ${Math.round(seconds / 60)} minutes`;
  return [problem('dispatcher', found, 'Start one, and read /ready on its METRICS_PORT')];
};

const REPLICATION = /* sql */ `
  SELECT count(*)::integer AS standbys, count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))::integer AS synchronous,
         max(extract(epoch FROM replay_lag))::float8 AS "lagSeconds"
    FROM pg_stat_replication`;

interface ReplicationRow {
  readonly standbys: number;
  readonly synchronous: number;
  readonly lagSeconds: number | null;
}

const checkReplication: Check = async ({ manager }) => {
  const [{ standbys, synchronous, lagSeconds }] = await manager.query<[ReplicationRow]>(REPLICATION);
  const check = 'replication';
  if (standbys === 0) {
    return [advice(check, 'no standby: accepted documents are lost with the server', 'See docs/operations.md#backups')];
  }
  const found = `${standbys} standbys, ${synchronous} of them synchronous`;
  if ((lagSeconds ?? 0) > STANDBY_SECONDS_MAX) {
    return [
      problem(check, `${found}, ${Math.round(lagSeconds ?? 0)} s behind`, 'Look at network and disk of the standby'),
    ];
  }
  return [synchronous > 0 ? good(check, found) : advice(check, found, 'Set synchronous_standby_names to lose nothing')];
};

const ARCHIVER = /* sql */ `
  SELECT current_setting('archive_mode') <> 'off' AS "isOn",
         extract(epoch FROM now() - last_archived_time)::float8 / 3600 AS hours,
         coalesce(last_failed_time > last_archived_time, last_failed_time IS NOT NULL) AS "isFailing"
    FROM pg_stat_archiver`;

interface ArchiverRow {
  readonly isOn: boolean;
  readonly hours: number | null;
  readonly isFailing: boolean;
}

const checkBackups: Check = async ({ manager }) => {
  const [{ isOn, hours, isFailing }] = await manager.query<[ArchiverRow]>(ARCHIVER);
  const fix = 'See docs/operations.md#backups';
  if (!isOn) return [advice('backups', 'WAL is not archived; dumps are not seen from here', fix)];
  if (isFailing) return [problem('backups', 'the last archiving of WAL failed', 'Read the log of PostgreSQL')];
  if (hours === null || hours > BACKUP_HOURS_MAX) {
    const found = hours === null ? 'no WAL was archived yet' : `no WAL was archived for ${Math.round(hours)} hours`;
    return [problem('backups', found, 'Set archive_timeout, and read the log of PostgreSQL')];
  }
  return [good('backups', `WAL was archived ${hours.toFixed(1)} hours ago`)];
};

const CHECKS: readonly Check[] = [
  checkMigrations,
  checkRoles,
  checkGrants,
  checkClock,
  checkAuthority,
  checkDispatcher,
  checkReplication,
  checkBackups,
];

/** Checks the deployment; reads only, and logs in nowhere. A check that fails is a finding too. */
export async function examine(dataSource: DataSource, configuration: Configuration): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of CHECKS) {
    const found = await check(dataSource, configuration).catch((error: unknown): Finding[] => {
      const reason = error instanceof Error ? error.message : String(error);
      return [problem('database', `a check ended with: ${reason}`, `${MIGRATE}; then run doctor again`)];
    });
    findings.push(...found);
  }
  return findings;
}

function good(check: string, found: string): Finding {
  return { check, result: 'good', found, fix: null };
}

function advice(check: string, found: string, fix: string): Finding {
  return { check, result: 'advice', found, fix };
}

function problem(check: string, found: string, fix: string): Finding {
  return { check, result: 'problem', found, fix };
}
