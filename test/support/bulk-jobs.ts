import { v7 as uuidv7 } from 'uuid';
import type { TestService } from './service.js';

/** A bulk job of an organisation that is only to be there: of no document, and ended. */
export async function insertBulkJob({ owner }: TestService, tenantId: string): Promise<string> {
  const jobId = uuidv7();
  await owner.query(
    `INSERT INTO bulk_job (tenant_id, id, environment, kind, value, status, user_id, created_at, due_at, is_cut)
     SELECT $1, $2, 'sandbox', 'cancel', 'A reason', 'ended', user_id, service_now(), service_now(), false
       FROM membership WHERE tenant_id = $1 LIMIT 1`,
    [tenantId, jobId],
  );
  return jobId;
}
