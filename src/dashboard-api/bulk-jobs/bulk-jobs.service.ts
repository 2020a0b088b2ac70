import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { appendAudit, type UserActor } from '../../accounts/audit.js';
import { CreditsService } from '../../credits/credits.service.js';
import { DashboardTransactions } from '../../database/database.module.js';
import type { Caller } from '../../database/in-tenant.js';
import { BulkJobItem } from '../../entities/bulk-job-item.entity.js';
import { BulkJob } from '../../entities/bulk-job.entity.js';
import { DashboardError } from '../../errors/dashboard-errors.js';
import { afterCursor, type Page, type PageRequest, toPage } from '../cursor.js';
import { computeIdRange } from '../days.js';
import type { Member } from '../session/access.js';
import type { ListRequest } from '../transactions/list-query.js';
import { TransactionListService } from '../transactions/transaction-list.service.js';
import { nameBulkField } from './bulk-fields.js';
import {
  type ChangedJob,
  COUNT_OPEN_JOBS,
  FORGET_DRAFTS,
  type JobRow,
  LIST_ITEMS,
  LIST_JOBS,
  PAUSE_JOB,
  READ_JOB,
  READ_SELECTED,
  type SelectedDocument,
  START_JOB,
} from './bulk-jobs.sql.js';
import {
  BULK_DOCUMENTS_MAX,
  type BulkItemDto,
  type BulkJobDetailDto,
  type BulkJobDto,
  type CreateBulkJobDto,
} from './dto/bulk-job.dto.js';

/** Limits per organisation and environment. Drafts are checked jobs that were never started. */
const OPEN_JOBS_MAX = 20;
const DRAFTS_MAX = 20;

const PAGE_DOCUMENTS = 200;
/** Limits the search, because some filters return pages with few rows. */
const PAGES_MAX = 50;

/** Corrections select failed documents, cancellations select valid ones. */
const WANTED_STATUSES = { correct: ['Invalid', 'SubmitFailed'], cancel: ['Valid'] } as const;

interface Selection {
  readonly documents: readonly SelectedDocument[];
  readonly isCut: boolean;
}

/** Creates and changes bulk jobs. BulkLoop runs them. */
@Injectable()
export class BulkJobsService {
  constructor(
    private readonly transactions: DashboardTransactions,
    private readonly credits: CreditsService,
    private readonly list: TransactionListService,
  ) {}

  /**
   * Creates a job, whose documents are then checked. Documents are sent only after a start.
   * @throws DashboardError 404 for a document of another organisation; 409 for an empty selection or too many open jobs
   */
  async create(
    { member, caller }: { member: Member; caller: Caller },
    body: CreateBulkJobDto,
    filter: ListRequest,
  ): Promise<BulkJobDetailDto> {
    const { tenantId, environment } = caller;
    const { documents, isCut } = await this.select(caller, body, filter);
    if (documents.length === 0) throw new DashboardError('state_conflict', { message: NOTHING_TO_DO[body.kind] });
    const id = uuidv7();
    await this.transactions.inTenant(caller, async ({ tx, now }) => {
      await tx.query(FORGET_DRAFTS, [tenantId, environment, DRAFTS_MAX]);
      const [{ jobs }] = await tx.query<{ jobs: number }[]>(COUNT_OPEN_JOBS, [tenantId, environment]);
      if (jobs >= OPEN_JOBS_MAX) throw new DashboardError('state_conflict', { message: TOO_MANY });
      await tx.insert(BulkJob, {
        tenantId,
        id,
        environment,
        ...readChange(body),
        isCut,
        status: 'checking',
        userId: member.actor.userId,
        createdAt: now,
        dueAt: now,
      });
      const items = documents.map((document) => Object.assign({}, document, { tenantId, jobId: id }, NOT_CHECKED));
      await tx.insert(BulkJobItem, items);
    });
    return this.read(caller, id);
  }

  index(caller: Caller, page: PageRequest): Promise<Page<BulkJobDto>> {
    const { end } = computeIdRange({ from: null, to: null }, page.after);
    return this.transactions.inTenant(caller, async ({ tx }) => {
      const parameters = [caller.tenantId, caller.environment, end, page.limit + 1];
      const rows = await tx.query<JobRow[]>(LIST_JOBS, parameters);
      return toPage(rows.map(toJob), page, ({ jobId }) => jobId);
    });
  }

  /** @throws DashboardError (404) */
  read(caller: Caller, jobId: string): Promise<BulkJobDetailDto> {
    return this.transactions.inTenant(caller, async ({ tx }) => {
      const job = toJob(await findJob(tx, caller, jobId));
      const remainingCredits = await this.credits.readRemaining(tx, caller);
      return Object.assign({}, job, { remainingCredits });
    });
  }

  /** @throws DashboardError (404) */
  items(caller: Caller, jobId: string, page: PageRequest): Promise<Page<BulkItemDto>> {
    const { end } = computeIdRange({ from: null, to: null }, page.after);
    return this.transactions.inTenant(caller, async ({ tx }) => {
      await findJob(tx, caller, jobId);
      const rows = await tx.query<BulkItemDto[]>(LIST_ITEMS, [caller.tenantId, jobId, end, page.limit + 1]);
      return toPage(rows, page, ({ transactionId }) => transactionId);
    });
  }

