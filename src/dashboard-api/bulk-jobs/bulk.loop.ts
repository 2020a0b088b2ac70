import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { NoSlotError } from '../../common/fair-semaphore.js';
import { ROLES, suffices } from '../../accounts/roles.js';
import { isUserRefusal, runWithAccess } from '../../database/access.js';
import { DASHBOARD_DATA_SOURCE } from '../../database/database.module.js';
import { TenantTransactions } from '../../database/in-tenant.js';
import { withFailpoints } from '../../common/failpoints/failpoints.js';
import { type Loop, RepeatedLoop } from '../../common/loops/loop.js';
import { RateLimitedError } from '../../rate-limits/rate-limited-error.js';
import { appendJobAudit } from './bulk-jobs.service.js';
import {
  type ChangedJob,
  CLAIM_JOB,
  type ClaimedJob,
  DELAY_ITEM,
  type EndedJob,
  type LeasedJob,
  type OpenItem,
  READ_LEASED,
  READ_OPEN_ITEMS,
  RELEASE_JOB,
  SETTLE_ITEM,
  type SettledRow,
  STAMP_END,
} from './bulk-jobs.sql.js';
import { type BulkWork, BulkWorkService, type ItemResult, type JobStop } from './bulk-work.service.js';

/** Kept small so that jobs of several organisations take turns and a shutdown is quick. */
const ITEMS_AT_ONCE = 10;
/** Longer than a turn. Idempotency keys prevent duplicates if a lease expires early. */
const LEASE_SECONDS = 60;
/** Delay after an error of the service. */
const RETRY_SECONDS = 10;
const TRIES_MAX = 20;

interface Release {
  readonly delaySeconds: number;
  readonly pauseReason: string | null;
}

interface Delay {
  readonly seconds: number;
  readonly reason: string;
  readonly tries: 0 | 1;
}

/** Does not count rate limits and missing capacity as failed tries of the document. */
function explainDelay(error: unknown): Delay {
  if (error instanceof RateLimitedError) {
    const seconds = Number(error.headers['Retry-After'] ?? RETRY_SECONDS);
    return { seconds, reason: 'Your organisation has reached its limit of submits per minute', tries: 0 };
  }
  if (error instanceof NoSlotError) return { seconds: RETRY_SECONDS, reason: explainNoSlot(error), tries: 0 };
  return { seconds: RETRY_SECONDS, reason: 'The service failed to process a document and tries again', tries: 1 };
}

function explainNoSlot({ isShareUsed }: NoSlotError): string {
  return isShareUsed
    ? 'Other requests of your organisation use its share of the capacity'
    : 'The service is processing too many requests';
}

const GO_ON: Release = { delaySeconds: 0, pauseReason: null };

const NO_MEMBER = 'The member who started this job may no longer submit documents: another member can continue the job';
const SUFFICIENT_ROLES = ROLES.filter((role) => suffices(role, 'member'));

const GIVEN_UP: ItemResult = {
  state: 'failed',
  body: null,
  credits: 0,
  problems: [
    {
      field: null,
      message: 'The service failed to process this document several times: check it before you send it again',
      hint: null,
    },
  ],
  resultId: null,
};

/**
 * Runs bulk jobs in the API process, with its limits and its database role, which can read only one tenant at a time.
 * The dispatcher's role can read all tenants and would need all rights of a submit. Documents are submitted one by one,
 * because one invalid document would refuse the whole batch.
 */
@Injectable()
@RepeatedLoop({ name: 'bulk', intervalMs: 1_000, concurrency: 1 })
export class BulkLoop implements Loop {
  private readonly logger = new Logger(BulkLoop.name);
  /** Bypasses the organisation's share of connections, so that a job can always store why it waits. */
  private readonly transactions: TenantTransactions;

  constructor(
    @InjectDataSource(DASHBOARD_DATA_SOURCE) private readonly dataSource: DataSource,
    private readonly work: BulkWorkService,
  ) {
    this.transactions = new TenantTransactions(dataSource);
  }

