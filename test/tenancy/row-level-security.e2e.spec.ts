import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancel, createTenant, get, issue, tenantTables, type TestTenant } from '../support/client.js';
import { invoice } from '../support/documents.js';
import { startFileDatabase } from '../database/file-database.js';
import { TestService } from '../support/service.js';

// The tables are read from the catalogue, so that new tables are tested automatically.

const ROLES = ['einvoice_app', 'einvoice_dispatcher', 'einvoice_operator'];
const INSUFFICIENT_PRIVILEGE = '42501';

/** Without extensions, whose own tests fill their tables. */
const registered = await startFileDatabase();

let service: TestService;
let app: pg.Client;
let mine: TestTenant;
let foreign: TestTenant;
let tables: string[];

beforeAll(async () => {
  service = await TestService.start({ extensions: [] });
  app = new pg.Client({ connectionString: service.database.appUrl });
  await app.connect();
  // The deliveries of an unknown consumer are kept.
  await service.owner.query(`INSERT INTO event_consumer VALUES ('nobody', service_now())`);
  [mine, foreign] = [await createTenant(service), await createTenant(service)];
  await fillEveryTable(mine);
  await fillEveryTable(foreign);
  tables = await tenantTables(service);
});
afterAll(async () => {
  await app.end();
  await service.stop();
});

/** Uses every feature of the API for a tenant. */
async function fillEveryTable(tenant: TestTenant): Promise<void> {
  const { documents } = await issue(
    service,
    tenant,
    invoice(),
    invoice(),
    invoice({ referenceId: 'SIM-INVALID-CF358-1' }),
  );
  await cancel(service, tenant, { documentId: documents[0].documentId });
  await service.settle();
  const path = '/v1/einvoice/validate-taxpayer-tin/C9876543210?idType=BRN&idValue=202001234567';
  expect((await get(service, tenant, path)).status).toBe(200);
  await fillDashboardTables(tenant);
}

/** Uses the dashboard as a member who invites a user and orders credits. */
async function fillDashboardTables({ tenantId }: TestTenant): Promise<void> {
  const userId = uuidv7();
  for (const statement of [
    `INSERT INTO user_account (id, email, name, password_hash, created_at)
     VALUES ($2, $1::uuid || '@kedai.example', 'Aisyah', 'none', service_now())`,
    `INSERT INTO membership VALUES ($1, $2, 'owner', service_now())`,
    `INSERT INTO invitation (tenant_id, id, email, role, digest, invited_by, created_at, expires_at)
     VALUES ($1, $2, 'b@kedai.example', 'viewer', '\\x00', $2, service_now(), service_now())`,
    `INSERT INTO tenant_rate_limit SELECT $1, NULL, 300, NULL WHERE $2::uuid IS NOT NULL`,
    `INSERT INTO credit_order (tenant_id, id, credits, requested_by, requested_at) VALUES ($1, $2, 5, $2, service_now())`,
    `INSERT INTO appointment_check VALUES ($1, 'sandbox', $2::uuid::text, true, NULL, service_now())`,
    `INSERT INTO bulk_job (tenant_id, id, environment, kind, value, is_cut, status, user_id, created_at, due_at)
     VALUES ($1, $2, 'sandbox', 'cancel', 'Wrong buyer', false, 'checked', $2, service_now(), service_now())`,
    `INSERT INTO bulk_job_item VALUES ($1, $2, $2, $2, 'invoice', 'INV-1', 1, 'ready', NULL, 1, '[]', NULL, 0)`,
    `INSERT INTO audit_entry VALUES ($1, $2, service_now(), $2, 'a@kedai.example', 'key.created', 'ERP', '{}', NULL)`,
    `INSERT INTO found_document VALUES ('sandbox', $2::uuid::text, $1, 'S', 'C1', 'invoice', 'INV-1', 'Valid', NULL, NULL,
       'dismissed', service_now())`,
    `INSERT INTO recovery VALUES ($2, service_now(), service_now(), CASE WHEN $1::uuid IS NOT NULL THEN service_now() END)`,
    `INSERT INTO recovery_tenant VALUES ($2, $1, NULL, service_now())`,
  ]) {
    await service.owner.query(statement, [tenantId, userId]);
  }
}

interface Refused {
  readonly refused: string;
}

