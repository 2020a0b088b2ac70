import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { toMalaysianMidnight } from '../../common/malaysian-days.js';
import { CreditsService } from '../../credits/credits.service.js';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { ATTEMPT_STATES, type AttemptState, USUAL_OUTCOME_SECONDS } from '../../documents/statuses.js';
import { isOutageIn, readOutages } from '../../dispatcher/operations/outages.js';
import { listLastDays, computeFirstId } from '../days.js';
import { readNeedsAction } from '../needs-action/needs-action.service.js';
import {
  toShownStatus,
  isCurrent,
  REPLACEABLE_STATUSES,
  SHOWN_STATUS_SQL,
  SHOWN_STATUSES,
  type ShownStatus,
  WAITING_STATUSES as WAITING,
} from '../transactions/shown-status.js';
import type { DayDto, OutageStateDto, OverviewDto, WaitingCountsDto } from './dto/overview.dto.js';
import { CREDITS_PER_CANCEL, CREDITS_PER_DOCUMENT } from '../../credits/prices.js';
import { DOCUMENT_TYPES } from '../../documents/document-types.js';

const CAUSES_MAX = 5;
const LATE_NAMED_MAX = 5;

@Injectable()
export class OverviewService {
  constructor(
    private readonly transactions: DashboardTransactions,
    private readonly credits: CreditsService,
  ) {}

  readOutage(caller: Caller): Promise<OutageStateDto> {
    return this.transactions.inTenant(caller, async ({ tx }) => ({
      outage: (await readOutages(tx)).find((outage) => isOutageIn(outage, caller.environment)) ?? null,
    }));
  }

  read(caller: Caller, dayCount: number): Promise<OverviewDto> {
    const scope = [caller.tenantId, caller.environment];
    return this.transactions.inTenant(caller, async ({ tx, now }) => {
      const names = listLastDays(dayCount, now);
      return {
        now,
        days: await readDays(tx, scope, names),
        waiting: await readWaiting(tx, scope, now),
        needsAction: await readNeedsAction(tx, caller, CAUSES_MAX),
        creditsLeft: await this.credits.readRemaining(tx, caller),
      };
    });
  }
}

async function readDays(tx: EntityManager, scope: string[], days: readonly string[]): Promise<DayDto[]> {
  const firstIds = days.map((day) => computeFirstId(toMalaysianMidnight(day)));
  const nextIds = days.map((day) => computeFirstId(toMalaysianMidnight(day, 1)));
  const parameters = [...scope, days, firstIds, nextIds];
  const attempts = await tx.query<DayCountRow[]>(COUNT_DAYS, parameters);
  const credits = await tx.query<DayCreditsRow[]>(COUNT_CREDITS, parameters);
  const attemptsOf = new Map(attempts.map((row) => [`${row.day} ${row.status}`, row.attempts]));
  const creditsOf = new Map(credits.map((row) => [row.day, row.credits]));
  return days.map((day) => {
    const counts = ATTEMPT_STATES.map((state) => [state, attemptsOf.get(`${day} ${toShownStatus(state)}`) ?? 0]);
    return {
      day,
      counts: Object.fromEntries(counts) as Record<AttemptState, number>,
      creditsUsed: creditsOf.get(day) ?? 0,
    };
  });
}

async function readWaiting(tx: EntityManager, scope: string[], now: Date): Promise<WaitingCountsDto> {
  const lateBefore = computeFirstId(new Date(now.getTime() - USUAL_OUTCOME_SECONDS * 1_000));
  const [row] = await tx.query<WaitingRow[]>(READ_WAITING, [...scope, lateBefore]);
  const { oldestTransactionId, oldestReferenceId, oldestCreatedAt, ...counts } = row;
  const late = counts.late === 0 ? [] : await tx.query<LateRow[]>(READ_LATE, [...scope, lateBefore, LATE_NAMED_MAX]);
  const oldest =
    oldestTransactionId === null || oldestReferenceId === null || oldestCreatedAt === null
      ? null
      : { transactionId: oldestTransactionId, referenceId: oldestReferenceId, createdAt: oldestCreatedAt };
  const toWaiting = (document: LateRow): LateRow & { waitingSeconds: number } =>
    Object.assign({}, document, { waitingSeconds: countSeconds(document.createdAt, now) });
  return {
    ...counts,
    oldest: oldest && toWaiting(oldest),
    lateDocuments: late.map(toWaiting),
    usualSeconds: USUAL_OUTCOME_SECONDS,
  };
}

