import type { DataSource, EntityManager } from 'typeorm';
import { type Configuration, DATABASE_SETTING_BY_ROLE, OPERATOR_DATABASE_SETTING } from '../config/configuration.js';
import { assertBaseline } from './assert-baseline.js';
import { describeConnectionError } from './connection-error.js';
import { createDataSource } from './data-source.js';

interface NeededRole {
  readonly role: string;
  readonly excluded: readonly string[];
}

const NEEDED_ROLES: Readonly<Record<string, NeededRole>> = {
  DATABASE_URL: { role: 'einvoice_app', excluded: ['einvoice_dispatcher', 'einvoice_operator'] },
  DATABASE_DISPATCHER_URL: { role: 'einvoice_dispatcher', excluded: [] },
  DATABASE_OPERATOR_URL: { role: 'einvoice_operator', excluded: ['einvoice_dispatcher'] },
};

// Reads only catalogues, so it works with any schema. Without tables, the owner of the database counts as the owner.
const CONNECTED_ROLE = /* sql */ `
  WITH owner AS (
    SELECT c.relowner AS oid FROM pg_class c
     WHERE c.relnamespace = to_regnamespace('public') AND c.relkind IN ('r', 'p')
    UNION
    SELECT d.datdba FROM pg_database d
     WHERE d.datname = current_database()
       AND NOT EXISTS (SELECT FROM pg_class c
                        WHERE c.relnamespace = to_regnamespace('public') AND c.relkind IN ('r', 'p'))),
  service_role AS (SELECT rolname::text AS name, oid FROM pg_roles WHERE rolname LIKE 'einvoice\\_%')
  SELECT current_user::text AS name,
         (SELECT r.rolname::text FROM pg_roles r
           WHERE (r.rolsuper OR r.rolbypassrls) AND pg_has_role(session_user, r.oid, 'MEMBER')
           ORDER BY r.rolname <> current_user, r.rolname <> session_user, r.rolname LIMIT 1) AS unbound,
         EXISTS (SELECT FROM owner WHERE pg_has_role(current_user, oid, 'USAGE')) AS "isOwner",
         EXISTS (SELECT FROM owner WHERE pg_has_role(session_user, oid, 'MEMBER')) AS "mayOwn",
         ARRAY(SELECT name FROM service_role WHERE pg_has_role(current_user, oid, 'USAGE')) AS held,
         ARRAY(SELECT name FROM service_role WHERE pg_has_role(session_user, oid, 'MEMBER')) AS open,
         ARRAY(SELECT name FROM service_role) AS existing`;

interface ConnectedRole {
  readonly name: string;
  /** A current or reachable role that bypasses row-level security, or null. */
  readonly unbound: string | null;
  readonly isOwner: boolean;
  /** Is, or can become, the owner of the tables. */
  readonly mayOwn: boolean;
  readonly held: readonly string[];
  /** The service's roles whose rights the connection has or can acquire. */
  readonly open: readonly string[];
  readonly existing: readonly string[];
}

export async function readConnectedRole(manager: EntityManager): Promise<ConnectedRole> {
  const [role] = await manager.query<[ConnectedRole]>(CONNECTED_ROLE);
  return role;
}

/** Returns what is wrong with a connection's role, or null. @param isStrict whether row-level security must apply */
function judgeRole(setting: string, connected: ConnectedRole, isStrict: boolean): string | null {
  const { role, excluded } = NEEDED_ROLES[setting];
  const start = `${setting} connects as ${connected.name}`;
  const forbidden = isStrict ? describeForbidden(connected, excluded) : null;
  if (forbidden !== null) return `${start}, ${forbidden}`;
  // The migration creates the roles. An owner needs none.
  const mayWork = connected.isOwner || connected.held.includes(role) || !connected.existing.includes(role);
  return mayWork ? null : `${start}, which does not have the rights of ${role}`;
}

function describeForbidden(
  { name, unbound, isOwner, mayOwn, open }: ConnectedRole,
  excluded: readonly string[],
): string | null {
  if (unbound !== null) {
    const start = unbound === name ? '' : `which can become ${unbound}, `;
    return `${start}a superuser or a role with BYPASSRLS, which reads all organisations`;
  }
  if (mayOwn) return `which ${isOwner ? 'owns' : 'can become the owner of'} the tables and so reads all organisations`;
  const tooMany = open.filter((role) => excluded.includes(role));
  return tooMany.length > 0 ? `which also has the rights of ${tooMany.join(' and ')}` : null;
}

function describeRoleFix(setting: string): string {
  const { role } = NEEDED_ROLES[setting];
  return `connect as ${role}, or as a login role that has been granted only ${role}`;
}

/**
 * Checks that the database has the schema of this version and that each connection has the rights of its role, and in
 * production no others (docs/security.md#refused-in-production).
 * @throws Error with the name of the setting and the fix
 */
export async function assertDatabase(configuration: Configuration): Promise<void> {
  const { role, databaseUrl, operatorDatabaseUrl } = configuration;
  await assertRole(DATABASE_SETTING_BY_ROLE[role], databaseUrl, configuration);
  await connectOnce(databaseUrl, configuration, assertBaseline);
  if (operatorDatabaseUrl !== null) await assertRole(OPERATOR_DATABASE_SETTING, operatorDatabaseUrl, configuration);
}

async function assertRole(setting: string, url: string, configuration: Configuration): Promise<void> {
  const connected = await connectOnce(url, configuration, ({ manager }) => readConnectedRole(manager)).catch(
    (error: unknown) => {
      // The API works without the operators' pages.
      if (setting === OPERATOR_DATABASE_SETTING) return null;
      const { reason, fix } = describeConnectionError(error, url);
      throw new Error(`${setting} ${reason}. To correct it: ${fix}`, { cause: error });
    },
  );
  const problem = connected === null ? null : judgeRole(setting, connected, configuration.isProduction);
  if (problem !== null) throw new Error(`${problem}. To correct it: ${describeRoleFix(setting)}`);
}

async function connectOnce<T>(
  url: string,
  { databasePreparedStatements: preparesStatements }: Configuration,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const dataSource = createDataSource({ url, poolSize: 1, applicationName: 'einvoice-start', preparesStatements });
  await dataSource.initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
