import { describe, expect, it } from 'vitest';
import { startFileService } from '../support/file-service.js';
import { GRANTS } from './grants.js';

// Compares the privileges in the catalogue with a list, because they limit a stolen connection.

// Extensions test the grants of their tables themselves.
const service = await startFileService({ extensions: [] });
const { owner } = service;

// Sorted by SELECT, INSERT, UPDATE, DELETE.
const READ_GRANTS = /* sql */ `
  WITH relation AS (
    SELECT c.oid, c.relname AS object, a.grantee, a.privilege_type AS privilege, NULL::text AS columns
      FROM pg_class c CROSS JOIN aclexplode(c.relacl) a
     WHERE c.relnamespace = 'public'::regnamespace
    UNION ALL
    SELECT c.oid, c.relname, a.grantee, a.privilege_type, string_agg(t.attname, ', ' ORDER BY t.attname)
      FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid CROSS JOIN aclexplode(t.attacl) a
     WHERE c.relnamespace = 'public'::regnamespace GROUP BY 1, 2, 3, 4
  ), granted AS (
    SELECT grantee, object,
           string_agg(privilege || coalesce(' (' || columns || ')', ''), ', '
             ORDER BY position(privilege IN 'SELECT INSERT UPDATE DELETE'), privilege, columns NULLS FIRST) AS privileges
      FROM relation GROUP BY 1, 2
    UNION ALL
    SELECT a.grantee, p.proname || '()', string_agg(a.privilege_type, ', ')
      FROM pg_proc p CROSS JOIN aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
     WHERE p.pronamespace = 'public'::regnamespace GROUP BY 1, 2
    UNION ALL
    SELECT a.grantee, 'schema ' || n.nspname, string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type)
      FROM pg_namespace n CROSS JOIN aclexplode(n.nspacl) a
     WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') GROUP BY 1, 2
    UNION ALL
    SELECT a.grantee, 'database', string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type)
      FROM pg_database d CROSS JOIN aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
     WHERE d.datname = current_database() GROUP BY 1, 2
    UNION ALL
    SELECT a.grantee, 'later ' || d.defaclobjtype::text, string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type)
      FROM pg_default_acl d CROSS JOIN aclexplode(d.defaclacl) a GROUP BY 1, 2
    UNION ALL
    SELECT m.member, 'member of ' || m.roleid::regrole, 'MEMBER' FROM pg_auth_members m
  )
  SELECT object, privileges FROM granted
   WHERE grantee = CASE $1 WHEN 'PUBLIC' THEN 0 ELSE to_regrole($1)::oid END ORDER BY object COLLATE "C"`;

async function readGrants(role: string): Promise<[object: string, privileges: string][]> {
  const rows = await owner.query<{ object: string; privileges: string }[]>(READ_GRANTS, [role]);
  return rows.map(({ object, privileges }) => [object, privileges]);
}

describe('a database role', () => {
  it.each(Object.keys(GRANTS))('has exactly the listed privileges: %s', async (role) => {
    const found = await readGrants(role);
    const functions = found.filter(([object]) => object.endsWith('()'));
    expect(functions.map(([name, privileges]) => `${name}: ${privileges}`)).toEqual(
      GRANTS[role].functions.split(' ').map((name) => `${name}(): EXECUTE`),
    );
    expect(Object.fromEntries(found.filter(([object]) => !object.endsWith('()')))).toEqual(GRANTS[role].others);
  });

  it('has no privileges unless it is listed', async () => {
    const roles = await owner.query<{ role: string }[]>(
      `SELECT rolname AS role FROM pg_roles WHERE rolname !~ '^pg_' AND NOT rolsuper AND rolname <> 'einvoice_owner'`,
    );
    const withGrants: string[] = [];
    for (const { role } of roles) if ((await readGrants(role)).length > 0) withGrants.push(role);
    expect(withGrants.toSorted()).toEqual(
      Object.keys(GRANTS)
        .filter((role) => role !== 'PUBLIC')
        .toSorted(),
    );
  });

  it('owns no objects in any database', async () => {
    const owned = await owner.query<{ role: string }[]>(
      `SELECT refobjid::regrole::text AS role FROM pg_shdepend
        WHERE deptype = 'o' AND refobjid IN (SELECT oid FROM pg_roles WHERE rolname = ANY ($1))`,
      [Object.keys(GRANTS)],
    );
    expect(owned).toEqual([]);
  });
});

const ACCOUNT_TABLES = ['user_account', 'user_session', 'sign_in_throttle'];

describe('users, sessions and throttles', () => {
  it('can be updated only by functions', async () => {
    const left: string[] = [];
    for (const role of Object.keys(GRANTS)) {
      for (const [object, privileges] of await readGrants(role)) {
        if (ACCOUNT_TABLES.includes(object) && privileges.includes('UPDATE')) left.push(`${role}: ${object}`);
      }
    }
    expect(left).toEqual([]);
  });
});
