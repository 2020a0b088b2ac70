import type { UserActor } from '../../accounts/audit.js';
import { appendAudit } from '../../accounts/audit.js';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../database/in-tenant.js';
import { nameBulkField } from './bulk-fields.js';
import { type JobRow, READ_JOB } from './bulk-jobs.sql.js';

/** Enters the start or the end of a job in the audit log, in words and with what became of its documents by then. */
export async function appendJobAudit(
  tx: EntityManager,
  actor: UserActor,
  { tenantId, environment, jobId, action }: Caller & { jobId: string; action: 'bulk_job.started' | 'bulk_job.ended' },
): Promise<void> {
  const [job] = await tx.query<JobRow[]>(READ_JOB, [tenantId, environment, jobId]);
  const { field, value, documents, counts, chargedCredits } = job;
  const many = documents === 1 ? '1 document' : `${documents} documents`;
  const subject = field === null ? `cancel ${many}` : `correct ${nameBulkField(field)} in ${many}`;
  const details = {
    environment,
    jobId,
    ...(field === null ? { reason: value } : { value }),
    ready: counts.ready,
    sent: counts.done,
    leftAlone: counts.changed,
    refused: counts.refused + counts.failed,
    credits: chargedCredits,
  };
  await appendAudit(tx, actor, { tenantId, action, subject, details });
}