/** Runs a statement with the API's role in a database transaction that is rolled back. */
async function asApp(
  tenant: TestTenant | null,
  statement: string,
  parameters: unknown[] = [],
): Promise<pg.QueryResult<Record<string, string>> | Refused> {
  await app.query('BEGIN');
  try {
    if (tenant !== null) await app.query(`SELECT set_config('app.tenant_id', $1, true)`, [tenant.tenantId]);
    return await app.query<Record<string, string>>(statement, parameters);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE) return { refused: error.message };
    throw error;
  } finally {
    await app.query('ROLLBACK');
  }
}

async function countRows(table: string, { tenantId }: TestTenant): Promise<number> {
  const [{ count }] = await service.owner.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM ${table} WHERE tenant_id = $1`,
    [tenantId],
  );
  return count;
}

describe('the catalogue', () => {
  let named: string[];
  beforeAll(async () => {
    named = await tenantTables(registered);
  });

  it('has row-level security on every table with tenant_id', async () => {
    expect(named.length).toBeGreaterThan(10);
    const covered = await registered.owner.query<{ name: string }[]>(
      `SELECT c.relname AS name FROM pg_class c
        WHERE c.relrowsecurity AND c.relnamespace = 'public'::regnamespace AND EXISTS (
          SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polcmd = '*'
             AND p.polqual IS NOT NULL AND p.polwithcheck IS NOT NULL
             AND p.polroles = ARRAY['einvoice_app'::regrole::oid]) ORDER BY 1`,
    );
    expect(covered.map(({ name }) => name)).toEqual(named);
  });

  it('limits einvoice_app to its tenant in every policy', async () => {
    const policies = await registered.owner.query<{ expression: string }[]>(
      `SELECT DISTINCT pg_get_expr(polqual, polrelid) AS expression FROM pg_policy
        WHERE polroles && ARRAY['einvoice_app'::regrole::oid, 0::oid]`,
    );
    expect(policies).toHaveLength(1);
    expect(policies[0].expression).toMatch(/^\(tenant_id = .*current_setting\('app\.tenant_id'/);
  });

  it('has no unlisted tables without tenant_id', async () => {
    const rows = await registered.owner.query<{ name: string }[]>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
        ORDER BY relname`,
    );
    expect(rows.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual([
      'authority_clock',
      'authority_share',
      'call_budget',
      'database_server',
      'event_consumer',
      'housekeeping_task',
      'password_link',
      'rate_limit_window',
      'recovery',
      'schema_migration',
      'service_clock',
      'service_process',
      'sign_in_throttle',
      'user_account',
      'user_session',
    ]);
  });

  it.each(ROLES)('does not allow %s to bypass the policies', async (role) => {
    const [found] = await service.owner.query<Record<string, unknown>[]>(
      `SELECT r.rolsuper, r.rolbypassrls, r.rolcreaterole, pg_has_role(r.oid, 'einvoice_owner', 'member') AS member,
              (SELECT count(*)::int FROM pg_class WHERE relowner = r.oid) AS tables,
              (SELECT count(*)::int FROM pg_proc WHERE proowner = r.oid) AS functions,
              (SELECT count(*)::int FROM pg_namespace WHERE nspowner = r.oid) AS schemas
         FROM pg_roles r WHERE r.rolname = $1`,
      [role],
    );
    expect(found).toEqual({
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      member: false,
      tables: 0,
      functions: 0,
      schemas: 0,
    });
  });

  it('has only the listed SECURITY DEFINER functions', async () => {
    const functions = await service.owner.query<{ name: string; settings: string[]; everybody: boolean }[]>(
      `SELECT proname AS name, proconfig AS settings,
              EXISTS (SELECT FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) a WHERE a.grantee = 0) AS everybody
         FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace ORDER BY 1`,
    );
    expect(functions).toEqual(
      [
        'audit_credits',
        'begin_recovery',
        'change_password',
        'claim_bulk_job',
        'confirm_access',
        'count_attempt',
        'count_low_credits',
        'decide_verification',
        'end_verification',
        'find_caller_key',
        'find_invitation',
        'find_outages',
        'find_password',
        'find_session',
        'forget_failure',
        'forgive_attempt',
        'found_at_authority_since',
        'grant_sandbox_credits',
        'has_recovered',
        'is_built_as',
        'is_known_server',
        'limit_stored_waits',
        'lock_proven_user',
        'oldest_queued_seconds',
        'organisations_of',
        'recognise_server',
        'record_failure',
        'refuse_attempt',
        'rename_user',
        'request_verification',
        'take_authority_share',
        'touch_session',
        'use_password_link',
        'waits_for_recovery_since',
      ].map((name) => ({
        name,
        settings: expect.arrayContaining(['search_path=public, pg_temp']),
        everybody: false,
      })),
    );
  });
});

