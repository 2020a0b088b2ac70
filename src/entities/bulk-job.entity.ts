import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '../config/environment.js';
import { Tenant } from './tenant.entity.js';

export const BULK_KINDS = ['correct', 'cancel'] as const;
export type BulkKind = (typeof BULK_KINDS)[number];

/** The loop works on `checking` and `running` jobs. A user starts a `checked` job and continues a `paused` one. */
export const BULK_JOB_STATUSES = ['checking', 'checked', 'running', 'paused', 'ended'] as const;
export type BulkJobStatus = (typeof BULK_JOB_STATUSES)[number];

/** A change of many documents, requested in the dashboard and carried out by the `bulk` loop. */
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

  /** JSON pointer of a corrected field, with `*` for all lines. */
  @Column('text', { nullable: true })
  field: string | null;

  /** New value of the field, or reason of the cancellations. */
  @Column('text')
  value: string;

  /** Whether the number of matching documents exceeds the limit of a job. */
  @Column('boolean')
  isCut: boolean;

  @Column('text')
  status: BulkJobStatus;

  @Column('text', { nullable: true })
  pauseReason: string | null;

  /** The user who last created, started or continued it. The job acts with their permissions. */
  @Column('uuid')
  userId: string;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;

  /** End of the lease or of a delay. */
  @Column('timestamptz')
  dueAt: Date;

  @Column('uuid', { nullable: true })
  leaseOwner: string | null;

  /** Last turn; organisations take turns. */
  @Column('timestamptz', { nullable: true })
  servedAt: Date | null;
}