  /**
   * Starts a checked job or continues a paused job. Its documents are then submitted on behalf of this member.
   * @throws DashboardError 404; 409 for another status or without a document to send
   */
  async start({ member, caller }: { member: Member; caller: Caller }, jobId: string): Promise<BulkJobDetailDto> {
    const { tenantId, environment } = caller;
    await this.transactions.inTenant(caller, async ({ tx }) => {
      await findJob(tx, caller, jobId);
      const parameters = [tenantId, environment, jobId, member.actor.userId];
      const [[started]] = await tx.query<[ChangedJob[], number]>(START_JOB, parameters);
      if (started === undefined) throw new DashboardError('state_conflict');
      if (started.status !== 'running') return;
      await appendJobAudit(tx, member.actor, { tenantId, environment, jobId, action: 'bulk_job.started' });
    });
    return this.read(caller, jobId);
  }

  /**
   * Pauses a job after its current document.
   * @throws DashboardError 404; 409 if the job is not running
   */
  async pause({ member, caller }: { member: Member; caller: Caller }, jobId: string): Promise<BulkJobDetailDto> {
    const { tenantId, environment } = caller;
    await this.transactions.inTenant(caller, async ({ tx }) => {
      await findJob(tx, caller, jobId);
      const parameters = [tenantId, environment, jobId, `Paused by ${member.actor.email}`];
      const [[paused]] = await tx.query<[ChangedJob[], number]>(PAUSE_JOB, parameters);
      if (paused === undefined) throw new DashboardError('state_conflict');
    });
    return this.read(caller, jobId);
  }

  private select(caller: Caller, { kind, documents }: CreateBulkJobDto, filter: ListRequest): Promise<Selection> {
    if (documents === undefined) return this.selectByFilter(caller, kind, filter);
    const ids = documents.map(({ transactionId }) => transactionId.trim().toLowerCase());
    return this.selectById(caller, [...new Set(ids)]);
  }

  /** Selects the newest documents in the list with a matching status. */
  private async selectByFilter(
    caller: Caller,
    kind: CreateBulkJobDto['kind'],
    filter: ListRequest,
  ): Promise<Selection> {
    const statuses = filter.statuses.filter((status) => WANTED_STATUSES[kind].some((wanted) => wanted === status));
    const action = kind === 'correct' ? (filter.action ?? 'needed') : filter.action;
    const found: SelectedDocument[] = [];
    let request: PageRequest = { limit: PAGE_DOCUMENTS, after: null };
    for (let pages = 0; pages < PAGES_MAX && statuses.length > 0; pages += 1) {
      const wanted = { ...filter, statuses, action, includesReplaced: false };
      const { items, next } = await this.list.list(caller, wanted, request);
      found.push(...items.map(toSelected));
      const isFull = found.length > BULK_DOCUMENTS_MAX || (found.length === BULK_DOCUMENTS_MAX && next !== null);
      if (isFull) return { documents: found.slice(0, BULK_DOCUMENTS_MAX), isCut: true };
      if (next === null) return { documents: found, isCut: false };
      request = afterCursor(next, PAGE_DOCUMENTS);
    }
    return { documents: found, isCut: statuses.length > 0 };
  }

  private async selectById({ tenantId, environment }: Caller, ids: readonly string[]): Promise<Selection> {
    const documents = await this.transactions.inTenant({ tenantId }, ({ tx }) =>
      tx.query<SelectedDocument[]>(READ_SELECTED, [tenantId, environment, ids]),
    );
    if (documents.length < ids.length) throw new DashboardError('not_found_here', { message: UNKNOWN_DOCUMENT });
    return { documents, isCut: false };
  }
}

const NOT_CHECKED = { state: 'waiting', credits: 0, problems: [], tries: 0 } as const;

function readChange({ kind, field, value, reason }: CreateBulkJobDto): Pick<BulkJob, 'kind' | 'field' | 'value'> {
  return kind === 'correct'
    ? { kind, field: field ?? null, value: value?.trim() ?? '' }
    : { kind, field: null, value: reason?.trim() ?? '' };
}

const NOTHING_TO_DO = {
  correct: 'No document of this selection needs action: only documents whose last attempt failed can be corrected',
  cancel: 'No document of this selection is valid: only valid documents can be cancelled',
} as const;
const TOO_MANY = `${OPEN_JOBS_MAX} bulk jobs are running or paused: wait until one has ended, or continue a paused job`;
const UNKNOWN_DOCUMENT = 'A document of this selection is not in this organisation and environment: select them again';

async function findJob(tx: EntityManager, { tenantId, environment }: Caller, jobId: string): Promise<JobRow> {
  const [job] = await tx.query<JobRow[]>(READ_JOB, [tenantId, environment, jobId]);
  if (job === undefined) throw new DashboardError('not_found_here');
  return job;
}

function toJob(row: JobRow): BulkJobDto {
  return Object.assign({}, row, { fieldName: row.field === null ? null : nameBulkField(row.field) });
}

function toSelected(row: SelectedDocument): SelectedDocument {
  const { transactionId, documentId, documentType, referenceId, attempt } = row;
  return { transactionId, documentId, documentType, referenceId, attempt };
}

/** Records the start or end of a job in the audit log, including the results of its documents so far. */
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
