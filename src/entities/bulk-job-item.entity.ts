import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { BulkJob } from './bulk-job.entity.js';

/**
 * `waiting` for its check, then `ready` or `refused` by it; a started job makes `done`, `changed` (somebody else did
 * something with the document meanwhile) or `failed` of what is ready.
 */
export const BULK_ITEM_STATES = ['waiting', 'ready', 'refused', 'done', 'changed', 'failed'] as const;
export type BulkItemState = (typeof BULK_ITEM_STATES)[number];

/** What is wrong with a document of a bulk job, in words. */
export interface BulkProblem {
  readonly field: string | null;
  readonly message: string;
  readonly hint: string | null;
}

/** One document of a bulk job, as the attempt that was selected. */
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

  /** The number of the attempt: a document that has a later one is left alone. */
  @Column('integer')
  attempt: number;

  @Column('text')
  state: BulkItemState;

  /** The submit body that was checked, until it is sent: byte for byte the same at each try. */
  @Column('text', { nullable: true })
  body: string | null;

  /** What it costs by its check, then what it was charged. */
  @Column('integer')
  credits: number;

  @Column('jsonb')
  problems: readonly BulkProblem[];

  /** The submission batch, or the cancellation. */
  @Column('uuid', { nullable: true })
  resultId: string | null;

  /** How often the service itself failed at it. */
  @Column('integer')
  tries: number;
}
