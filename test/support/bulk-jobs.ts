import { v7 as uuidv7 } from 'uuid';
import type { TestService } from './service.js';

/**
 * Inserts a finished bulk job of an organisation that refused all of its documents.
 * @param text problem of each document
 */
export async function insertBulkJob({ owner }: TestService, tenantId: string, text = 'Refused'): Promise<string> {
  const jobId = uuidv7();
  await owner.query(
    `INSERT INTO bulk_job (tenant_id, id, environment, kind, value, status, user_id, created_at, due_at, is_cut)
     SELECT $1, $2, 'sandbox', 'cancel', $3, 'ended', user_id, service_now(), service_now(), false
       FROM membership WHERE tenant_id = $1 LIMIT 1`,
    [tenantId, jobId, text],
  );
  await owner.query(
    `INSERT INTO bulk_job_item
       (tenant_id, job_id, transaction_id, document_id, attempt, document_type, reference_id, state, credits, problems, tries)
     SELECT tenant_id, $2, id, document_id, attempt, document_type, reference_id, 'refused', 1,
            jsonb_build_array(jsonb_build_object('field', $3::text, 'message', $3::text, 'hint', $3::text)), 0
       FROM document_transaction WHERE tenant_id = $1`,
    [tenantId, jobId, text],
  );
  return jobId;
}
