import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';
import { Tenant } from './tenant.entity.js';

/** What a bulk job does with each of its documents. */
export const BULK_KINDS = ['correct', 'cancel'] as const;
export type BulkKind = (typeof BULK_KINDS)[number];

/**
 * `checking` and `running` are what the loop works on; `checked` waits for a person to start it, `paused` for a person
 * to continue it.
 */
export const BULK_JOB_STATUSES = ['checking', 'checked', 'running', 'paused', 'ended'] as const;
export type BulkJobStatus = (typeof BULK_JOB_STATUSES)[number];

/** One change of many documents, asked for in the dashboard and carried out by the `bulk` loop. */
@Entity('bulk_job')
@Check('ck_bulk_job_kind', `kind = 'correct' AND field IS NOT NULL OR kind = 'cancel' AND field IS NULL`)
@Check('ck_bulk_job_status', `status IN ('checking', 'checked', 'running', 'paused', 'ended')`)
@Check('ck_bulk_job_paused', `(status = 'paused') = (pause_reason IS NOT NULL)`)
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_bulk_job_tenant' })
@Index('ix_bulk_job_list', ['tenantId', 'environment', 'id'])
@Index('ix_bulk_job_served', ['tenantId', 'servedAt'])
@Index('ix_bulk_job_due', ['dueAt'], { where: `status IN ('checking', 'running')` })
export class BulkJob {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_bulk_job' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_bulk_job' })
  id: string;

  @Column('text')
  environment: Environment;

  @Column('text')
  kind: BulkKind;

  /** Of a correction: what is changed, as a pointer into a document, `*` for its lines. */
  @Column('text', { nullable: true })
  field: string | null;

  /** The new value of the field, or the reason of the cancellations. */
  @Column('text')
  value: string;

  /** Whether more documents matched than a job takes. */
  @Column('boolean')
  isCut: boolean;

  @Column('text')
  status: BulkJobStatus;

  @Column('text', { nullable: true })
  pauseReason: string | null;

  /** Who made it, then who started or continued it: it submits in their name, with their rights. */
  @Column('uuid')
  userId: string;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;

  /** When a replica may take it next; until then it is leased by `leaseOwner`, or put off. */
  @Column('timestamptz')
  dueAt: Date;

  @Column('uuid', { nullable: true })
  leaseOwner: string | null;

  /** Its last turn; the latest of an organisation's jobs decides when that organisation is next. */
  @Column('timestamptz', { nullable: true })
  servedAt: Date | null;
}
