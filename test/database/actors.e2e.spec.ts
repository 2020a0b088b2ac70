import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { insertTenant } from '../support/tenants.js';
import { startFileDatabase } from './file-database.js';

const { owner } = await startFileDatabase();

it('the database rejects a batch with both an API key and a user', async () => {
  const { tenantId } = await insertTenant(owner);
  const both = owner.query(
    `INSERT INTO submission_batch
       (tenant_id, id, environment, submission_type, document_count, api_key_id, user_id, created_at)
     VALUES ($1, $2, 'sandbox', 'consolidated', 1, $2, $2, service_now())`,
    [tenantId, uuidv7()],
  );
  await expect(both).rejects.toThrow('ck_submission_batch_actor');
});
