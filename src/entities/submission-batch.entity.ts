import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Tenant } from './tenant.entity.js';
import type { Environment } from '../config/environment.js';
import type { SubmissionType, Supplier } from '../documents/simplified-document.js';

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

  /** The supplier of its documents. */
  @Column('jsonb', { nullable: true })
  supplier: Supplier | null;

  /** No foreign key, because each submit would lock the key's row. */
  @Column('uuid', { nullable: true })
  apiKeyId: string | null;

  @Column('uuid', { nullable: true })
  userId: string | null;

  /** The request's `traceparent`, continued by the authority call. */
  @Column('text', { nullable: true })
  traceparent: string | null;

  @Column('timestamptz')
  createdAt: Date;
}
