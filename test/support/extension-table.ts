import { expect } from 'vitest';
import type { EntityTarget, ObjectLiteral } from 'typeorm';
import { dataSourceOptions } from '../../src/database/data-source.js';
import { ReliableDataSource } from '../../src/database/reliable-data-source.js';
import { tenantTables } from './client.js';
import type { TestService } from './service.js';

/**
 * Asserts that an extension's migrations created the table of its entity, that row-level security separates its
 * tenants, and that only the API and the dispatcher have access.
 */
export async function expectTenantTable(service: TestService, entity: EntityTarget<ObjectLiteral>): Promise<void> {
  const options = dataSourceOptions({ url: service.database.ownerUrl, poolSize: 1, applicationName: 'test' });
  const entities = [...(options.entities as []), entity as () => ObjectLiteral];
  const owner = await new ReliableDataSource({ ...options, entities }).initialize();
  try {
    const { upQueries } = await owner.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
    const { tableName } = owner.getMetadata(entity);
    expect(await tenantTables(service)).toContain(tableName);
    expect(await owner.query(POLICIES, [tableName])).toEqual([{ isSecured: true, policies: 1 }]);
    const grantees = await owner.query<{ role: string }[]>(GRANTEES, [tableName]);
    expect(['einvoice_app', 'einvoice_dispatcher']).toEqual(expect.arrayContaining(grantees.map(({ role }) => role)));
  } finally {
    await owner.destroy();
  }
}

const POLICIES = /* sql */ `
  SELECT c.relrowsecurity AS "isSecured", count(p.oid)::int AS policies
    FROM pg_class c
    LEFT JOIN pg_policy p ON p.polrelid = c.oid AND p.polroles = ARRAY['einvoice_app'::regrole::oid]
         AND pg_get_expr(p.polqual, p.polrelid) LIKE '(tenant_id = %current_setting(''app.tenant_id''%'
         AND p.polwithcheck IS NOT NULL
   WHERE c.relname = $1 GROUP BY c.oid`;

const GRANTEES = /* sql */ `
  SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS role
    FROM pg_class c CROSS JOIN aclexplode(c.relacl) a WHERE c.relname = $1 AND a.grantee <> c.relowner`;
