import { toMalaysianMidnight } from '../../common/malaysian-days.js';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CreditsService } from '../../credits/credits.service.js';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { ATTEMPT_STATES, type AttemptCounts, type AttemptState } from '../../documents/statuses.js';
import { computeFirstId } from '../id-range.js';
import { listLastDays } from '../malaysian-days.js';
import { describeField } from '../transactions/field-names.js';
import { toShownStatus } from '../transactions/shown-status.js';
import type { DayDto, FrequentErrorDto, OverviewDto, WaitingCountsDto } from './dto/overview.dto.js';
import {
  COUNT_CREDITS,
  COUNT_DAYS,
  type DayCountRow,
  type DayCreditsRow,
  type ErrorRow,
  READ_ERRORS,
  READ_WAITING,
  type WaitingRow,
} from './overview.sql.js';

/** The failures whose errors are counted: the latest, so that what was fixed long ago does not stay on top. */
const FAILURES_MAX = 1_000;
const ERRORS_MAX = 10;

@Injectable()
export class OverviewService {
  constructor(
    private readonly transactions: DashboardTransactions,
    private readonly credits: CreditsService,
  ) {}

  /** How an organisation's documents fared on the last days, what waits now, and what fails most. */
  read(caller: Caller, dayCount: number): Promise<OverviewDto> {
    const place = [caller.tenantId, caller.environment];
    return this.transactions.inTenant(caller, async ({ tx, now }) => {
      const names = listLastDays(dayCount, now);
      const errors = await tx.query<ErrorRow[]>(READ_ERRORS, [...place, FAILURES_MAX, ERRORS_MAX]);
      return {
        now,
        days: await readDays(tx, place, names),
        waiting: await readWaiting(tx, place),
        frequentErrors: errors.map(toFrequentError),
        failuresLookedAt: FAILURES_MAX,
        creditsLeft: await this.credits.readRemaining(tx, caller.tenantId),
      };
    });
  }
}

async function readDays(tx: EntityManager, place: string[], names: readonly string[]): Promise<DayDto[]> {
  const midnights = [toMalaysianMidnight(names[0]), ...names.map((name) => toMalaysianMidnight(name, 1))];
  const parameters = [...place, midnights.map(computeFirstId)];
  const counted = await tx.query<DayCountRow[]>(COUNT_DAYS, parameters);
  const used = await tx.query<DayCreditsRow[]>(COUNT_CREDITS, parameters);
  return names.map((day, index) => ({
    day,
    counts: countAttempts(counted.filter((row) => row.day === index)),
    creditsUsed: used.find((row) => row.day === index)?.credits ?? 0,
  }));
}

function countAttempts(rows: readonly DayCountRow[]): AttemptCounts {
  const attempts = (state: AttemptState): number =>
    rows.find(({ status }) => status === toShownStatus(state))?.attempts ?? 0;
  return Object.fromEntries(ATTEMPT_STATES.map((state) => [state, attempts(state)])) as Record<AttemptState, number>;
}

async function readWaiting(tx: EntityManager, place: string[]): Promise<WaitingCountsDto> {
  const [row] = await tx.query<WaitingRow[]>(READ_WAITING, place);
  const { queued, held, processing, inDoubt } = row;
  return { queued, held, processing, inDoubt, oldest: toOldest(row) };
}

function toOldest(row: WaitingRow): WaitingCountsDto['oldest'] {
  const { oldestTransactionId: transactionId, oldestReferenceId: referenceId, oldestCreatedAt: createdAt, now } = row;
  if (transactionId === null || referenceId === null || createdAt === null) return null;
  const waitingSeconds = Math.max(0, Math.round((now.getTime() - createdAt.getTime()) / 1_000));
  return { transactionId, referenceId, createdAt, waitingSeconds };
}

function toFrequentError({ code, documents, latest, transactionId }: ErrorRow): FrequentErrorDto {
  const { message, hint, pointer, authorityCode } = latest;
  return { code, documents, message, hint, authorityCode, field: describeField(pointer), transactionId };
}
