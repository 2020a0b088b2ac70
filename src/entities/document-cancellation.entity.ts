import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { DocumentTransaction } from './document-transaction.entity.js';
import type { Environment } from '../config/environment.js';
import type { CancellationStatus } from '../documents/statuses.js';

/** A request to cancel a valid document (docs/rules.md#cancellation). Its id is the transactionId in the response. */
@Entity('document_cancellation')
@Check('ck_document_cancellation_status', `status IN ('Queued', 'Processing', 'Completed', 'Failed')`)
@Check('ck_document_cancellation_actor', `api_key_id IS NULL OR user_id IS NULL`)
@ForeignKey(() => DocumentTransaction, ['tenantId', 'transactionId'], ['tenantId', 'id'], {
  name: 'fk_document_cancellation_transaction',
})
@Index('ix_document_cancellation_transaction', ['tenantId', 'transactionId', 'id'])
@Index('ix_document_cancellation_key', ['tenantId', 'environment', 'apiKeyId', 'id'], {
  where: `api_key_id IS NOT NULL`,
})
@Index('ix_document_cancellation_open', ['deadlineAt'], { where: `status IN ('Queued', 'Processing')` })
export class DocumentCancellation {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_document_cancellation' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_document_cancellation' })
  id: string;

  @Column('text')
  environment: Environment;

  @Column('uuid')
  documentId: string;

  @Column('uuid')
  transactionId: string;

  @Column('text')
  reason: string;

  @Column('text', { default: 'Queued' })
  status: CancellationStatus;

  @Column('timestamptz')
  deadlineAt: Date;

  @Column('timestamptz')
  dueAt: Date;

  @Column('uuid', { nullable: true })
  owner: string | null;

  @Column('integer', { default: 0 })
  sends: number;

  @Column('jsonb', { default: '[]' })
  errors: unknown;

  @Column('uuid', { nullable: true })
  apiKeyId: string | null;

  @Column('uuid', { nullable: true })
  userId: string | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}
