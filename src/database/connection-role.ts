import type { DataSource, EntityManager } from 'typeorm';
import { type Configuration, DATABASE_SETTING_BY_ROLE, OPERATOR_DATABASE_SETTING } from '../config/configuration.js';
import { assertBaseline } from './assert-baseline.js';
import { describeConnectionError } from './connection-error.js';
import { createDataSource } from './data-source.js';

/** What an address must connect as, and which rights next to it would open what row security closes. */
interface NeededRole {
  readonly role: string;
  readonly excluded: readonly string[];
}

const NEEDED_ROLES: Readonly<Record<string, NeededRole>> = {
  DATABASE_URL: { role: 'einvoice_app', excluded: ['einvoice_dispatcher', 'einvoice_operator'] },
  DATABASE_DISPATCHER_URL: { role: 'einvoice_dispatcher', excluded: [] },
  DATABASE_OPERATOR_URL: { role: 'einvoice_operator', excluded: ['einvoice_dispatcher'] },
};

// Of the catalogues only, so that it holds on a database of any version, or without a table: then the owner is who owns
// the database. What a session may do now is its current role's, and what SET ROLE and RESET ROLE would let it do is that
// of every role whose member its login is, inherited or not: attributes never are.
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
  /** A role that it is or can take, which row security does not bind; null: there is none. */
  readonly unbound: string | null;
  /** Has the rights of the owner of the tables. */
  readonly isOwner: boolean;
  /** Has these rights, or can take them. */
  readonly mayOwn: boolean;
  /** Of the service's roles, those whose rights it has. */
  readonly held: readonly string[];
  /** Of the service's roles, those whose rights it has or can take. */
  readonly open: readonly string[];
  readonly existing: readonly string[];
}

export async function readConnectedRole(manager: EntityManager): Promise<ConnectedRole> {
  const [role] = await manager.query<[ConnectedRole]>(CONNECTED_ROLE);
  return role;
}

/** What is wrong with the role that a setting connects as; null: nothing. @param isStrict whether it must be bound by row security */
function judgeRole(setting: string, connected: ConnectedRole, isStrict: boolean): string | null {
  const { role, excluded } = NEEDED_ROLES[setting];
  const start = `${setting} connects as ${connected.name}`;
  const forbidden = isStrict ? describeForbidden(connected, excluded) : null;
  if (forbidden !== null) return `${start}, ${forbidden}`;
  // Migrations make the roles; an owner may do everything without them.
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
  return `connect as ${role}, or as a login role that has been granted ${role} alone`;
}

/**
 * That a process may do its work by the addresses of its database, and in production nothing that row security forbids
 * (docs/security.md#refused-in-production), and that the database is of this version. Without it a dispatcher would start
 * whose every loop fails.
 * @throws Error with the name of the setting and what to do
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
      // The operators' pages are opened for the first operator, and the API works without them.
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
