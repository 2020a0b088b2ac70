import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';
import type { SubmissionType, Supplier } from '../documents/simplified-document.js';

/** One accepted submit. */
@Entity('submission_batch')
@ForeignKey(() => Tenant, ['tenantId'], ['tenantId'], { name: 'fk_submission_batch_tenant' })
@Check('ck_submission_batch_actor', `api_key_id IS NULL OR user_id IS NULL`)
@Index('ix_submission_batch_list', ['tenantId', 'environment', 'id'])
@Index('ix_submission_batch_key', ['tenantId', 'environment', 'apiKeyId', 'id'], { where: `api_key_id IS NOT NULL` })
@Index('ix_submission_batch_user', ['tenantId', 'environment', 'userId', 'id'], { where: `user_id IS NOT NULL` })
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

  /**
   * The API key of the request; null if a user of the dashboard sent it. No foreign key: each submit would lock the key's row.
   */
  @Column('uuid', { nullable: true })
  apiKeyId: string | null;

  /** The user of the dashboard who sent it; null when an API key did. */
  @Column('uuid', { nullable: true })
  userId: string | null;

  /** The trace of the request that sent it, for the authority call; null when it had none. */
  @Column('text', { nullable: true })
  traceparent: string | null;

  @Column('timestamptz')
  createdAt: Date;
}
