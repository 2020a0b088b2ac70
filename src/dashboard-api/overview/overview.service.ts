import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { toMalaysianMidnight } from '../../common/malaysian-days.js';
import { CreditsService } from '../../credits/credits.service.js';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { ATTEMPT_STATES, type AttemptState, USUAL_OUTCOME_SECONDS } from '../../documents/statuses.js';
import { isOutageIn, readOutages } from '../../dispatcher/operations/outages.js';
import { computeFirstId } from '../id-range.js';
import { listLastDays } from '../days.js';
import { readNeedsAction } from '../needs-action/needs-action.service.js';
import type { OutageStateDto } from './dto/outage.dto.js';
import { toShownStatus } from '../transactions/shown-status.js';
import type { DayDto, OverviewDto, WaitingCountsDto } from './dto/overview.dto.js';
import {
  COUNT_CREDITS,
  COUNT_DAYS,
  type DayCountRow,
  type DayCreditsRow,
  type LateRow,
  READ_LATE,
  READ_WAITING,
  type WaitingRow,
} from './overview.sql.js';

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
