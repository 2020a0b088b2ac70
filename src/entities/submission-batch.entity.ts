import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';
import type { SubmissionType, Supplier } from '../documents/simplified-document.js';

/** One accepted submit. */
@Entity('submission_batch')
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_submission_batch_tenant' })
@Index('ix_submission_batch_list', ['tenantId', 'environment', 'id'])
export class SubmissionBatch {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_submission_batch' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_submission_batch' })
  id: string;

  @Column('text')
  environment: Environment;

  @Column('text')
  submissionType: SubmissionType;

  @Column('integer')
  documentCount: number;

  /** What its documents are built with; null on batches that had ended before it was kept. */
  @Column('jsonb', { nullable: true })
  supplier: Supplier | null;

  @Column('timestamptz')
  createdAt: Date;
}
