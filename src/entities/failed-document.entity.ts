import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Document } from './document.entity.js';
import type { Environment } from '../config/environment.js';

/** A document whose last attempt failed. Triggers of document_transaction write it, users dismiss it. */
@Entity('failed_document')
@Check('ck_failed_document_dismissal', `num_nulls(dismissed_at, dismissed_by, dismissal_reason) IN (0, 3)`)
@ForeignKey(() => Document, ['tenantId', 'documentId'], ['tenantId', 'id'], { name: 'fk_failed_document_document' })
@Index('ix_failed_document_open', ['tenantId', 'environment', 'transactionId'], { where: `dismissed_at IS NULL` })
@Index('ix_failed_document_cause', ['tenantId', 'environment', 'cause', 'transactionId'], {
  where: `dismissed_at IS NULL`,
})
@Index('ix_failed_document_dismissed', ['tenantId', 'environment', 'transactionId'], {
  where: `dismissed_at IS NOT NULL`,
})
export class FailedDocument {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_failed_document' })
  tenantId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_failed_document' })
  documentId: string;

  @Column('uuid')
  transactionId: string;

  @Column('text')
  environment: Environment;

  /** Code of the first error and its pointer without positions: `buyer_tin_invalid:/recipient/tin`. */
  @Column('text')
  cause: string;

  @Column('timestamptz', { nullable: true })
  dismissedAt: Date | null;

  @Column('uuid', { nullable: true })
  dismissedBy: string | null;

  @Column('text', { nullable: true })
  dismissalReason: string | null;
}
