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

  /** How an organisation's documents fared on the last days, what waits now, and what needs action. */
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
  const { queued, held, processing, inDoubt, atAuthority, late } = row;
  const named = late === 0 ? [] : await tx.query<LateRow[]>(READ_LATE, [...scope, lateBefore, LATE_NAMED_MAX]);
  return {
    queued,
    held,
    processing,
    inDoubt,
    atAuthority,
    late,
    oldest: toOldest(row),
    lateDocuments: named.map((document) => ({ ...document, waitingSeconds: countSeconds(document.createdAt, now) })),
    usualSeconds: USUAL_OUTCOME_SECONDS,
  };
}

function toOldest(row: WaitingRow): WaitingCountsDto['oldest'] {
  const { oldestTransactionId: transactionId, oldestReferenceId: referenceId, oldestCreatedAt: createdAt, now } = row;
  if (transactionId === null || referenceId === null || createdAt === null) return null;
  return { transactionId, referenceId, createdAt, waitingSeconds: countSeconds(createdAt, now) };
}

function countSeconds(from: Date, to: Date): number {
  return Math.max(0, Math.round((to.getTime() - from.getTime()) / 1_000));
}

const TYPES = DOCUMENT_TYPES.map((type) => `('${type}')`).join(', ');
const STATUSES = SHOWN_STATUSES.map((status) => `('${status}')`).join(', ');
const REPLACEABLE = REPLACEABLE_STATUSES.map((status) => `'${status}'`).join(', ');

/** One range of ix_document_transaction_list: of `type.name` and `status.name`. */
const RANGE = /* sql */ `
  tenant_id = $1 AND environment = $2 AND document_type = type.name AND ${SHOWN_STATUS_SQL} = status.name`;

/** The days, each from its first id to that of the day after it. */
const DAYS = /* sql */ `unnest($3::text[], $4::uuid[], $5::uuid[]) AS day (name, first, next)`;

/**
 * Counts the attempts of each day by status, without replaced ones. Parameters: tenant, environment, days, the least id of
 * each day, and that of the day after it. Each day, type and status is one range of ix_document_transaction_list; the
 * table is read only for statuses whose attempts may have been replaced.
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

/** The first of what waits: that of each range, and of these the least. */
const OLDEST_WAITING = WAITING.flatMap((status) =>
  DOCUMENT_TYPES.map(
    (type) => /* sql */ `
      (SELECT id FROM document_transaction
        WHERE tenant_id = $1 AND environment = $2 AND document_type = '${type}' AND ${SHOWN_STATUS_SQL} = '${status}'
        ORDER BY id LIMIT 1)`,
  ),
).join(' UNION ALL');

/** How many wait that were accepted before $3. Of each range by its values: joined, all that is stored would be read. */
const COUNT_WAITING_BEFORE = WAITING.flatMap((status) =>
  DOCUMENT_TYPES.map(
    (type) => /* sql */ `
      (SELECT count(*) FROM document_transaction
        WHERE tenant_id = $1 AND environment = $2 AND document_type = '${type}' AND ${SHOWN_STATUS_SQL} = '${status}'
          AND id < $3::uuid)`,
  ),
).join(' +');

/**
 * $1 tenant, $2 environment, $3 the least id of what is not late yet: what has no outcome, whenever it was accepted. A
 * held credit note is not late, since it waits for its parent.
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
       oldest.created_at AS "oldestCreatedAt", service_now() AS now
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

interface WaitingRow {
  readonly queued: number;
  readonly held: number;
  readonly atAuthority: number;
  readonly late: number;
  readonly processing: number;
  readonly inDoubt: number;
  readonly oldestTransactionId: string | null;
  readonly oldestReferenceId: string | null;
  readonly oldestCreatedAt: Date | null;
  readonly now: Date;
}

/** The same parameters, and $4 how many: those that are late, the oldest first. */
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
 * Counts the credits spent on each day, with the parameters of COUNT_DAYS. Reads batches and cancellations, because the
 * ledger has no index by environment and day.
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