  /**
   * Processes some documents of a job.
   * @returns the number of documents, at least 1 if a job was claimed
   */
  async tick(): Promise<number> {
    const owner = uuidv7();
    const [claimed] = await this.dataSource.query<ClaimedJob[]>(CLAIM_JOB, [owner, LEASE_SECONDS]);
    if (claimed === undefined) return 0;
    const turn = await this.begin(claimed, owner);
    if (turn === null) return 1;
    await this.release(claimed, owner, await this.workOn(claimed, turn));
    return Math.max(1, turn.items.length);
  }

  /** Returns the documents of the turn, or null if the lease was lost. */
  private begin({ tenantId, id }: ClaimedJob, owner: string): Promise<Turn | null> {
    return this.transactions.inTenant({ tenantId }, async ({ tx, now }) => {
      const [job] = await tx.query<LeasedJob[]>(READ_LEASED, [tenantId, id, owner]);
      if (job === undefined) return null;
      const { environment, userId, email, status } = job;
      const state = status === 'checking' ? 'waiting' : 'ready';
      const items = await tx.query<OpenItem[]>(READ_OPEN_ITEMS, [tenantId, id, state, ITEMS_AT_ONCE]);
      const caller = { tenantId, environment, actor: { userId } };
      return { jobId: id, job, caller, actor: { userId, email, ip: null }, now, items };
    });
  }

  private async workOn(claimed: ClaimedJob, turn: Turn): Promise<Release> {
    for (const item of turn.items) {
      const result = await this.attempt(claimed, turn, item);
      if ('delaySeconds' in result) return result;
      if ('pauseReason' in result) return { ...GO_ON, pauseReason: result.pauseReason };
      const status = await this.settle(claimed, item, result);
      if (status !== turn.job.status) break;
    }
    return GO_ON;
  }

  private async attempt(
    { tenantId, id }: ClaimedJob,
    turn: Turn,
    item: OpenItem,
  ): Promise<ItemResult | JobStop | Release> {
    try {
      const access = { userId: turn.job.userId, tenantId, roles: SUFFICIENT_ROLES };
      return await runWithAccess(access, () =>
        item.state === 'waiting' ? this.work.check(turn, item) : this.work.carryOut(turn, item),
      );
    } catch (error) {
      if (isUserRefusal(error)) return { ...GO_ON, pauseReason: NO_MEMBER };
      const delay = explainDelay(error);
      const tries = item.tries + delay.tries;
      if (tries >= TRIES_MAX) return GIVEN_UP;
      if (delay.tries > 0) {
        this.logger.error({
          message: 'Retrying a document of a bulk job after an error',
          jobId: id,
          error: String(error),
        });
      }
      const problems = JSON.stringify([{ field: null, message: delay.reason, hint: null }]);
      await this.transactions.inTenant({ tenantId }, ({ tx }) =>
        tx.query(DELAY_ITEM, [tenantId, id, item.transactionId, item.state, delay.tries, problems]),
      );
      return { ...GO_ON, delaySeconds: delay.seconds };
    }
  }

  private settle(
    { tenantId, id }: ClaimedJob,
    { transactionId, state: before }: OpenItem,
    { state, body, credits, problems, resultId }: ItemResult,
  ): Promise<string> {
    const result = [state, body, credits, JSON.stringify(problems), resultId];
    return withFailpoints('bulk.settle', () =>
      this.transactions.inTenant({ tenantId }, async ({ tx }) => {
        const [{ status }] = await tx.query<SettledRow[]>(SETTLE_ITEM, [
          tenantId,
          id,
          transactionId,
          before,
          ...result,
        ]);
        return status;
      }),
    );
  }

  private release({ tenantId, id }: ClaimedJob, owner: string, { delaySeconds, pauseReason }: Release): Promise<void> {
    return withFailpoints('bulk.release', () =>
      this.transactions.inTenant({ tenantId }, async ({ tx }) => {
        const parameters = [tenantId, id, owner, delaySeconds, pauseReason];
        const [[released]] = await tx.query<[ChangedJob[], number]>(RELEASE_JOB, parameters);
        if (released?.status !== 'ended') return;
        const [[{ environment, userId, email }]] = await tx.query<[EndedJob[], number]>(STAMP_END, [tenantId, id]);
        const entry = { tenantId, environment, jobId: id, action: 'bulk_job.ended' } as const;
        await appendJobAudit(tx, { userId, email, ip: null }, entry);
      }),
    );
  }
}

type Turn = BulkWork & { readonly items: readonly OpenItem[] };