function countSeconds(from: Date, to: Date): number {
  return Math.max(0, Math.round((to.getTime() - from.getTime()) / 1_000));
}

const TYPES = DOCUMENT_TYPES.map((type) => `('${type}')`).join(', ');
const STATUSES = SHOWN_STATUSES.map((status) => `('${status}')`).join(', ');
const REPLACEABLE = REPLACEABLE_STATUSES.map((status) => `'${status}'`).join(', ');

/** Condition for one range of ix_document_transaction_list. */
const RANGE = /* sql */ `
  tenant_id = $1 AND environment = $2 AND document_type = type.name AND ${SHOWN_STATUS_SQL} = status.name`;

const DAYS = /* sql */ `unnest($3::text[], $4::uuid[], $5::uuid[]) AS day (name, first, next)`;

/**
 * Counts the attempts per day and status, without replaced attempts. Each day, type and status is one range of
 * ix_document_transaction_list. Only statuses that allow a resubmission also read the table. Parameters: tenant,
 * environment, days, first id of each day, first id of each following day.
 */
export const COUNT_DAYS = /* sql */ `
SELECT day.name AS day, status.name AS status, sum(counted.attempts)::integer AS attempts
  FROM ${DAYS}
 CROSS JOIN (VALUES ${TYPES}) AS type (name)
 CROSS JOIN (VALUES ${STATUSES}) AS status (name)
 CROSS JOIN LATERAL (
   SELECT CASE WHEN status.name IN (${REPLACEABLE})
     THEN (SELECT count(*) FROM document_transaction AS each
            WHERE ${RANGE} AND id >= day.first AND id < day.next AND ${isCurrent('each')})
     ELSE (SELECT count(*) FROM document_transaction WHERE ${RANGE} AND id >= day.first AND id < day.next)
     END AS attempts) counted
 GROUP BY day.name, status.name`;

interface DayCountRow {
  readonly day: string;
  readonly status: ShownStatus;
  readonly attempts: number;
}

const OLDEST_WAITING = WAITING.flatMap((status) =>
  DOCUMENT_TYPES.map(
    (type) => /* sql */ `
      (SELECT id FROM document_transaction
        WHERE tenant_id = $1 AND environment = $2 AND document_type = '${type}' AND ${SHOWN_STATUS_SQL} = '${status}'
        ORDER BY id LIMIT 1)`,
  ),
).join(' UNION ALL');

// One subquery with constant values per range, because a join would read all stored documents.
const COUNT_WAITING_BEFORE = WAITING.flatMap((status) =>
  DOCUMENT_TYPES.map(
    (type) => /* sql */ `
      (SELECT count(*) FROM document_transaction
        WHERE tenant_id = $1 AND environment = $2 AND document_type = '${type}' AND ${SHOWN_STATUS_SQL} = '${status}'
          AND id < $3::uuid)`,
  ),
).join(' +');

/**
 * Counts the documents without an outcome. Held credit notes are never late, because they wait for their parent.
 * Parameters: tenant, environment, lowest id that is not late.
 */
