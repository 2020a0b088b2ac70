import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { BulkJob } from './bulk-job.entity.js';

/**
 * The check sets `ready` or `refused`. The job sets `done`, `failed`, or `changed` for a document that
 * changed since the check.
 */
export const BULK_ITEM_STATES = ['waiting', 'ready', 'refused', 'done', 'changed', 'failed'] as const;
export type BulkItemState = (typeof BULK_ITEM_STATES)[number];

export interface BulkProblem {
  readonly field: string | null;
  readonly message: string;
  readonly hint: string | null;
}

/** A document of a bulk job, with the selected attempt. */
@Entity('bulk_job_item')
@Check('ck_bulk_job_item_state', `state IN ('waiting', 'ready', 'refused', 'done', 'changed', 'failed')`)
@ForeignKey(() => BulkJob, ['tenantId', 'jobId'], ['tenantId', 'id'], {
  name: 'fk_bulk_job_item_job',
  onDelete: 'CASCADE',
})
@Index('ix_bulk_job_item_open', ['tenantId', 'jobId', 'state', 'transactionId'], {
  where: `state IN ('waiting', 'ready')`,
})
export class BulkJobItem {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_bulk_job_item' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_bulk_job_item' })
  jobId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_bulk_job_item' })
  transactionId: string;

  @Column('uuid')
  documentId: string;

  @Column('text')
  documentType: string;

  @Column('text')
  referenceId: string;

  @Column('integer')
  attempt: number;

  @Column('text')
  state: BulkItemState;

  /** The checked submit body, kept so that each retry sends the same bytes. */
  @Column('text', { nullable: true })
  body: string | null;

  /** Expected cost, then the actual charge. */
  @Column('integer')
  credits: number;

  @Column('jsonb')
  problems: readonly BulkProblem[];

  /** Id of the submission batch or cancellation. */
  @Column('uuid', { nullable: true })
  resultId: string | null;

  /** Failures of the service itself. */
  @Column('integer')
  tries: number;
}
