import { Injectable } from '@nestjs/common';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { computeBatchStatus } from '../../documents/statuses.js';
import { type Page, toPage, type PageRequest } from '../cursor.js';
import { type Days, computeIdRange } from '../days.js';
import { type SubmitterFilter, SUBMITTER_COLUMNS } from '../parameters.js';
import { buildActorSql } from '../shown-actor.js';
import { isCurrent, REPLACEABLE_STATUSES, SHOWN_STATUS_SQL } from '../transactions/shown-status.js';
import { type BatchDto, REPLACED } from './dto/batch.dto.js';

export interface BatchFilter extends Days {
  readonly by: SubmitterFilter | null;
}

@Injectable()
export class BatchesService {
  constructor(private readonly transactions: DashboardTransactions) {}

  /** Lists accepted batches, newest first. */
  list(caller: Caller, { by, ...days }: BatchFilter, page: PageRequest): Promise<Page<BatchDto>> {
    const { first, end } = computeIdRange(days, page.after);
    const { text, further } = readBatches(by);
    const parameters = [caller.tenantId, caller.environment, first, end, page.limit + 1, ...further];
    return this.transactions.inTenant(caller, async ({ tx }) => {
      const rows = await tx.query<Omit<BatchDto, 'status'>[]>(text, parameters);
      const batches = rows.map((row) => Object.assign({}, row, { status: computeShownStatus(row) }));
      return toPage(batches, page, ({ submissionBatchId }) => submissionBatchId);
    });
  }
}

function computeShownStatus({ counts, replacedCount, documentCount }: Omit<BatchDto, 'status'>): BatchDto['status'] {
  return replacedCount === documentCount ? REPLACED : computeBatchStatus(counts);
}

const REPLACEABLE_SQL = REPLACEABLE_STATUSES.map((status) => `'${status}'`).join(', ');

/**
 * Builds SQL for a page of batches. The attempts of each batch (at most 100) are counted separately. Replaced attempts
 * are counted as `Replaced`, not by status. Parameters: tenant, environment, range of ids, limit, key or user.
 */
function pageWhere(condition: string): string {
  return /* sql */ `
WITH page AS MATERIALIZED (
  SELECT tenant_id, id, submission_type, document_count, created_at, api_key_id, user_id FROM submission_batch
   WHERE tenant_id = $1 AND environment = $2 AND id >= $3 AND id < $4 ${condition} ORDER BY id DESC LIMIT $5::integer)
SELECT page.id AS "submissionBatchId", page.submission_type AS "submissionType",
       page.document_count AS "documentCount", page.created_at AS "createdAt",
       ${buildActorSql('page')} AS "submittedBy", counted.counts, counted.replaced AS "replacedCount"
  FROM page
 CROSS JOIN LATERAL (
   SELECT json_build_object(
            'queued', count(*) FILTER (WHERE status = 'Queued'),
            'processing', count(*) FILTER (WHERE status = 'Processing'),
            'submitted', count(*) FILTER (WHERE status = 'Submitted'),
            'valid', count(*) FILTER (WHERE status = 'Valid'),
            'invalid', count(*) FILTER (WHERE status = 'Invalid'),
            'cancelled', count(*) FILTER (WHERE status = 'Cancelled'),
            'submitFailed', count(*) FILTER (WHERE status = 'SubmitFailed')) AS counts,
          (count(*) FILTER (WHERE status = 'Replaced'))::integer AS replaced
     FROM (SELECT CASE WHEN status IN (${REPLACEABLE_SQL}) AND NOT ${isCurrent('attempt')} THEN 'Replaced'
                       ELSE status END AS status
             FROM (SELECT document_id, attempt, ${SHOWN_STATUS_SQL} AS status FROM document_transaction
                    WHERE tenant_id = $1 AND submission_batch_id = page.id OFFSET 0) attempt) shown) counted
 ORDER BY page.id DESC`;
}

// Separate statements for all batches, for those of a key and for those of a user, because each uses a different index.
const READ_BATCHES = pageWhere('');
const READ_BATCHES_BY = {
  key: pageWhere(`AND ${SUBMITTER_COLUMNS.key} = $6::uuid`),
  user: pageWhere(`AND ${SUBMITTER_COLUMNS.user} = $6::uuid`),
} as const;

/** Returns the statement of a page and its parameters after the first five. */
export function readBatches(by: SubmitterFilter | null): { text: string; further: readonly string[] } {
  return by === null ? { text: READ_BATCHES, further: [] } : { text: READ_BATCHES_BY[by.kind], further: [by.id] };
}
