import type { EntityManager } from 'typeorm';
import type { ApiKey } from '../../entities/api-key.entity.js';

export interface KeyActivity {
  readonly submissionCount: number;
  readonly documentCount: number;
  readonly cancellationCount: number;
  /** Whether there may be more. */
  readonly isCapped: boolean;
  readonly lastSubmissionAt: Date | null;
}

export const COUNTED_MAX = 10_000;

const READ = /* sql */ `
SELECT s.submissions AS "submissionCount", s.documents AS "documentCount", c.cancellations AS "cancellationCount",
       s.submissions = $4 OR c.cancellations = $4 AS "isCapped", s.last AS "lastSubmissionAt"
  FROM (SELECT count(*)::integer AS submissions, coalesce(sum(document_count), 0)::integer AS documents,
               max(created_at) AS last
          FROM (SELECT document_count, created_at FROM submission_batch
                 WHERE tenant_id = $1 AND environment = $2 AND api_key_id = $3
                 ORDER BY id DESC LIMIT $4::integer) latest) s
 CROSS JOIN (
   SELECT count(*)::integer AS cancellations
     FROM (SELECT FROM document_cancellation
            WHERE tenant_id = $1 AND environment = $2 AND api_key_id = $3
            ORDER BY id DESC LIMIT $4::integer) latest) c`;

export async function readKeyActivity(
  tx: EntityManager,
  { tenantId, environment, id }: Pick<ApiKey, 'tenantId' | 'environment' | 'id'>,
): Promise<KeyActivity> {
  const [activity] = await tx.query<[KeyActivity]>(READ, [tenantId, environment, id, COUNTED_MAX]);
  return activity;
}

/** Omits the time, because audit entries have their own. */
export function toActivityCounts(activity: KeyActivity): Omit<KeyActivity, 'lastSubmissionAt'> {
  const { submissionCount, documentCount, cancellationCount, isCapped } = activity;
  return { submissionCount, documentCount, cancellationCount, isCapped };
}