export const READ_WAITING = /* sql */ `
SELECT (SELECT count(*) FROM (VALUES ${TYPES}) AS type (name) CROSS JOIN (VALUES ('Queued')) AS status (name)
         CROSS JOIN LATERAL (SELECT FROM document_transaction WHERE ${RANGE}) t)::integer AS queued,
       (SELECT count(*) FROM document_transaction
         WHERE tenant_id = $1 AND environment = $2 AND submission_status = 'Queued' AND held_until IS NOT NULL)::integer
         AS held,
       (SELECT count(*) FROM (VALUES ${TYPES}) AS type (name) CROSS JOIN (VALUES ('Submitted')) AS status (name)
         CROSS JOIN LATERAL (SELECT FROM document_transaction WHERE ${RANGE}) t)::integer AS "atAuthority",
       (${COUNT_WAITING_BEFORE}
        - (SELECT count(*) FROM document_transaction
            WHERE tenant_id = $1 AND environment = $2 AND submission_status = 'Queued' AND held_until IS NOT NULL
              AND id < $3::uuid))::integer AS late,
       processing.total::integer AS processing, processing.in_doubt::integer AS "inDoubt",
       oldest.id AS "oldestTransactionId", oldest.reference_id AS "oldestReferenceId",
       oldest.created_at AS "oldestCreatedAt"
  FROM (SELECT count(*) AS total, count(*) FILTER (WHERE s.state = 'unknown') AS in_doubt
          FROM (VALUES ${TYPES}) AS type (name) CROSS JOIN (VALUES ('Processing')) AS status (name)
         CROSS JOIN LATERAL (
           SELECT authority_submission_id AS call_id FROM document_transaction WHERE ${RANGE} OFFSET 0) t
          LEFT JOIN LATERAL (
           SELECT state FROM authority_submission WHERE tenant_id = $1 AND id = t.call_id OFFSET 0) s ON true
       ) processing
  LEFT JOIN LATERAL (
    SELECT t.id, t.reference_id, t.created_at
      FROM (SELECT id FROM (${OLDEST_WAITING}) AS ranges ORDER BY id LIMIT 1) AS least
     CROSS JOIN LATERAL (
       SELECT id, reference_id, created_at FROM document_transaction
        WHERE tenant_id = $1 AND id = least.id OFFSET 0) t
    ) oldest ON true`;

type WaitingCounts = Pick<WaitingCountsDto, 'queued' | 'held' | 'atAuthority' | 'late' | 'processing' | 'inDoubt'>;

interface WaitingRow extends WaitingCounts {
  readonly oldestTransactionId: string | null;
  readonly oldestReferenceId: string | null;
  readonly oldestCreatedAt: Date | null;
}

/** Reads late documents, oldest first. Parameters: those of READ_WAITING and a limit. */
const READ_LATE = /* sql */ `
SELECT id AS "transactionId", reference_id AS "referenceId", created_at AS "createdAt"
  FROM (${WAITING.flatMap((status) =>
    DOCUMENT_TYPES.map(
      (type) => /* sql */ `
      (SELECT id, reference_id, created_at FROM document_transaction
        WHERE tenant_id = $1 AND environment = $2 AND document_type = '${type}' AND ${SHOWN_STATUS_SQL} = '${status}'
          AND id < $3::uuid AND held_until IS NULL
        ORDER BY id LIMIT $4::integer)`,
    ),
  ).join(' UNION ALL')}) AS ranges
 ORDER BY id LIMIT $4::integer`;

interface LateRow {
  readonly transactionId: string;
  readonly referenceId: string;
  readonly createdAt: Date;
}

/**
 * Counts the credits spent per day from batches and cancellations, because the ledger has no index by environment and
 * day. Parameters: those of COUNT_DAYS.
 */
export const COUNT_CREDITS = /* sql */ `
SELECT day.name AS day, (batches.credits + cancellations.credits)::integer AS credits
  FROM ${DAYS}
 CROSS JOIN LATERAL (
   SELECT coalesce(sum(document_count), 0) * ${CREDITS_PER_DOCUMENT} AS credits FROM submission_batch
    WHERE tenant_id = $1 AND environment = $2 AND id >= day.first AND id < day.next) batches
 CROSS JOIN LATERAL (
   SELECT count(*) * ${CREDITS_PER_CANCEL} AS credits FROM document_cancellation
    WHERE tenant_id = $1 AND environment = $2 AND id >= day.first AND id < day.next) cancellations`;

interface DayCreditsRow {
  readonly day: string;
  readonly credits: number;
}
