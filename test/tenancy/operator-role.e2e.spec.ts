import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTenant, issue, type TestTenant } from '../support/client.js';
import { signUp } from '../support/dashboard.js';
import { invoice } from '../support/documents.js';
import { startFileService } from '../support/file-service.js';

// The operators' role sees all tenants, so column privileges protect secrets and documents.

const INSUFFICIENT_PRIVILEGE = '42501';

const service = await startFileService();
let operator: pg.Client;
let tenant: TestTenant;

beforeAll(async () => {
  operator = new pg.Client({ connectionString: service.database.operatorUrl });
  await operator.connect();
  tenant = await createTenant(service);
  await issue(service, tenant, invoice());
  await signUp(service);
});
afterAll(() => operator.end());

async function tryStatement(statement: string): Promise<string | null> {
  await operator.query('BEGIN');
  try {
    await operator.query(statement);
    return null;
  } catch (error) {
    return error instanceof pg.DatabaseError ? (error.code ?? null) : null;
  } finally {
    await operator.query('ROLLBACK');
  }
}

describe("the operators' role", () => {
  it.each([
    ['the digests of API keys', 'SELECT digest FROM api_key'],
    ['the names of API keys', 'SELECT name FROM api_key'],
    ['sessions', 'SELECT digest FROM user_session'],
    ['password hashes', 'SELECT password_hash FROM user_account'],
    ['operator flags of users', 'SELECT is_operator FROM user_account'],
    ['the digests of invitations', 'SELECT digest FROM invitation'],
    ["the authority's tokens", 'SELECT ciphertext FROM authority_token'],
    ['the content of documents', 'SELECT payload FROM document_transaction'],
    ['amounts', 'SELECT totals FROM document_transaction'],
    ['the bytes sent to the authority', 'SELECT bytes FROM authority_document'],
    ['responses to client teams', 'SELECT response FROM idempotency_record'],
    ['failed sign-ins', 'SELECT subject FROM sign_in_throttle'],
    ['the lease owner of a delivery', 'SELECT owner FROM event_delivery'],
  ])('cannot read %s', async (_, statement) => {
    expect(await tryStatement(statement)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it.each([
    ['the content of a document', `UPDATE document_transaction SET payload = '{}'`],
    ['the number of a document', `UPDATE document_transaction SET reference_id = 'X'`],
    ['the amounts of a document', `UPDATE document_transaction SET totals = '{}'`],
    ['the tenant of a document', `UPDATE document_transaction SET tenant_id = tenant_id`],
    ['the bytes for the authority', `UPDATE authority_document SET bytes = '\\x00'`],
    ['an organisation', `UPDATE tenant SET tin = 'C1'`],
    ['the credits of a lot', 'UPDATE credit_lot SET granted = granted + 1'],
    ['the expiry of a lot', `UPDATE credit_lot SET expires_at = 'infinity'`],
    ['the credits of an order', 'UPDATE credit_order SET credits = 1'],
    ['an entry of the statement', 'UPDATE credit_entry SET amount = 1'],
    ['an entry of the audit log', `UPDATE audit_entry SET actor = 'x'`],
    ['a user', `UPDATE user_account SET is_operator = true`],
    ['a TIN verification', `UPDATE taxpayer_verification SET status = 'verified'`],
    ["an authority's token", `UPDATE authority_token SET ciphertext = NULL`],
    ['a call budget', 'UPDATE call_budget SET failures = 0'],
    ['the document of a delivery', 'UPDATE event_delivery SET document_id = document_id'],
    ['the owner of a lease', 'UPDATE event_delivery SET owner = NULL'],
  ])('cannot change %s', async (_, statement) => {
    expect(await tryStatement(statement)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it('can insert only into listed tables', async () => {
    const tables = await service.owner.query<{ name: string }[]>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
    );
    const insertable: string[] = [];
    for (const { name } of tables) {
      expect(await tryStatement(`DELETE FROM ${name}`), name).toBe(INSUFFICIENT_PRIVILEGE);
      const [{ may }] = await service.owner.query<{ may: boolean }[]>(
        `SELECT has_any_column_privilege('einvoice_operator', $1, 'INSERT') AS may`,
        [name],
      );
      if (may) insertable.push(name);
    }
    expect(insertable.toSorted()).toEqual([
      'audit_entry',
      'authority_submission',
      'credit_account',
      'credit_entry',
      'credit_lot',
      'event_delivery',
      'status_event',
      'tenant_rate_limit',
    ]);
  });

  it("sees the state of every tenant's work", async () => {
    const { rows } = await operator.query<{ status: string }>(
      'SELECT submission_status AS status FROM document_transaction WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    expect(rows).toEqual([{ status: 'Submitted' }]);
  });
});