describe('with rows of two tenants', () => {
  it('every table with tenant_id contains rows of both tenants', async () => {
    const empty: string[] = [];
    for (const table of tables) {
      for (const tenant of [mine, foreign]) if ((await countRows(table, tenant)) === 0) empty.push(table);
    }
    expect(empty, 'let fillEveryTable use them').toEqual([]);
  });

  it.each([
    ['without a tenant', null],
    ['with an empty tenant', { tenantId: '', apiKey: '' }],
    ['with a tenant that does not exist', { tenantId: '00000000-0000-0000-0000-000000000000', apiKey: '' }],
  ])('einvoice_app sees no rows %s', async (_, tenant) => {
    for (const table of tables) {
      const seen = await asApp(tenant, `SELECT count(*)::int AS count FROM ${table}`);
      if (!('refused' in seen)) expect(seen.rows[0].count, table).toBe(0);
    }
  });

  it('einvoice_app sees only the rows of its tenant', async () => {
    const unreadable: string[] = [];
    for (const table of tables) {
      const seen = await asApp(mine, `SELECT tenant_id, count(*)::int AS count FROM ${table} GROUP BY 1`);
      if ('refused' in seen) unreadable.push(table);
      else expect(seen.rows, table).toEqual([{ tenant_id: mine.tenantId, count: await countRows(table, mine) }]);
    }
    // Only operators can read these tables.
    expect(unreadable).toEqual(['found_document', 'recovery_tenant']);
  });

  it('einvoice_app cannot insert rows of another tenant', async () => {
    const insertable: string[] = [];
    for (const table of tables) {
      const [{ row }] = await service.owner.query<{ row: string }[]>(
        `SELECT to_json(t)::text AS row FROM ${table} t WHERE tenant_id = $1 LIMIT 1`,
        [foreign.tenantId],
      );
      const statement = `INSERT INTO ${table} SELECT * FROM json_populate_record(NULL::${table}, $1)`;
      const answer = await asApp(mine, statement, [row]);
      expect(answer, table).toHaveProperty('refused');
      if ('refused' in answer && answer.refused.includes('row-level security')) insertable.push(table);
    }
    // This role has no INSERT right for the other tables.
    expect(insertable).toEqual(expect.arrayContaining(['credit_entry', 'document', 'idempotency_record']));
  });

  it("einvoice_app cannot update or delete another tenant's rows", async () => {
    for (const table of tables) {
      for (const statement of [
        `DELETE FROM ${table} WHERE tenant_id = $1`,
        `UPDATE ${table} SET tenant_id = tenant_id WHERE tenant_id = $1`,
      ]) {
        const answer = await asApp(mine, statement, [foreign.tenantId]);
        if (!('refused' in answer)) expect(answer.rowCount, statement).toBe(0);
      }
    }
  });

  it("read_submission_status does not return another tenant's batch", async () => {
    const [{ id }] = await service.owner.query<{ id: string }[]>(
      'SELECT id FROM submission_batch WHERE tenant_id = $1',
      [foreign.tenantId],
    );
    const statement = 'SELECT * FROM read_submission_status($1, $2, $3, $4, 5)';
    const read = async (tenant: TestTenant): Promise<number | null> => {
      const answer = await asApp(null, statement, [tenant.tenantId, 'sandbox', id, 'test-client']);
      return 'refused' in answer ? null : answer.rowCount;
    };
    expect(await read(mine)).toBe(0);
    expect(await read(foreign)).toBe(3);
  });

  it('a connection forgets the tenant of the previous transaction', async () => {
    await asApp(mine, 'SELECT 1');
    const seen = await asApp(null, 'SELECT count(*)::int AS count FROM document');
    expect('rows' in seen && seen.rows[0].count).toBe(0);
  });
});
