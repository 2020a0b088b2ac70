import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CreditsService } from '../../credits/credits.service.js';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { USUAL_OUTCOME_SECONDS } from '../../documents/statuses.js';
import { isOutageIn, readOutages } from '../../dispatcher/operations/outages.js';
import { computeFirstId } from '../id-range.js';
import { listLastDays } from '../days.js';
import { readNeedsAction } from '../needs-action/needs-action.service.js';
import type { OutageStateDto } from './dto/outage.dto.js';
import type { OverviewDto, WaitingCountsDto } from './dto/overview.dto.js';
import { readDays } from './daily-counts.js';
import { type LateRow, READ_LATE, READ_WAITING, type WaitingRow } from './overview.sql.js';

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
        days: await readDays(tx, caller, names),
        waiting: await readWaiting(tx, scope, now),
        needsAction: await readNeedsAction(tx, caller, CAUSES_MAX),
        creditsLeft: await this.credits.readRemaining(tx, caller),
      };
    });
  }
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
